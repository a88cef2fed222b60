// SPDX-License-Identifier: ISC

package main

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/stitchgcm/gcm"
)

// checkSizes are the message sizes, in bytes, of the table that check prints.
var checkSizes = []int{16, 64, 256, 1350, 16384, 1 << 20}

func check(args []string, stdout io.Writer) error {
	fs := flag.NewFlagSet("check", flag.ContinueOnError)
	p := paceFlags(fs)
	if done, err := parse(fs, args, 1, stdout); done || err != nil {
		return err
	}
	if fs.NArg() == 0 {
		return usageError("check: no file given; name the file to seal and open")
	}
	if err := p.check("check"); err != nil {
		return err
	}
	name, err := chosen()
	if err != nil {
		return err
	}
	text, err := readFile(fs.Arg(0))
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "file    %s, %d bytes\nkernel  %s\n", fs.Arg(0), len(text), name)

	for _, bits := range []int{128, 192, 256} {
		if err := checkBits(text, []byte(filepath.Base(fs.Arg(0))), bits); err != nil {
			return fmt.Errorf("AES-%d, kernel %s: %w", bits, name, err)
		}
		fmt.Fprintf(stdout, "AES-%d sealed and opened: every byte as from crypto/cipher, a forged bit refused\n", bits)
	}

	fmt.Fprintln(stdout)
	heading(stdout, *p)
	rows, err := race([]int{128}, checkSizes, []string{name}, []string{""}, 0, *p)
	if err != nil {
		return err
	}
	return table(stdout, rows)
}

// readFile reads a regular file of at most maxSize bytes whole.
func readFile(name string) ([]byte, error) {
	st, err := os.Stat(name)
	if err != nil {
		var p *os.PathError
		if errors.As(err, &p) {
			err = p.Err
		}
		return nil, fmt.Errorf("check: cannot read file %q: %w", name, err)
	}
	switch {
	case !st.Mode().IsRegular():
		return nil, fmt.Errorf("check: %q is not a regular file", name)
	case st.Size() > maxSize:
		return nil, fmt.Errorf("check: file %q has %d bytes, more than the %d that check reads into memory", name, st.Size(), maxSize)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("check: cannot read file %q: %w", name, err)
	}
	return text, nil
}

// checkBits seals and opens text under a random key of the given bits.
func checkBits(text, aad []byte, bits int) error {
	key := make([]byte, bits/8)
	rand.Read(key)
	block, err := aes.NewCipher(key)
	if err != nil {
		return err
	}
	std, err := cipher.NewGCM(block)
	if err != nil {
		return err
	}
	ours, err := gcm.New(key)
	if err != nil {
		return err
	}
	return compare(ours, std, text, aad)
}

// compare seals and opens text with ours and std, which hold the same key, and
// returns what differs.
func compare(ours, std cipher.AEAD, text, aad []byte) error {
	nonce := make([]byte, ours.NonceSize())
	rand.Read(nonce)

	sealed := ours.Seal(nil, nonce, text, aad)
	if want := std.Seal(nil, nonce, text, aad); !bytes.Equal(sealed, want) {
		return errors.New("sealed bytes differ from crypto/cipher's")
	}
	opened, err := ours.Open(nil, nonce, sealed, aad)
	if err != nil {
		return fmt.Errorf("cannot open what was sealed: %w", err)
	}
	if !bytes.Equal(opened, text) {
		return errors.New("opened bytes differ from the file's")
	}

	sealed[len(sealed)/2] ^= 1
	if _, err := ours.Open(opened[:0], nonce, sealed, aad); err == nil {
		return errors.New("a forged bit went unnoticed")
	}
	for _, b := range opened {
		if b != 0 {
			return errors.New("a failed Open left bytes behind")
		}
	}
	return nil
}
