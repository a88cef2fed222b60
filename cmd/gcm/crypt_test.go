// SPDX-License-Identifier: ISC

package main

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stitchgcm/gcm/stream"
)

// someText returns n bytes.
func someText(n int) []byte {
	text := make([]byte, n)
	for i := range text {
		text[i] = byte(i*i>>3 + i>>11)
	}
	return text
}

// write writes a file that only its owner may read, and returns its name.
func write(t *testing.T, dir, name string, data []byte) string {
	t.Helper()
	name = filepath.Join(dir, name)
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// names lists a directory.
func names(t *testing.T, dir string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// filter runs encrypt or decrypt on what is in memory.
func filter(f func([]string, io.Reader, io.Writer, io.Writer) error, in []byte, args ...string) ([]byte, error) {
	var out, messages bytes.Buffer
	err := f(args, bytes.NewReader(in), &out, &messages)
	if messages.Len() > 0 {
		return out.Bytes(), fmt.Errorf("%w, and messages %q", err, &messages)
	}
	return out.Bytes(), err
}

// What encrypt writes is what the package stream opens with the options that are
// documented, and decrypt gives it back: files and pipes, keys of both sizes and
// forms.
func TestCrypt(t *testing.T) {
	t.Setenv(keyVariable, "")
	raw := someText(32)
	for _, c := range []struct {
		name string
		file []byte
		key  []byte
	}{
		{"raw 32", raw, raw},
		{"raw 16", raw[:16], raw[:16]},
		{"hex 32", []byte(hex.EncodeToString(raw)), raw},
		{"hex 16", []byte(strings.ToUpper(hex.EncodeToString(raw[:16])) + "\r\n"), raw[:16]},
	} {
		for _, segment := range []int{0, 64, 4096} {
			for _, n := range []int{0, 1, 1000, 1<<20 + 1<<19} {
				if n > 1000 && (segment == 64 || testing.Short() && c.name != "raw 32") {
					continue
				}
				dir := t.TempDir()
				text := someText(n)
				in := write(t, dir, "in", text)
				out, again := filepath.Join(dir, "out"), filepath.Join(dir, "again")
				args := []string{"-key-file", write(t, dir, "key", c.file), "-aad", "of Monday"}
				o := stream.Options{DerivedKeySize: len(c.key)}
				if segment != 0 {
					args = append(args, "-segment", fmt.Sprint(segment))
					o.SegmentSize = segment
				}
				status, stdout, stderr := call(slices.Concat([]string{"encrypt"}, args, []string{"-in", in, "-out", out})...)
				if status != 0 || stdout+stderr != "" {
					t.Fatalf("%s: status %d, %q, %q", c.name, status, stdout, stderr)
				}
				r, err := stream.NewReader(bytes.NewReader(read(t, out)), c.key, []byte("of Monday"), o)
				if err != nil {
					t.Fatal(err)
				}
				if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, text) {
					t.Fatalf("%s, %+v: %d bytes of %d, %v", c.name, o, len(got), n, err)
				}
				status, stdout, stderr = call(slices.Concat([]string{"decrypt"}, args, []string{"-in", out, "-out", again})...)
				if status != 0 || stdout+stderr != "" || !bytes.Equal(read(t, again), text) {
					t.Fatalf("%s: status %d, %q, %q", c.name, status, stdout, stderr)
				}
				if left := names(t, dir); !slices.Equal(left, []string{"again", "in", "key", "out"}) {
					t.Fatalf("files %q", left)
				}

				sealed, err := filter(encrypt, text, args...)
				if err != nil {
					t.Fatal(err)
				}
				if got, err := filter(decrypt, sealed, args...); err != nil || !bytes.Equal(got, text) {
					t.Fatalf("%s: a pipe gives %d bytes of %d, %v", c.name, len(got), n, err)
				}
				t.Setenv(keyVariable, hex.EncodeToString(c.key))
				if got, err := filter(decrypt, sealed, args[2:]...); err != nil || !bytes.Equal(got, text) {
					t.Fatalf("%s: with the key in the environment %d bytes of %d, %v", c.name, len(got), n, err)
				}
				t.Setenv(keyVariable, "ff") // the file wins
				if got, err := filter(decrypt, sealed, args...); err != nil || !bytes.Equal(got, text) {
					t.Fatalf("%s: with both %d bytes of %d, %v", c.name, len(got), n, err)
				}
				t.Setenv(keyVariable, "")
			}
		}
	}
}

// Each thing that can be wrong gets one sentence, which tells nothing of the key,
// and leaves no file behind; a file that was to be replaced stays as it was.
func TestCryptWrong(t *testing.T) {
	const secret = "5ec2e75ec2e75ec2e75ec2e75ec2e75e"
	dir := t.TempDir()
	key := write(t, dir, "key", []byte(secret))
	other := write(t, dir, "other key", someText(16))
	bad := write(t, dir, "bad key", []byte(secret+"5ec2e7"))
	odd := write(t, dir, "odd key", []byte("a key that is a text"))
	none := write(t, dir, "empty key", nil)
	long := write(t, dir, "long key", make([]byte, 5000))
	in := write(t, dir, "in", someText(10_000))
	sealed, err := filter(encrypt, someText(10_000), "-key-file", key, "-segment", "4096")
	if err != nil {
		t.Fatal(err)
	}
	file := write(t, dir, "sealed", sealed)
	cut := write(t, dir, "cut", sealed[:2*4096])
	torn := write(t, dir, "torn", sealed[:2*4096+100])
	swapped := write(t, dir, "swapped", slices.Concat(sealed[:4096], sealed[8192:], sealed[4096:8192]))
	forged := bytes.Clone(sealed)
	forged[5000] ^= 1
	corrupt := write(t, dir, "corrupt", forged)
	out := write(t, dir, "out", []byte("as it was"))
	before := names(t, dir)

	for _, c := range []struct {
		variable string
		args     []string
		status   int
		say      string
	}{
		{"", []string{"encrypt"}, 2, "encrypt: no key given; name the file that holds it with -key-file, or set GCM_KEY"},
		{"", []string{"decrypt"}, 2, "decrypt: no key given"},
		{"", []string{"encrypt", secret}, 2, "unexpected argument"},
		{"", []string{"encrypt", "-key", secret}, 2, "-key"},
		{"", []string{"encrypt", "-key-file", key, "-segment", "x"}, 2, `"x"`},
		{"", []string{"encrypt", "-key-file", key, "-segment", "40"}, 2, "-segment 40: invalid segment size 40: want 41 to 2³¹ - 1 bytes"},
		{"", []string{"decrypt", "-key-file", key, "-in", file, "-out", ""}, 2, "decrypt: -out names no file"},
		{"", []string{"encrypt", "-key-file", key, "-in", ""}, 2, "encrypt: -in names no file"},
		{strings.Repeat("7", 64), []string{"encrypt", "-key-file="}, 2, "encrypt: -key-file names no file"},
		{"", []string{"encrypt", "-key-file", key, "-segment", "0"}, 2, "-segment 0 is no size"},
		{"", []string{"encrypt", "-key-file", key, "-segment", "-1"}, 2, "-segment -1"},
		{secret + "5", []string{"encrypt"}, 1, "the environment variable GCM_KEY holds no key: want 32 or 64 hex digits"},
		{"a key of 16 bytes", []string{"encrypt"}, 1, "GCM_KEY holds no key"},
		{"", []string{"encrypt", "-key-file", filepath.Join(dir, "absent")}, 1, "cannot open key file"},
		{"", []string{"encrypt", "-key-file", dir}, 1, "key file"},
		{"", []string{"encrypt", "-key-file", bad}, 1, `bad key" holds 38 hex digits; want 32 or 64 of them, or 16 or 32 raw bytes`},
		{"", []string{"encrypt", "-key-file", odd}, 1, `odd key" holds 20 bytes; want 16 or 32 raw bytes, or 32 or 64 hex digits`},
		{"", []string{"encrypt", "-key-file", none}, 1, "holds 0 bytes"},
		{"", []string{"encrypt", "-key-file", long}, 1, "holds 1024 bytes or more"},
		{"", []string{"encrypt", "-key-file", key, "-in", filepath.Join(dir, "absent"), "-out", out}, 1, "cannot open"},
		{"", []string{"encrypt", "-key-file", key, "-in", dir, "-out", out}, 1, "cannot read"},
		{"", []string{"encrypt", "-key-file", key, "-in", in, "-out", dir}, 1, "it is a directory"},
		{"", []string{"encrypt", "-key-file", key, "-in", in, "-out", filepath.Join(dir, "absent", "x")}, 1, "absent"},
		{"", []string{"encrypt", "-key-file", key, "-in", in, "-out", key}, 1, "which would be lost"},
		{"", []string{"decrypt", "-key-file", key, "-in", file, "-out", out}, 1, `sealed": the only segment does not open: the key, the additional data or the options are wrong`},
		{"", []string{"decrypt", "-key-file", other, "-segment", "4096", "-in", file, "-out", out}, 1, "segment 0 does not open: the key"},
		{"", []string{"decrypt", "-key-file", key, "-segment", "4096", "-aad", "x", "-in", file, "-out", out}, 1, "segment 0 does not open: the key, the additional data"},
		{secret + secret, []string{"decrypt", "-segment", "4096", "-in", file, "-out", out}, 1, "the stream begins with 24 and not with 40"},
		{"", []string{"decrypt", "-key-file", key, "-segment", "4096", "-in", in, "-out", out}, 1, "the stream begins with"},
		{"", []string{"decrypt", "-key-file", key, "-segment", "4096", "-in", none, "-out", out}, 1, "truncated"},
		{"", []string{"decrypt", "-key-file", key, "-segment", "4096", "-in", cut, "-out", out}, 1, `cut": the stream ends after segment 1, which is not its last: it is truncated`},
		{"", []string{"decrypt", "-key-file", key, "-segment", "4096", "-in", torn, "-out", out}, 1, "segment 2, the last, does not open: the stream is truncated or corrupt"},
		{"", []string{"decrypt", "-key-file", key, "-segment", "4096", "-in", swapped, "-out", out}, 1, "segment 1 does not open: it is corrupt or out of its place"},
		{"", []string{"decrypt", "-key-file", key, "-segment", "4096", "-in", corrupt, "-out", out}, 1, "segment 1 does not open: it is corrupt"},
		{"", []string{"decrypt", "-key-file", key, "-segment", "4096", "-in", corrupt, "-out", filepath.Join(dir, "new")}, 1, "segment 1 does not open: it is corrupt"},
	} {
		t.Setenv(keyVariable, c.variable)
		status, stdout, stderr := call(c.args...)
		if status != c.status || !strings.Contains(stderr, c.say) {
			t.Errorf("gcm %q: status %d, %q; want status %d and %q", c.args, status, stderr, c.status, c.say)
		}
		if stdout != "" {
			t.Errorf("gcm %q: printed %q", c.args, stdout)
		}
		if !strings.HasPrefix(stderr, "gcm: ") || strings.Count(stderr, "\n") != 1 {
			t.Errorf("gcm %q: not one sentence: %q", c.args, stderr)
		}
		if strings.Contains(stderr, secret[:8]) && !strings.Contains(c.say, "unexpected") {
			t.Errorf("gcm %q tells the key: %q", c.args, stderr)
		}
		if after := names(t, dir); !slices.Equal(after, before) {
			t.Fatalf("gcm %q: files %q, before %q", c.args, after, before)
		}
		if string(read(t, out)) != "as it was" {
			t.Fatalf("gcm %q changed what it should replace only as a whole", c.args)
		}
	}
}

// A key file that others may read or change is refused.
func TestKeyFileMode(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have no such modes here")
	}
	t.Setenv(keyVariable, "")
	key := write(t, t.TempDir(), "key", someText(32))
	for mode := range modes(0o100) {
		if err := os.Chmod(key, 0o400|mode); err != nil {
			t.Fatal(err)
		}
		_, err := filter(encrypt, nil, "-key-file", key)
		if (err == nil) != (mode == 0) {
			t.Errorf("mode %04o: %v", mode, err)
		}
		if want := fmt.Sprintf("(mode %04o): chmod 600 it", 0o400|mode); err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("mode %04o: %v, want %q", mode, err, want)
		}
	}
}

// modes are those below n.
func modes(n os.FileMode) func(func(os.FileMode) bool) {
	return func(yield func(os.FileMode) bool) {
		for mode := os.FileMode(0); mode < n && yield(mode); mode++ {
		}
	}
}

// To a pipe decrypt hands out what lies before a fault, and nothing else.
func TestDecryptToPipe(t *testing.T) {
	t.Setenv(keyVariable, strings.Repeat("7", 64))
	text := someText(10 * 4096)
	sealed, err := filter(encrypt, text, "-segment", "4096")
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; n < len(sealed); n += 777 {
		got, err := filter(decrypt, sealed[:n], "-segment", "4096")
		whole := max(0, n/4096*(4096-16)-40)
		if err == nil || !bytes.Equal(got, text[:whole]) && !bytes.Equal(got, text[:max(0, whole-4080)]) {
			t.Errorf("cut to %d bytes: %d bytes, %v", n, len(got), err)
		}
	}
}

// The file that is replaced keeps its mode, a link to it stays a link, and it may
// be the input, too.
func TestReplace(t *testing.T) {
	t.Setenv(keyVariable, strings.Repeat("7", 64))
	dir := t.TempDir()
	text := someText(5000)
	name := write(t, dir, "file", text)
	link := filepath.Join(dir, "link")
	if err := os.Symlink("file", link); err != nil {
		t.Skip(err)
	}
	if err := os.Chmod(name, 0o640); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"encrypt", "decrypt"} {
		if status, _, stderr := call(command, "-in", link, "-out", link); status != 0 {
			t.Fatal(stderr)
		}
		if (command == "encrypt") == bytes.Equal(read(t, name), text) {
			t.Errorf("%s does not do it in place", command)
		}
		info, err := os.Lstat(name)
		if err != nil || info.Mode().Perm() != 0o640 && runtime.GOOS != "windows" {
			t.Errorf("mode %v, %v", info.Mode(), err)
		}
		if to, err := os.Readlink(link); err != nil || to != "file" {
			t.Errorf("the link is to %q, %v", to, err)
		}
	}
	if left := names(t, dir); !slices.Equal(left, []string{"file", "link"}) {
		t.Errorf("files %q", left)
	}
	dangling := filepath.Join(dir, "dangling")
	os.Symlink("absent", dangling)
	if status, _, stderr := call("encrypt", "-in", name, "-out", dangling); status != 1 || !strings.Contains(stderr, "cannot follow link") {
		t.Errorf("status %d, %s", status, stderr)
	}
}

func TestBar(t *testing.T) {
	for _, c := range []struct {
		read, size int64
		elapsed    time.Duration
		width      int
		want       string
	}{
		{0, 1 << 30, time.Second, 79, "  0% [..............................] 0 B of 1.0 GiB, 0 B/s, ? left"},
		{256 << 20, 1 << 30, time.Second, 79, " 25% [#######.......................] 256 MiB of 1.0 GiB, 256 MiB/s, 0:03 left"},
		{1 << 30, 1 << 30, 2 * time.Second, 79, "100% [##############################] 1.0 GiB of 1.0 GiB, 512 MiB/s, 0:00 left"},
		{2 << 30, 1 << 30, 2 * time.Second, 79, "100% [##############################] 2.0 GiB of 1.0 GiB, 1.0 GiB/s, 0:00 left"},
		{5 << 40, 1 << 50, 24 * time.Hour, 79, "  0% [.........................] 5.0 TiB of 1.0 PiB, 61 MiB/s, 4891:12:00 left"},
		{256 << 20, 1 << 30, time.Second, 60, " 25% [##.........] 256 MiB of 1.0 GiB, 256 MiB/s, 0:03 left"},
		{256 << 20, 1 << 30, time.Second, 50, " 25%  256 MiB of 1.0 GiB, 256 MiB/s, 0:03 left"},
		{256 << 20, 1 << 30, time.Second, 10, " 25%  256 "},
		{256 << 20, 1 << 30, time.Second, -1, ""},
		{0, 0, time.Second, 79, "100% [##############################] 0 B of 0 B, 0 B/s, ? left"},
		{12345, -1, 75 * time.Second, 79, "12 KiB, 165 B/s, 1:15"},
	} {
		if got := bar(c.read, c.size, c.elapsed, c.width); got != c.want {
			t.Errorf("%+v:\n%q, want\n%q", c, got, c.want)
		}
	}
}
