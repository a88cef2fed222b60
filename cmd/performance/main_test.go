// SPDX-License-Identifier: ISC

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stitchgcm/gcm/internal/record"
)

// TestRendered compares the page and the plots in the tree with what the result
// files give.
func TestRendered(t *testing.T) {
	if err := run("../..", []string{"-check"}); err != nil {
		t.Error(err)
	}
}

// newTree returns a module with results of two machines and an empty page.
func newTree(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for _, m := range []string{"one", "two"} {
		var sizes, every []any
		r := record.Run{Date: "2026-01-02", Command: "gcm speed " + m, CPU: "Processor of " + m, OS: "linux", Arch: "amd64", Go: "go1.99",
			Cgo: true, Kernels: []string{"fast", "generic"}, AAD: 13, Turns: 7, Time: "9ms"}
		sizes, every = append(sizes, r), append(every, r)
		for _, op := range ops {
			for _, bits := range []int{128, 256} {
				for _, n := range []int{0, 16, 16 << 10} {
					size := float64(n)
					sizes = append(sizes,
						record.Row{Series: record.Series{Impl: record.Stdlib, Op: op, Bits: bits}, Size: n, NS: 20 + size/5, GBPS: 5},
						record.Row{Series: record.Series{Impl: record.GCM, Kernel: "fast", Op: op, Bits: bits}, Size: n, NS: 10 + size/20, GBPS: 19.5, Times: 3.5, Share: 0.75},
						record.Row{Series: record.Series{Impl: record.GCM, Kernel: "generic", Op: op, Bits: bits}, Size: n, NS: 21 + size/5, GBPS: 4.5, Times: 0.99},
						record.Row{Series: record.Series{Impl: record.Limit, Kernel: "fast", Op: op, Bits: bits}, Size: n, NS: size / 25, GBPS: 25})
				}
			}
			every = append(every,
				record.Sweep{Series: record.Series{Impl: record.GCM, Kernel: "fast", Op: op, Bits: 128}, NSEach: []float64{10, 11, 11, 11, 12, 12, 12, 13, 14}},
				record.Sweep{Series: record.Series{Impl: record.Limit, Kernel: "fast", Op: op, Bits: 128}, NSEach: []float64{0, 1, 2, 3, 4, 5, 6, 7, 8}})
		}
		write(t, root, "docs/results/"+m+"/sizes.jsonl", lines(t, sizes))
		write(t, root, "docs/results/"+m+"/every-size.jsonl", lines(t, every))
	}
	write(t, root, page, "# Before\n"+begin+"old\n"+end+"After\n")
	write(t, root, readme, "# Above\n"+begin+end+"Below\n")
	return root
}

func lines(t *testing.T, objects []any) string {
	t.Helper()
	var s strings.Builder
	for _, o := range objects {
		if err := json.NewEncoder(&s).Encode(o); err != nil {
			t.Fatal(err)
		}
	}
	return s.String()
}

func write(t *testing.T, root, name, text string) {
	t.Helper()
	name = filepath.Join(root, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, root, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestRender renders a page with what was timed, keeps what stands around it,
// and finds it up to date then and out of date after a change of anything.
func TestRender(t *testing.T) {
	root := newTree(t)
	if err := run(root, []string{"-check"}); err == nil {
		t.Error("nothing is rendered, and up to date")
	}
	if text := read(t, root, page); !strings.Contains(text, "old\n") {
		t.Error("-check writes")
	}
	if err := run(root, nil); err != nil {
		t.Fatal(err)
	}
	text := read(t, root, page)
	for _, want := range []string{
		"# Before\n" + begin, end + "After\n", "### one\n", "### two\n",
		"Processor of one; linux/amd64, go1.99, with cgo; 2026-01-02.\n", "13 bytes of additional data; 9ms in 7 turns",
		"    gcm speed two\n", "](results/one/aes-256.svg)", "](results/two/every-size-fast-128.svg)",
		"<details><summary>fast, AES-128: 19.5 GB/s sealing 16 KiB, 3.50 times crypto/cipher, 0.75 of the limit</summary>",
		"<details><summary>generic, AES-256: 4.5 GB/s sealing 16 KiB, 0.99 times crypto/cipher</summary>",
		"| 16384 | 829.2 | 19.50 | 3.50 | 0.75 | 829.2 | 19.50 | 3.50 | 0.75 |\n",
		"| 16384 | 3298 | 4.50 | 0.99 | – | 3298 | 4.50 | 0.99 | – |\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(text, "old\n") || strings.Count(text, "| 0 |") != 2*2*2 {
		t.Errorf("the page is\n%s", text)
	}
	text = read(t, root, readme)
	for _, want := range []string{
		"# Above\n" + begin, end + "Below\n", "\nProcessor of two, kernel `fast`, one thread;",
		"| bytes | AES-128 | crypto/cipher | times | AES-256 | crypto/cipher | times |\n|--:|--:|--:|--:|--:|--:|--:|\n| 16 | 10.8 | 23.2 | 3.50 |",
		"![AES-128-GCM: speed over message size, one](docs/results/one/aes-128.svg)",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the README lacks %q:\n%s", want, text)
		}
	}
	svg := read(t, root, "docs/results/one/aes-128.svg")
	for _, want := range []string{"AES-128-GCM", ">GB/s<", ">bytes of plaintext<", ">16K<", ">seal<", ">open<", ">crypto/cipher<", ">fast<", "its port limit"} {
		if !strings.Contains(svg, want) {
			t.Errorf("the plot lacks %q", want)
		}
	}
	if strings.Contains(svg, "generic") {
		t.Error("the plot has a line for generic")
	}
	if err := run(root, []string{"-check"}); err != nil {
		t.Error(err)
	}

	const plotted = "docs/results/two/every-size-fast-128.svg"
	for name, c := range map[string]struct{ file, old, new, want string }{
		"a plot":        {plotted, "<path", "<gone", plotted},
		"the README":    {readme, "| 16 |", "| 17 |", readme},
		"the page":      {page, "| 16384 |", "| 16385 |", page},
		"a time":        {"docs/results/one/sizes.jsonl", `"ns":10.8`, `"ns":10.9`, page},
		"a plotted one": {"docs/results/two/every-size.jsonl", "[10,", "[13,", plotted},
	} {
		good := read(t, root, c.file)
		write(t, root, c.file, strings.Replace(good, c.old, c.new, 1))
		want := c.want + " is not what the result files give; run make performance"
		if err := run(root, []string{"-check"}); err == nil || err.Error() != want {
			t.Errorf("after a change of %s: %v, want %s", name, err, want)
		}
		write(t, root, c.file, good)
	}
}

// TestWrong renders where something is missing or wrong.
func TestWrong(t *testing.T) {
	for name, c := range map[string]struct {
		change func(root string)
		args   []string
		want   string // a part of the error
	}{
		"a wrong flag":        {nil, []string{"-chekc"}, "-chekc"},
		"a wrong word":        {nil, []string{"check"}, `"check"`},
		"no results":          {func(root string) { os.RemoveAll(filepath.Join(root, resultsDir)) }, nil, "run this from the root of the module"},
		"no page":             {func(root string) { os.Remove(filepath.Join(root, page)) }, nil, "PERFORMANCE.md"},
		"no README":           {func(root string) { os.Remove(filepath.Join(root, readme)) }, nil, readme},
		"no marks":            {func(root string) { write(t, root, page, begin) }, nil, page + ": it lacks one of the marks"},
		"one file alone":      {func(root string) { os.Remove(filepath.Join(root, resultsDir, "one", everyFile)) }, nil, everyFile},
		"an empty file":       {func(root string) { write(t, root, resultsDir+"/one/"+sizesFile, "") }, nil, sizesFile + ": record: there is nothing"},
		"something else":      {func(root string) { write(t, root, resultsDir+"/two/"+everyFile, "{\"a\":1}") }, nil, everyFile + `: record: object 1: json: unknown field "a"`},
		"not a single number": {func(root string) { write(t, root, resultsDir+"/two/"+sizesFile, "{}\n") }, nil, sizesFile + ": no times in it"},
	} {
		root := newTree(t)
		if c.change != nil {
			c.change(root)
		}
		if err := run(root, c.args); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error is %v, want one about %q", name, err, c.want)
		}
	}
}

func TestSize(t *testing.T) {
	for n, want := range map[int]string{0: "0", 16: "16", 1350: "1350", 1024: "1K", 1536: "1536", 16 << 10: "16K", 1 << 20: "1M", 1<<20 + 1024: "1025K"} {
		if got := size(n); got != want {
			t.Errorf("size(%d) = %s, want %s", n, got, want)
		}
	}
}

// TestLinear wants axes that end at or above the highest value, not far above,
// and have few ticks.
func TestLinear(t *testing.T) {
	for most := 0.5; most < 5000; most *= 1.07 {
		a := linear("", most)
		if a.To < most || a.To > 1.5*most || len(a.Ticks) < 4 || len(a.Ticks) > 12 || a.Ticks[len(a.Ticks)-1].At != a.To {
			t.Errorf("for %g: %+v", most, a)
		}
	}
}
