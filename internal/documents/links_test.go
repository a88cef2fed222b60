// SPDX-License-Identifier: ISC

package documents

import (
	"go/build/constraint"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	link   = regexp.MustCompile(`\]\(([^)#\s]+)(?:#[^)]*)?\)`)
	goCode = regexp.MustCompile("(?s)```go\n(.*?)```")
)

// TestLinks wants a file or a directory at the end of each link, unless it leads
// to another host.
func TestLinks(t *testing.T) {
	for name, text := range documents(t) {
		for _, m := range link.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
			if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "mailto:") {
				continue
			}
			if _, err := os.Stat(filepath.Join(root, filepath.Dir(name), m[1])); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// TestGoCode compiles the Go code in the documents: whole files as they are, and
// statements within a function that has the variables that they use.
func TestGoCode(t *testing.T) {
	if os.Getenv("GCM_TEST_EXEC") != "" {
		t.Skip("compiles natively")
	}
	module, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	_, requirements, _ := strings.Cut(string(mod), "\n")
	count := 0
	for name, text := range documents(t) {
		for _, m := range goCode.FindAllStringSubmatch(text, -1) {
			count++
			dir := t.TempDir()
			for file, text := range map[string]string{
				"go.mod": "module document.test\n" + requirements + "\nrequire github.com/stitchgcm/gcm v0.0.0\nreplace github.com/stitchgcm/gcm => " + module + "\n",
				"go.sum": string(sum), "code.go": program(m[1]),
			} {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			cmd := exec.Command("go", "build", "-mod=mod", ".")
			cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s\n%s", name, err, out, program(m[1]))
			}
		}
	}
	if count < 3 {
		t.Errorf("only %d pieces of Go code were found", count)
	}
}

// program makes a file of a piece of code, for every build.
func program(code string) string {
	if line, rest, _ := strings.Cut(code, "\n"); constraint.IsGoBuild(line) {
		if _, err := constraint.Parse(line); err != nil {
			return line + "\n\n" + rest // the compiler says what is wrong
		}
		code = rest
	}
	const imports = "import \"github.com/stitchgcm/gcm\"\n"
	switch {
	case strings.Contains(code, "\npackage "):
		return code
	case strings.HasPrefix(code, "func "):
		return "package p\n\nimport \"crypto/cipher\"\n" + imports + code
	}
	code = strings.TrimPrefix(code, imports)
	return "package p\n\n" + imports + "func f(key, nonce, plaintext, header []byte) error {\n" + code +
		"\n_ = aead\n" + map[bool]string{true: "_ = opened\n"}[strings.Contains(code, "opened,")] + "return err\n}\n"
}
