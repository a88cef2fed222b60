// SPDX-License-Identifier: ISC

package emit

import (
	"bytes"
	"fmt"

	"github.com/stitchgcm/gcm/internal/ir"
)

// compilerMacro is what C compilers define on each architecture.
var compilerMacro = map[string]string{"amd64": "__x86_64__", "arm64": "__aarch64__"}

// convention names the calling convention of the kernels.
const convention = `// Kernels for amd64 have System V's calling convention on every system. On Windows
// it is for their callers to keep what only its own convention preserves: rdi, rsi
// and xmm6 to xmm15. Compilers see to that.
#if defined(__x86_64__)
#define STITCHGCM_KERNEL __attribute__((sysv_abi))
#else
#define STITCHGCM_KERNEL
#endif

`

// Header returns the C header that declares the kernels of all architectures.
func Header(kernels ...[]*ir.Program) []byte {
	var w bytes.Buffer
	fmt.Fprintf(&w, "%s\n// SPDX-License-Identifier: ISC\n\n", Marker)
	fmt.Fprintf(&w, "#ifndef STITCHGCM_KERNELS_H\n#define STITCHGCM_KERNELS_H\n\n#include <stdint.h>\n\n#include \"symbols.h\"\n\n")
	fmt.Fprint(&w, convention)
	fmt.Fprintf(&w, "#pragma GCC visibility push(hidden)\n")
	for _, ps := range kernels {
		fmt.Fprintf(&w, "\n#if defined(%s) // kernel %s\n", compilerMacro[ps[0].ISA.Name], ps[0].Contract.Kernel)
		for _, p := range ps {
			fmt.Fprintf(&w, "\n// %s.\nSTITCHGCM_KERNEL %s;\n", p.Contract.Summary, prototype(p, symbolMacro+"("+p.Name+")"))
		}
		fmt.Fprintf(&w, "#endif\n")
	}
	fmt.Fprintf(&w, "\n#pragma GCC visibility pop\n\n#endif\n")
	return w.Bytes()
}
