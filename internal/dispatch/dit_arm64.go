// SPDX-License-Identifier: ISC

package dispatch

import "golang.org/x/sys/cpu"

// DIT says that there are processors of this architecture which must be asked for
// instructions whose time does not depend on data (PSTATE.DIT), and that Go's
// runtime knows how: crypto/subtle.WithDataIndependentTiming.
const DIT = true

// DITSupported reports whether this processor can be asked.
func DITSupported() bool { return cpu.ARM64.HasDIT }

// DITEnabled reports whether it has been, for what runs now.
func DITEnabled() bool { return DITSupported() && readDIT()>>24&1 == 1 }

// readDIT returns the system register DIT.
func readDIT() uint64
