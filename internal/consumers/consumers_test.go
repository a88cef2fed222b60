// SPDX-License-Identifier: ISC

package consumers

import (
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stitchgcm/gcm"
	"github.com/stitchgcm/gcm/internal/emit"
)

// program compares the best kernel with crypto/cipher. As a library it exports
// Check, and as a plugin it is looked up.
const program = `package main

import "C"

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"fmt"
	"os"

	"github.com/stitchgcm/gcm"
)

//export Check
func Check() C.int {
	for _, size := range []int{16, 24, 32} {
		block, _ := aes.NewCipher(make([]byte, size))
		std, _ := cipher.NewGCM(block)
		a, err := gcm.New(make([]byte, size))
		if err != nil || a.Kernel() != os.Getenv("WANT_KERNEL") {
			fmt.Println(a.Kernel(), err)
			return 1
		}
		for _, n := range []int{0, 1, 16, 1000, 5000, 40001} {
			nonce, text := make([]byte, 12), make([]byte, n)
			sealed := a.Seal(nil, nonce, text, text)
			opened, err := a.Open(nil, nonce, sealed, text)
			if !bytes.Equal(sealed, std.Seal(nil, nonce, text, text)) || err != nil || !bytes.Equal(opened, text) {
				fmt.Println("differs at", n)
				return 2
			}
		}
	}
	return 0
}

func main() { os.Exit(int(Check())) }
`

const hostC = "int Check(void);\nint main(void) { return Check(); }\n"

const hostPlugin = `package main

import (
	"os"
	"plugin"
)

func main() {
	p, err := plugin.Open(os.Args[1])
	if err != nil {
		panic(err)
	}
	if _, err := p.Lookup("Check"); err != nil {
		panic(err)
	}
}
`

// A consumer is a directory with the program in it.
type consumer struct {
	t   *testing.T
	dir string
	env []string
}

func newConsumer(t *testing.T, env ...string) *consumer {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "linux" || os.Getenv("GCM_TEST_EXEC") != "" || gcm.Kernels()[0] == "generic" {
		t.Skip("builds on Linux, natively, with a kernel")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip(err)
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	_, requirements, _ := strings.Cut(string(mod), "\n")
	c := &consumer{t, t.TempDir(), append(env, "WANT_KERNEL="+gcm.Kernels()[0], "GOFLAGS=-mod=mod", "GOWORK=off")}
	c.write("go.sum", string(sum))
	c.write("go.mod", "module consumer.test\n"+requirements+
		"\nrequire github.com/stitchgcm/gcm v0.0.0\nreplace github.com/stitchgcm/gcm => "+root+"\n")
	c.write("main.go", program)
	c.write("c/host.c", hostC)
	c.write("host/main.go", hostPlugin)
	return c
}

func (c *consumer) write(name, text string) {
	c.t.Helper()
	name = filepath.Join(c.dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
		c.t.Fatal(err)
	}
}

// run runs a command in the directory.
func (c *consumer) run(args ...string) {
	c.t.Helper()
	if out, err := c.command(args...).CombinedOutput(); err != nil {
		c.t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// command is a command in the directory.
func (c *consumer) command(args ...string) *exec.Cmd {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Env = c.dir, append(os.Environ(), c.env...)
	return cmd
}

// build builds the program with more flags and checks that it has no
// executable stack and needs no relocation of code.
func (c *consumer) build(flags ...string) {
	c.t.Helper()
	c.run(append(append([]string{"go", "build", "-o", "out"}, flags...), ".")...)
	f, err := elf.Open(filepath.Join(c.dir, "out"))
	if err != nil {
		return // an archive
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type == elf.PT_GNU_STACK && p.Flags&elf.PF_X != 0 {
			c.t.Error("the stack is executable")
		}
	}
	if v, _ := f.DynValue(elf.DT_TEXTREL); len(v) > 0 {
		c.t.Error("code needs relocation")
	}
	symbols, _ := f.DynamicSymbols()
	for _, s := range symbols {
		if strings.HasPrefix(s.Name, emit.Prefix) {
			c.t.Errorf("symbol %s is visible", s.Name)
		}
	}
}

// clang returns the name of a clang; "" without one.
func clang() string {
	for _, cc := range []string{"clang-19", "clang"} {
		if _, err := exec.LookPath(cc); err == nil {
			return cc
		}
	}
	return ""
}

// TestCompilerFlags builds with what users set in the environment.
func TestCompilerFlags(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	oldest := "CGO_CFLAGS=-march=armv8-a"
	if runtime.GOARCH == "amd64" {
		oldest = "CGO_CFLAGS=-march=x86-64 -masm=intel"
	}
	sets := [][]string{{}, {"CGO_CFLAGS=-O0"}, {"CGO_CFLAGS=-O3"}, {"CGO_CFLAGS=-O3 -flto", "CGO_LDFLAGS=-flto"}, {oldest}}
	if cc := clang(); cc != "" {
		sets = append(sets, []string{"CC=" + cc}, []string{"CC=" + cc, "CGO_CFLAGS=-O0"}, []string{"CC=" + cc, "CGO_CFLAGS=-O3"})
		if _, err := exec.LookPath("ld.lld" + strings.TrimPrefix(cc, "clang")); err == nil { // a linker for clang's -flto
			sets = append(sets, []string{"CC=" + cc, "CGO_CFLAGS=-O3 -flto", "CGO_LDFLAGS=-flto -fuse-ld=lld"})
		}
	}
	for _, env := range sets {
		t.Run(fmt.Sprint(env), func(t *testing.T) {
			c := newConsumer(t, env...)
			c.build()
			c.run("./out")
		})
	}
}

// withoutCgo makes the program one that needs no cgo.
var withoutCgo = strings.NewReplacer("import \"C\"\n\n", "", "//export Check\n", "", "C.int", "int")

// TestWithoutCgo builds without cgo, in the ways that need none, and wants the
// same kernel.
func TestWithoutCgo(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	for _, flags := range [][]string{nil, {"-buildmode=pie"}, {"-trimpath", "-ldflags=-s -w"}} {
		c := newConsumer(t, "CGO_ENABLED=0")
		c.write("main.go", withoutCgo.Replace(program))
		c.build(flags...)
		c.run("./out")
	}
}

// TestVendored builds from a vendor directory, to which the go command copies
// only folders with Go files in them.
func TestVendored(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	c := newConsumer(t)
	c.env = append(c.env, "GOFLAGS=")
	c.run("go", "mod", "vendor")
	c.build("-mod=vendor")
	c.run("./out")
}

// TestTwoMajors links the module beside a copy that differs from it as another
// major version would: in its path, and in one line of a header, which is enough to
// change all of its C symbols. Where two objects define one symbol, linkers refuse
// both.
func TestTwoMajors(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	c := newConsumer(t)
	path := strings.NewReplacer("github.com/stitchgcm/gcm", "github.com/stitchgcm/gcm/v99")
	line := "#define STITCHGCM_SYMBOL(name) " + emit.Prefix + "##name\n"
	for _, dir := range []string{".", "cshim", "internal/direct", "internal/dispatch"} {
		entries, err := os.ReadDir(filepath.Join("../..", dir))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if e.IsDir() || strings.HasSuffix(e.Name(), "_test.go") || !slices.Contains([]string{".go", ".mod", ".c", ".h", ".S", ".s"}, filepath.Ext(e.Name())) {
				continue
			}
			data, err := os.ReadFile(filepath.Join("../..", dir, e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			text := path.Replace(string(data))
			if e.Name() == "symbols.h" {
				other := strings.Replace(text, line, strings.Replace(line, emit.Prefix, "stitchgcm_v99_", 1), 1)
				if other == text {
					t.Fatalf("no %q in %s", line, e.Name())
				}
				text = other
			}
			c.write(filepath.Join("copy", dir, e.Name()), text)
		}
	}
	c.write("main.go", strings.NewReplacer(
		"\t\"github.com/stitchgcm/gcm\"\n", "\tother \"github.com/stitchgcm/gcm/v99\"\n\t\"github.com/stitchgcm/gcm\"\n",
		"a.Open(", "must(other.New(make([]byte, size))).Open(",
	).Replace(program)+`
func must(a *other.AEAD, err error) *other.AEAD {
	if err != nil || a.Kernel() != os.Getenv("WANT_KERNEL") {
		panic(err)
	}
	return a
}
`)
	c.run("go", "mod", "edit", "-require=github.com/stitchgcm/gcm/v99@v99.0.0", "-replace=github.com/stitchgcm/gcm/v99=./copy")
	c.build()
	c.run("./out")
}

// withOpenSSL is a part of the program that seals with OpenSSL.
const withOpenSSL = `package main

/*
#cgo LDFLAGS: -lcrypto
#include <openssl/evp.h>

static int seal(unsigned char *out, const unsigned char *key, const unsigned char *nonce, const unsigned char *text, int len)
{
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
	int n, ok = c && EVP_EncryptInit_ex(c, EVP_aes_256_gcm(), NULL, key, nonce) == 1
		&& EVP_EncryptUpdate(c, NULL, &n, text, len) == 1
		&& EVP_EncryptUpdate(c, out, &n, text, len) == 1
		&& EVP_EncryptFinal_ex(c, out + n, &n) == 1
		&& EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, 16, out + len) == 1;
	EVP_CIPHER_CTX_free(c);
	return ok;
}
*/
import "C"

func openssl(key, nonce, text []byte) []byte {
	out := make([]byte, len(text)+16)
	if C.seal((*C.uchar)(&out[0]), (*C.uchar)(&key[0]), (*C.uchar)(&nonce[0]), (*C.uchar)(&text[0]), C.int(len(text))) != 1 {
		panic("OpenSSL does not seal")
	}
	return out
}
`

// TestBesideOpenSSL links OpenSSL into the same program and wants the same of both,
// where OpenSSL's headers are there.
func TestBesideOpenSSL(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	if err := exec.Command("gcc", "-E", "-include", "openssl/evp.h", "-x", "c", os.DevNull).Run(); err != nil {
		t.Skip("no headers of OpenSSL")
	}
	c := newConsumer(t)
	c.write("openssl.go", withOpenSSL)
	c.write("main.go", strings.Replace(program, "\t\t\topened, err :=", `
			if n > 0 && size == 32 && !bytes.Equal(sealed, openssl(make([]byte, 32), nonce, text)) {
				fmt.Println("OpenSSL differs at", n)
				return 3
			}
			opened, err :=`, 1))
	c.build()
	c.run("./out")
}

// TestBuildModes builds in the other modes of the go command. It runs only
// where GCM_LONG is set, for these compile the standard library anew.
func TestBuildModes(t *testing.T) {
	if os.Getenv("GCM_LONG") == "" {
		t.Skip("builds a lot: set GCM_LONG=1")
	}
	for _, flags := range [][]string{
		{"-buildmode=pie"}, {"-race"}, {"-asan"}, {"-msan"}, {"-gcflags=all=-d=checkptr"},
		{"-tags=netgo,osusergo", "-ldflags=-extldflags=-static"}, {"-trimpath", "-ldflags=-s -w"},
	} {
		t.Run(strings.Join(flags, " "), func(t *testing.T) {
			c := newConsumer(t)
			if flags[0] == "-msan" { // which only clang has
				cc := clang()
				if cc == "" {
					t.Skip("no clang")
				}
				c.env = append(c.env, "CC="+cc)
			}
			c.build(flags...)
			c.run("./out")
		})
	}
	t.Run("musl", func(t *testing.T) {
		if _, err := exec.LookPath("musl-gcc"); err != nil {
			t.Skip("no musl")
		}
		c := newConsumer(t, "CC=musl-gcc")
		c.build("-ldflags=-linkmode=external -extldflags=-static")
		c.run("./out")
	})
	t.Run("GOEXPERIMENT=cgocheck2", func(t *testing.T) {
		c := newConsumer(t, "GOEXPERIMENT=cgocheck2")
		c.build()
		c.run("./out")
	})
	for _, mode := range []string{"c-shared", "c-archive"} {
		t.Run(mode, func(t *testing.T) {
			c := newConsumer(t)
			c.build("-buildmode=" + mode)
			c.run("gcc", "-o", "host.out", "c/host.c", "./out", "-lpthread", "-Wl,-rpath,"+c.dir)
			c.run("./host.out")
		})
	}
	t.Run("plugin", func(t *testing.T) {
		c := newConsumer(t)
		c.build("-buildmode=plugin")
		c.run("go", "run", "./host", "./out")
	})
}
