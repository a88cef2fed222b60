// SPDX-License-Identifier: ISC

package foreign

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
)

// A File is one file to write. Its name is relative to the module's root.
type File struct {
	Name string
	Data []byte
}

// Dir is the folder of a kernel.
func (m *Manifest) Dir() string { return "third_party/" + m.Name }

// Slot is the name of the file that links the kernel for an architecture.
func (m *Manifest) Slot() string { return "third_party/kernel_" + m.Architecture + ".go" }

// licenceName is the name of the licence's copy in LICENSES.
func (m *Manifest) licenceName() string { return "LicenseRef-" + m.Name + ".txt" }

var notInNames = regexp.MustCompile(`[^a-z0-9]+`)

// headers are files of cshim of which each kernel gets a copy: go build does not
// see changes outside of a folder.
var headers = []string{"foreign.h", "gcm.h", "symbols.h"}

// Import makes the files of the kernel that a manifest describes, out of the tree
// and the root of this module. One of them is the lock, which has the hashes of
// all that was read and made.
func Import(manifest []byte, tree, root fs.FS) (*Manifest, []File, error) {
	m, err := ReadManifest(manifest)
	if err != nil {
		return nil, nil, err
	}
	lock := lockOf(manifest)
	read := func(name string) ([]byte, error) {
		data, err := fs.ReadFile(tree, name)
		if err != nil {
			return nil, fmt.Errorf("%s of the tree cannot be read: %w", name, err)
		}
		lock.in(name, data)
		return data, nil
	}
	var sources []*source
	bases := map[string]string{}
	for _, name := range m.Files {
		data, err := read(name)
		if err != nil {
			return nil, nil, err
		}
		base := baseName(name)
		if bases[base] != "" {
			return nil, nil, fmt.Errorf("%s and %s would both give %s", bases[base], name, base)
		}
		bases[base] = name
		statements, err := m.preprocess(name, string(data))
		if err != nil {
			return nil, nil, err
		}
		s, err := cut(name, statements, m.functions())
		if err != nil {
			return nil, nil, err
		}
		sources = append(sources, s)
	}
	licence, err := read(m.Licence)
	if err != nil {
		return nil, nil, err
	}
	if err := extract(sources, m.functions()); err != nil {
		return nil, nil, err
	}
	m.labels = map[string]bool{}
	for _, s := range sources {
		for label := range s.owner {
			m.labels[label] = true
		}
	}

	var files []File
	add := func(name string, data []byte) {
		files = append(files, File{name, data})
		lock.out(name, data)
	}
	for _, s := range sources {
		for _, f := range flavours {
			add(fmt.Sprintf("%s/%s_%s_%s.S", m.Dir(), baseName(s.name), f.name, m.Architecture), f.print(m, s))
		}
	}
	for _, h := range headers {
		data, err := fs.ReadFile(root, "cshim/"+h)
		if err != nil {
			return nil, nil, fmt.Errorf("cshim/%s of the module cannot be read: %w", h, err)
		}
		add(m.Dir()+"/"+h, data)
	}
	add(m.Dir()+"/table.c", m.table())
	add(m.Dir()+"/package.go", m.goPackage())
	add("LICENSES/"+m.licenceName(), licence)
	add(m.Slot(), m.slot())
	files = append(files, File{m.Dir() + "/" + LockName, []byte(lock.text.String())})
	return m, files, nil
}

// baseName is what files made of a file of the tree begin with.
func baseName(name string) string {
	base := strings.ToLower(strings.TrimSuffix(path.Base(name), path.Ext(name)))
	return strings.Trim(notInNames.ReplaceAllString(base, "_"), "_")
}

// LockName is the name of the file of hashes in the folder of a kernel.
const LockName = "lock"

// A lock is that file: a line for each file that was read or made, with its
// SHA-256.
type lock struct{ text strings.Builder }

func lockOf(manifest []byte) *lock {
	l := new(lock)
	l.text.WriteString("# SHA-256 of what was read (in) and made (out)\n")
	fmt.Fprintf(&l.text, "in  %x  (manifest)\n", sha256.Sum256(manifest))
	return l
}

func (l *lock) in(name string, data []byte)  { l.line("in ", name, data) }
func (l *lock) out(name string, data []byte) { l.line("out", name, data) }
func (l *lock) line(way, name string, data []byte) {
	fmt.Fprintf(&l.text, "%s %x  %s\n", way, sha256.Sum256(data), name)
}

// Verify compares files with a lock: those that were made, in root.
func Verify(lock []byte, root fs.FS) (files int, err error) {
	for line := range strings.Lines(string(lock)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Fields(line)
		if len(f) != 3 || f[0] != "in" && f[0] != "out" || len(f[1]) != 2*sha256.Size {
			return files, fmt.Errorf("the lock has the line %q", strings.TrimSuffix(line, "\n"))
		}
		if f[0] == "in" {
			continue
		}
		data, err := fs.ReadFile(root, f[2])
		if err != nil {
			return files, fmt.Errorf("%s cannot be read: %w", f[2], err)
		}
		if fmt.Sprintf("%x", sha256.Sum256(data)) != f[1] {
			return files, fmt.Errorf("%s is not what the lock says", f[2])
		}
		files++
	}
	if files == 0 {
		return 0, fmt.Errorf("the lock names no file")
	}
	return files, nil
}
