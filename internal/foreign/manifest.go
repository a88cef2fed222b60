// SPDX-License-Identifier: ISC

package foreign

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/token"
	"io/fs"
	"regexp"
	"slices"
)

// A Manifest says what to take from a tree. All names of files are relative to
// the tree, with slashes.
type Manifest struct {
	Name         string            `json:"name"`         // of the folder in third_party
	Architecture string            `json:"architecture"` // amd64 or arm64
	InPlaceOf    []string          `json:"inPlaceOf"`    // kernels of this module, whose features are enough
	Files        []string          `json:"files"`        // in GNU syntax
	Defines      map[string]string `json:"defines"`      // macros; what is not among them is not defined
	Ignore       []string          `json:"ignore"`       // #include lines to leave out
	Blocks       int               `json:"blocks"`       // each call does a multiple of so many blocks; 0 is 1
	RoundsLess   int               `json:"roundsLess"`   // what the key schedule's number of rounds is too small by, 0 or 1
	Htable       string            `json:"htable"`       // the function that makes Htable of H
	HashKey      string            `json:"hashKey"`      // how that takes H: words or bytes
	Encrypt      map[string]string `json:"encrypt"`      // functions by key size in bits
	Decrypt      map[string]string `json:"decrypt"`
	Licence      string            `json:"licence"` // file

	labels map[string]bool // of all files
}

// maxBlocks is the greatest Blocks, for which cshim/foreign.c has room.
const maxBlocks = 64

// keyBits are the sizes of keys, in bits.
var keyBits = []string{"128", "192", "256"}

// kernelsOf are the names of kernels in C, by architecture and name.
var kernelsOf = map[string]map[string]string{
	"amd64": {"vaes-avx512": "STITCHGCM_VAES_AVX512", "vaes-avx2": "STITCHGCM_VAES_AVX2", "aesni": "STITCHGCM_AESNI"},
	"arm64": {"eor3": "STITCHGCM_EOR3", "pmull": "STITCHGCM_PMULL"},
}

var (
	goodName   = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	goodSymbol = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// ReadManifest reads a manifest and checks it.
func ReadManifest(data []byte) (*Manifest, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	m := new(Manifest)
	if err := d.Decode(m); err != nil {
		return nil, fmt.Errorf("the manifest cannot be read: %w", err)
	}
	if d.More() {
		return nil, errors.New("the manifest goes on after its end")
	}
	return m, m.check()
}

// check says what is wrong with a manifest.
func (m *Manifest) check() error {
	if !goodName.MatchString(m.Name) || token.IsKeyword(m.Name) {
		return fmt.Errorf("name %q is not one of small letters, digits and _, or means something in Go", m.Name)
	}
	kernels := kernelsOf[m.Architecture]
	if kernels == nil {
		return fmt.Errorf("architecture %q is neither amd64 nor arm64", m.Architecture)
	}
	if len(m.InPlaceOf) == 0 {
		return errors.New("inPlaceOf names no kernel")
	}
	for _, k := range m.InPlaceOf {
		if kernels[k] == "" {
			return fmt.Errorf("inPlaceOf names %q, which is no kernel for %s", k, m.Architecture)
		}
	}
	if len(m.Files) == 0 {
		return errors.New("files names no file")
	}
	for _, f := range append(slices.Clone(m.Files), m.Licence) {
		if !fs.ValidPath(f) || f == "." {
			return fmt.Errorf("%q is no file in the tree", f)
		}
	}
	for name := range m.Defines {
		if !goodSymbol.MatchString(name) {
			return fmt.Errorf("defines has %q, which is no name of a macro", name)
		}
	}
	if m.Blocks < 0 || m.Blocks > maxBlocks {
		return fmt.Errorf("blocks is %d, not 1 to %d", m.Blocks, maxBlocks)
	}
	if m.RoundsLess != 0 && m.RoundsLess != 1 {
		return fmt.Errorf("roundsLess is %d, neither 0 nor 1", m.RoundsLess)
	}
	if m.HashKey != "words" && m.HashKey != "bytes" {
		return fmt.Errorf("hashKey is %q, neither words nor bytes", m.HashKey)
	}
	if len(m.Encrypt) == 0 {
		return errors.New("encrypt names no function")
	}
	for bits := range m.Encrypt {
		if !slices.Contains(keyBits, bits) {
			return fmt.Errorf("encrypt has key size %q, not 128, 192 or 256", bits)
		}
		if m.Decrypt[bits] == "" {
			return fmt.Errorf("decrypt names no function for the key size %s", bits)
		}
	}
	for bits := range m.Decrypt {
		if m.Encrypt[bits] == "" {
			return fmt.Errorf("encrypt names no function for the key size %s", bits)
		}
	}
	for _, f := range m.functions() {
		if !goodSymbol.MatchString(f) {
			return fmt.Errorf("%q is no name of a function", f)
		}
	}
	return nil
}

// functions returns the functions asked for, each once, in a fixed order.
func (m *Manifest) functions() (names []string) {
	add := func(name string) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	add(m.Htable)
	for _, bits := range keyBits {
		if m.Encrypt[bits] != "" {
			add(m.Encrypt[bits])
			add(m.Decrypt[bits])
		}
	}
	return names
}

// blocks is Blocks with its default.
func (m *Manifest) blocks() int { return max(m.Blocks, 1) }
