// SPDX-License-Identifier: ISC

package documents

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

const root = "../.."

// A command is one that a document shows, up to what explains it.
type command struct {
	shown string
	run   string // what this test runs for it: the same, or less work of the same kind
	by    string // or else a file, and a line of it that runs the command or begins the test that does
}

const (
	testReadme  = "cmd/gcm/crypt_unix_test.go: func TestReadme("
	testForeign = "import-asm/foreign_test.go: func TestForeign("
	seconds     = " -sizes 16 -bits 128 -time 1ms -turns 1"
)

// commands are all commands that the documents show. An entry stands for what
// begins with it and goes on in brackets or with a file's name, too.
var commands = []command{
	{"make", "make help", ""},
	{"make help", "make help", ""},
	{"make run", "make run FILE=go.mod", ""},
	{"make run FILE=name", "make run FILE=go.mod", ""},
	{"make clean", "make clean", ""},
	{"make test", "", ".ci/run: make test"},
	{"make prove", "", "scripts/test: make prove"},
	{"make prove-mutants", "", ".ci/run: make prove-mutants"},
	{"make regenerate", "", "scripts/clean-check: go run ./import-asm"},
	{"make check", "", ".ci/run: make check"},
	{"make clean-check", "", ".ci/run: make clean-check"},
	{"make platforms", "", ".ci/run: make platforms"},
	{"make workflows", "", ".ci/run: make workflows"},
	{"make windows", "", ".ci/run: make windows"},
	{"make native", "", ".github/workflows/test.yml: make native"},
	{"make bench", "go run ./cmd/gcm speed" + seconds, ""},
	{"make record", "go run ./cmd/gcm speed -json -kernels all" + seconds, ""},
	{"make performance", "go run ./cmd/performance -check", ""},
	{"make stream-speed", "cd interop && go run ./speed -size 1048576 -turns 1", ""},
	{"make arm64-cost", "", "cmd/arm64-cost/main_test.go: func TestWrong("},
	{"make soak", "go run ./cmd/soak -time 1s", ""},
	{"make fuzz", "", "fuzz_test.go: func FuzzDifferential("},
	{".ci/run", "", ".github/workflows/test.yml: .ci/run"},

	{"gcm info", "go run ./cmd/gcm info", ""},
	{"gcm check", "make run FILE=go.mod", ""},
	{"gcm speed", "go run ./cmd/gcm speed" + seconds, ""},
	{"gcm speed -json", "go run ./cmd/gcm speed -json" + seconds, ""},
	{"gcm speed -door", "go run ./cmd/gcm speed -door direct" + seconds, ""},
	{"gcm speed -door direct,cgo,pieces", "go run ./cmd/gcm speed -door direct" + seconds, ""},
	{"gcm speed -batch 64", "go run ./cmd/gcm speed -batch 64" + seconds, ""},
	{"go run ./cmd/gcm speed", "go run ./cmd/gcm speed" + seconds, ""},
	{"go run ./cmd/gcm speed -sizes 1350,0-512", "go run ./cmd/gcm speed -sizes 1350,0-512 -bits 128 -time 1ms -turns 1", ""},
	{"gcm encrypt", "", testReadme},
	{"gcm decrypt", "", testReadme},
	{"go install ./cmd/gcm", "go build -o /dev/null ./cmd/gcm", ""},

	{"go run ./import-asm -schedule KERNEL", "go run ./import-asm -schedule eor3", ""},
	{"go run ./import-asm -schedule vaes-avx512", "go run ./import-asm -schedule vaes-avx512", ""},
	{"import-asm -schedule", "go run ./import-asm -schedule eor3", ""},
	{"go run ./import-asm -check", "", "Makefile: $(GO) run ./import-asm -check"},
	{"go run ./import-asm -tree DIR -manifest FILE", "", testForeign},
	{"go run ./import-asm -tree DIR -manifest FILE -check", "", testForeign},
	{"go test -tags stitchgcm_foreign .", "", "import-asm/foreign_test.go: func TestForeignRuns("},
	{"go run ./cmd/prove -kernel eor3 -bits 192 -op seal -parts", "go run ./cmd/prove -kernel eor3 -bits 192 -op seal -parts", ""},
	{"go mod vendor", "", "internal/consumers/consumers_test.go: vendor"},
	{"go vet", "", "Makefile: $(GO) vet ./..."},
	{"go test", "", "scripts/test: go test"},
}

var (
	indented = regexp.MustCompile(`(?m)^    ((?:make|go|gcm|scripts/|\.ci/)\S*.*)$`)
	shell    = regexp.MustCompile("(?s)```sh\n(.*?)```")
	inline   = regexp.MustCompile("`((?:make|go (?:run|test|build|install|vet|mod)|gcm [a-z]|\\.ci/|scripts/\\w)[^`\n]*)`")
	fence    = regexp.MustCompile("(?s)```.*?```")
	explains = regexp.MustCompile(`   *\S.*$|\s#.*$`) // behind a command, at some distance
	tests    = regexp.MustCompile(`^go test((?: (?:\.|\./\S+))+)$`)
	timed    = regexp.MustCompile(`^gcm speed -json .*-sizes`) // in docs/PERFORMANCE.md, of scripts/record
	bracket  = regexp.MustCompile(` [-\[$'A-Z].*$`)
)

// shown returns the commands that a document shows.
func shown(text string) (all []string) {
	for _, m := range indented.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
		all = append(all, m[1])
	}
	for _, m := range shell.FindAllStringSubmatch(text, -1) {
		for line := range strings.Lines(m[1]) {
			for part := range strings.SplitSeq(line, " | ") {
				if part = strings.TrimSpace(part); strings.HasPrefix(part, "gcm ") || strings.HasPrefix(part, "go ") {
					all = append(all, part)
				}
			}
		}
	}
	for _, m := range inline.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
		all = append(all, m[1])
	}
	for i := range all {
		all[i] = strings.TrimSpace(explains.ReplaceAllString(all[i], ""))
	}
	return all
}

// documents returns all documents by name, relative to the root.
func documents(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, pattern := range []string{"*.md", "docs/*.md", "third_party/README.md"} {
		names, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(names) == 0 {
			t.Fatal(pattern, err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			rel, _ := filepath.Rel(root, name)
			texts[filepath.ToSlash(rel)] = string(text)
		}
	}
	return texts
}

// find returns the entry of a command, by its whole text, or else without what
// stands in brackets or is an option.
func find(c string) *command {
	for _, name := range []string{c, bracket.ReplaceAllString(c, "")} {
		if i := slices.IndexFunc(commands, func(k command) bool { return k.shown == name }); i >= 0 {
			return &commands[i]
		}
	}
	return nil
}

// TestCommands finds each command that a document shows in the table, and runs
// it, or sees that something else does.
func TestCommands(t *testing.T) {
	if os.Getenv("GCM_TEST_EXEC") != "" || runtime.GOOS != "linux" {
		t.Skip("runs the tools of the module, on Linux, natively")
	}
	needed := map[string]bool{}
	for name, text := range documents(t) {
		for _, c := range shown(text) {
			if m := tests.FindStringSubmatch(c); m != nil {
				for dir := range strings.FieldsSeq(m[1]) {
					if found, _ := filepath.Glob(filepath.Join(root, dir, "*_test.go")); len(found) == 0 {
						t.Errorf("%s shows %q, and %s has no test", name, c, dir)
					}
				}
				continue
			}
			if timed.MatchString(c) {
				c = "gcm speed -json"
			}
			k := find(c)
			if k == nil {
				t.Errorf("%s shows %q, which no test is known to run", name, c)
				continue
			}
			needed[k.shown] = true
		}
	}
	runs := map[string]string{}
	for _, k := range commands {
		if k.run != "" {
			if needed[k.shown] {
				runs[k.run] = k.shown
			}
			continue
		}
		file, line, _ := strings.Cut(k.by, ": ")
		if text, err := os.ReadFile(filepath.Join(root, file)); needed[k.shown] && (err != nil || !strings.Contains(string(text), line)) {
			t.Errorf("%q is to be run by %q in %s, but is not: %v", k.shown, line, file, err)
		}
	}
	if testing.Short() {
		return
	}
	_, err := os.Stat(filepath.Join(root, "gcm"))
	if os.IsNotExist(err) {
		defer os.Remove(filepath.Join(root, "gcm")) // of make run
	}
	for run, k := range runs {
		cmd := exec.Command("sh", "-ec", run)
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%q for %q: %v\n%s", run, k, err, out)
		}
	}
}

// TestTargets wants each target of make in make help, and the other way round.
func TestTargets(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	var targets, helped []string
	for _, m := range regexp.MustCompile(`(?m)^([a-z0-9-]+):`).FindAllStringSubmatch(string(text), -1) {
		if m[1] != "help" {
			targets = append(targets, m[1])
		}
	}
	for _, m := range regexp.MustCompile(`@echo 'make ([a-z0-9-]+) `).FindAllStringSubmatch(string(text), -1) {
		helped = append(helped, m[1])
	}
	slices.Sort(targets)
	slices.Sort(helped)
	if !slices.Equal(targets, helped) {
		t.Errorf("targets %q, and make help names %q", targets, helped)
	}
}
