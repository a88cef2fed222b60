// SPDX-License-Identifier: ISC

package consumers

import (
	"os/exec"
	"testing"

	"github.com/stitchgcm/gcm/internal/dispatch"
	"github.com/stitchgcm/gcm/internal/require"
)

// TestProcessors runs the program on arm64 processors of several ages, as qemu has
// them, and with features hidden, and wants the right kernel each time. GODEBUG
// hides them from crypto/cipher as well, which then computes in yet another way.
func TestProcessors(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	const qemu = "qemu-aarch64"
	if _, err := exec.LookPath(qemu); err != nil {
		if require.Kernel(dispatch.PMULL) {
			t.Fatalf("GCM_REQUIRE wants kernel %q, but %v", dispatch.PMULL, err)
		}
		t.Skip(err)
	}
	c := newConsumer(t, "CGO_ENABLED=0", "GOOS=linux", "GOARCH=arm64")
	c.write("main.go", withoutCgo.Replace(program))
	c.build()
	for _, cpu := range []struct{ name, kernel string }{
		{"cortex-a53", dispatch.PMULL}, {"cortex-a72", dispatch.PMULL}, {"cortex-a76", dispatch.PMULL},
		{"neoverse-n1", dispatch.PMULL}, {"max", dispatch.EOR3},
	} {
		for hidden, kernel := range map[string]string{
			"none": cpu.kernel, "aes": dispatch.Generic, "pmull": dispatch.Generic, "sha3": dispatch.PMULL,
			"all": dispatch.Generic,
		} {
			cmd := c.command(qemu, "-cpu", cpu.name, "./out")
			cmd.Env = append(cmd.Env, "WANT_KERNEL="+kernel, "GODEBUG=cpu."+hidden+"=off")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s without %s, wants kernel %s: %v\n%s", cpu.name, hidden, kernel, err, out)
			}
		}
	}
}
