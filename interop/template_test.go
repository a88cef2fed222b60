// SPDX-License-Identifier: ISC

package interop

import (
	"bytes"
	"crypto"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stitchgcm/gcm/stream"
	"github.com/tink-crypto/tink-go/v2/insecurecleartextkeyset"
	"github.com/tink-crypto/tink-go/v2/keyset"
	keypb "github.com/tink-crypto/tink-go/v2/proto/aes_gcm_hkdf_streaming_go_proto"
	commonpb "github.com/tink-crypto/tink-go/v2/proto/common_go_proto"
	tinkpb "github.com/tink-crypto/tink-go/v2/proto/tink_go_proto"
	"github.com/tink-crypto/tink-go/v2/streamingaead"
	"github.com/tink-crypto/tink-go/v2/tink"
	"google.golang.org/protobuf/proto"
)

// templates are all of Tink's for this format.
var templates = map[string]func() *tinkpb.KeyTemplate{
	"AES128_GCM_HKDF_4KB": streamingaead.AES128GCMHKDF4KBKeyTemplate,
	"AES128_GCM_HKDF_1MB": streamingaead.AES128GCMHKDF1MBKeyTemplate,
	"AES256_GCM_HKDF_4KB": streamingaead.AES256GCMHKDF4KBKeyTemplate,
	"AES256_GCM_HKDF_1MB": streamingaead.AES256GCMHKDF1MBKeyTemplate,
}

// generate makes a new key of Tink's, and says how the package stream has it.
func generate(t *testing.T, template *tinkpb.KeyTemplate) (tink.StreamingAEAD, []byte, stream.Options) {
	t.Helper()
	handle, err := keyset.NewHandle(template)
	if err != nil {
		t.Fatal(err)
	}
	s, err := streamingaead.New(handle)
	if err != nil {
		t.Fatal(err)
	}
	var key keypb.AesGcmHkdfStreamingKey
	if err := proto.Unmarshal(insecurecleartextkeyset.KeysetMaterial(handle).Key[0].KeyData.Value, &key); err != nil {
		t.Fatal(err)
	}
	if key.Params.HkdfHashType != commonpb.HashType_SHA256 {
		t.Fatalf("the template has hash %v", key.Params.HkdfHashType)
	}
	return s, key.KeyValue, stream.Options{
		SegmentSize:    int(key.Params.CiphertextSegmentSize),
		DerivedKeySize: int(key.Params.DerivedKeySize),
		Hash:           crypto.SHA256,
		Workers:        2,
	}
}

// Keys of each template, at lengths round the first edges, and where reader and
// writer change from one lane to the next.
func TestTemplates(t *testing.T) {
	for name, template := range templates {
		t.Run(name, func(t *testing.T) {
			s, key, o := generate(t, template())
			first, others, batch := o.SegmentSize-o.DerivedKeySize-24, o.SegmentSize-16, max(1, (256<<10)/o.SegmentSize)
			for _, n := range []int{0, 1, first - 1, first, first + 1, first + others, first + others + 1,
				first + (batch-1)*others, first + (batch-1)*others + 1, first + (2*batch-1)*others, first + (2*batch-1)*others + 1, 5*batch*others + 77} {
				bothWays(t, s, someBytes(n), key, []byte("additional data"), o)
			}
		})
	}
}

// The command encrypts to Tink and decrypts from it, with the defaults, under
// keys of both sizes, and with another size of segments.
func TestCommand(t *testing.T) {
	dir := t.TempDir()
	command := filepath.Join(dir, "gcm.exe")
	build := exec.Command("go", "build", "-o", command, "./cmd/gcm")
	build.Dir = ".."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for name, template := range templates {
		s, key, o := generate(t, template())
		keyFile := filepath.Join(dir, name)
		if err := os.WriteFile(keyFile, []byte(hex.EncodeToString(key)+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		gcm := func(what string, in []byte, aad string) []byte {
			args := []string{what, "-key-file", keyFile, "-aad", aad}
			if o.SegmentSize != 1<<20 {
				args = append(args, "-segment", fmt.Sprint(o.SegmentSize))
			}
			cmd := exec.Command(command, args...)
			cmd.Stdin, cmd.Stderr = bytes.NewReader(in), os.Stderr
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("%q: %v", args, err)
			}
			return out
		}
		text := someBytes(3_000_000)
		sealed, err := sealTink(s, text, []byte("of Monday"), len(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := gcm("decrypt", sealed, "of Monday"); !bytes.Equal(got, text) {
			t.Errorf("%s: gcm decrypts %d bytes, not the same", name, len(got))
		}
		if got, err := openTink(s, gcm("encrypt", text, "of Monday"), []byte("of Monday")); err != nil || !bytes.Equal(got, text) {
			t.Errorf("%s: Tink decrypts %d bytes, %v", name, len(got), err)
		}
	}
}
