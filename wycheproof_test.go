// SPDX-License-Identifier: ISC

package gcm

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// The vectors are a file of a Go module without Go packages. So no import, and
// no line in go.mod, can hold that module; the test asks the go command for it
// by version and checks the file by its hash. It costs those who import package
// gcm nothing.
const (
	wycheproofModule = "github.com/google/wycheproof@v0.0.0-20191219022705-2196000605e4"
	wycheproofFile   = "testvectors/aes_gcm_test.json"
	wycheproofSHA256 = "c63f7a34d5f49be52f8f2f5a5c47750b418af304265869f77cd4bacb8e1d2f51"
	wycheproofCases  = 256
)

// wycheproof is what the test reads of the file.
type wycheproof struct {
	NumberOfTests int
	TestGroups    []struct {
		IVSize, KeySize, TagSize int // bits
		Tests                    []struct {
			TCID                       int
			Comment                    string
			Key, IV, AAD, Msg, CT, Tag hexBytes
			Result                     string
		}
	}
}

// hexBytes are bytes that JSON holds in hexadecimal digits.
type hexBytes []byte

func (h *hexBytes) UnmarshalText(text []byte) (err error) {
	*h, err = hex.DecodeString(string(text))
	return err
}

// readWycheproof fetches the module, unless it is cached, and reads the file.
func readWycheproof(t *testing.T) (w wycheproof) {
	t.Helper()
	switch runtime.GOOS {
	case "js", "wasip1", "ios", "android":
		t.Skip("no go command here")
	}
	cmd := exec.Command("go", "mod", "download", "-json", wycheproofModule)
	cmd.Dir = t.TempDir() // no module there, so that no go.mod changes
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go mod download %s: %v: the vectors need the network once\n%s", wycheproofModule, err, out)
	}
	var module struct{ Dir string }
	if err := json.Unmarshal(out, &module); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(module.Dir, filepath.FromSlash(wycheproofFile)))
	if err != nil {
		t.Fatal(err)
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != wycheproofSHA256 {
		t.Fatalf("SHA-256 of %s is %x, want %s", wycheproofFile, sum, wycheproofSHA256)
	}
	if err := json.Unmarshal(data, &w); err != nil {
		t.Fatal(err)
	}
	return w
}

// TestWycheproof runs every case of Project Wycheproof for AES-GCM, with nonces
// of all sizes, on every kernel.
func TestWycheproof(t *testing.T) {
	w := readWycheproof(t)
	onEveryKernel(t, func(t *testing.T, kernel string) {
		ran := 0
		for _, g := range w.TestGroups {
			for _, c := range g.Tests {
				ran++
				o := Options{NonceSize: g.IVSize / 8, TagSize: g.TagSize / 8, Kernel: kernel}
				if g.IVSize == 0 {
					// GCM has no such nonce size: a case for those who take it.
					a := make1(t, c.Key, Options{Kernel: kernel})
					if c.Result == "valid" || catch(func() { a.Seal(nil, nil, c.Msg, c.AAD) }) == "" {
						t.Errorf("case %d: an empty nonce is taken", c.TCID)
					}
					continue
				}
				a := make1(t, c.Key, o)
				sealed := append(bytes.Clone(c.CT), c.Tag...)
				got, err := a.Open(nil, c.IV, sealed, c.AAD)
				switch c.Result {
				case "valid", "acceptable": // the latter for short nonces, which are taken here
					if err != nil || !bytes.Equal(got, c.Msg) {
						t.Errorf("case %d (%s): Open gives %x, %v", c.TCID, c.Comment, got, err)
					}
					if got := a.Seal(nil, c.IV, c.Msg, c.AAD); !bytes.Equal(got, sealed) {
						t.Errorf("case %d (%s): Seal gives %x, want %x", c.TCID, c.Comment, got, sealed)
					}
				case "invalid":
					if err == nil || got != nil {
						t.Errorf("case %d (%s): Open takes a forgery", c.TCID, c.Comment)
					}
				default:
					t.Errorf("case %d: result is %q", c.TCID, c.Result)
				}
			}
		}
		if ran != wycheproofCases || w.NumberOfTests != ran {
			t.Errorf("%d cases ran, want %d", ran, wycheproofCases)
		}
	})
}
