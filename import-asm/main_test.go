// SPDX-License-Identifier: ISC

package main

import "testing"

// TestGenerated makes every generated file again and compares it with the one
// in the tree, byte for byte.
func TestGenerated(t *testing.T) {
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	files, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if err := compare(root, f); err != nil {
			t.Error(err)
		}
	}
}
