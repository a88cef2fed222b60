// SPDX-License-Identifier: ISC

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/stitchgcm/gcm/internal/foreign"
)

// importForeign brings in the kernel of others that a manifest describes, or
// with check compares what is there with the tree, byte for byte.
func importForeign(root, tree, manifestName string, check bool) error {
	manifest, err := os.ReadFile(manifestName)
	if err != nil {
		return err
	}
	m, files, err := foreign.Import(manifest, os.DirFS(tree), os.DirFS(root))
	if err != nil {
		return err
	}
	if check {
		for _, f := range files {
			if err := compare(root, file{f.Name, f.Data}, "import-asm -manifest without -check"); err != nil {
				return fmt.Errorf("%s: %w", m.Name, err)
			}
		}
		fmt.Printf("%d files of %s are up to date\n", len(files), m.Name)
		return nil
	}
	return install(root, m, files)
}

// install writes the files of a kernel: its folder appears as a whole.
func install(root string, m *foreign.Manifest, files []foreign.File) error {
	slot, err := os.ReadFile(filepath.Join(root, m.Slot()))
	if err == nil && !strings.Contains(string(slot), "/"+m.Dir()+"\"\n") {
		return fmt.Errorf("%s links another kernel; delete it and that kernel's folder first", m.Slot())
	}
	dir := filepath.Join(root, m.Dir())
	tmp, err := os.MkdirTemp(filepath.Dir(dir), ".import-asm-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	fresh := filepath.Join(tmp, "new")
	if err := os.Mkdir(fresh, 0o755); err != nil {
		return err
	}
	for _, f := range files {
		if name, ok := strings.CutPrefix(f.Name, m.Dir()+"/"); ok {
			if err := write(filepath.Join(fresh, name), f.Data); err != nil {
				return err
			}
		}
	}
	// The old folder steps aside, and comes back where the new one cannot come.
	old := filepath.Join(tmp, "old")
	moved := os.Rename(dir, old)
	if moved != nil && !os.IsNotExist(moved) {
		return moved
	}
	back := func(err error) error {
		os.RemoveAll(dir)
		if moved == nil {
			os.Rename(old, dir)
		}
		return err
	}
	if err := os.Rename(fresh, dir); err != nil {
		return back(err)
	}
	for _, f := range files { // licence and slot, the slot last
		if !strings.HasPrefix(f.Name, m.Dir()+"/") {
			if err := write(filepath.Join(root, f.Name), f.Data); err != nil {
				return back(err)
			}
		}
	}
	return nil
}

// verifyForeign compares the kernels that were brought in with their locks.
func verifyForeign(root string) error {
	locks, err := filepath.Glob(filepath.Join(root, "third_party", "*", foreign.LockName))
	if err != nil {
		return err
	}
	for _, name := range locks {
		lock, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		kernel := filepath.Base(filepath.Dir(name))
		n, err := foreign.Verify(lock, os.DirFS(root))
		if err != nil {
			return fmt.Errorf("third_party/%s: %w", kernel, err)
		}
		fmt.Printf("%d files of %s are those of its lock\n", n, kernel)
	}
	return nil
}
