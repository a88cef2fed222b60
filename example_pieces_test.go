// SPDX-License-Identifier: ISC

package gcm_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/stitchgcm/gcm"
)

// A block of a store is encrypted where it lies; its tag goes to an index.
func ExampleAEAD_SealDetached() {
	aead, err := gcm.New(make([]byte, 32)) // the key
	if err != nil {
		fmt.Println(err)
		return
	}
	nonce, tag := make([]byte, aead.NonceSize()), make([]byte, aead.Overhead())
	block := bytes.Repeat([]byte("data"), 1024)
	aead.SealDetached(block[:0], tag, nonce, block, nil)

	_, err = aead.OpenDetached(block[:0], tag, nonce, block, nil)
	fmt.Printf("%s…, %v\n", block[:8], err)
	// Output: datadata…, <nil>
}

// The parts of a packet lie apart and become one message.
func ExampleAEAD_SealGather() {
	aead, err := gcm.New(make([]byte, 32)) // the key
	if err != nil {
		fmt.Println(err)
		return
	}
	nonce := make([]byte, aead.NonceSize())
	kind, payload, padding := []byte{23}, []byte("payload"), make([]byte, 4)
	packet := aead.SealGather(nil, nonce, [][]byte{payload, kind, padding}, nil)

	opened, err := aead.Open(nil, nonce, packet, nil)
	fmt.Printf("%q, %v\n", opened, err)
	// Output: "payload\x17\x00\x00\x00\x00", <nil>
}

// What is read piece by piece is sealed as one message, and opened as one.
func ExampleAEAD_NewSealer() {
	aead, err := gcm.New(make([]byte, 32)) // the key
	if err != nil {
		fmt.Println(err)
		return
	}
	nonce := make([]byte, aead.NonceSize())

	var sealed bytes.Buffer
	source := strings.NewReader("a text of any length")
	sealer := aead.NewSealer(nonce, []byte("header"))
	for buf := make([]byte, 8); ; {
		n, err := source.Read(buf)
		sealed.Write(sealer.Seal(buf[:0], buf[:n]))
		if err == io.EOF {
			break
		}
		if err != nil {
			fmt.Println(err)
			return
		}
	}
	tag := sealer.Tag(nil)

	opener := aead.NewOpener(nonce, []byte("header"))
	if _, err := io.Copy(opener, &sealed); err != nil {
		fmt.Println(err)
		return
	}
	opened, err := opener.Open(nil, tag)
	fmt.Printf("%s, %v\n", opened, err)
	// Output: a text of any length, <nil>
}

// Nobody knows before Verify whether the plaintext is what was sealed.
func ExampleAEAD_NewUnverifiedOpener() {
	aead, err := gcm.New(make([]byte, 32)) // the key
	if err != nil {
		fmt.Println(err)
		return
	}
	nonce, tag := make([]byte, aead.NonceSize()), make([]byte, aead.Overhead())
	sealed := aead.SealDetached(nil, tag, nonce, []byte("pay 100 to Alice"), nil)
	sealed[4] ^= '1' ^ '9' // by someone who has no key

	var quarantine []byte
	opener := aead.NewUnverifiedOpener(nonce, nil)
	for len(sealed) > 0 {
		piece := sealed[:min(5, len(sealed))]
		sealed = sealed[len(piece):]
		if quarantine, err = opener.OpenUnverified(quarantine, piece); err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Printf("%s\n", quarantine)
	if err := opener.Verify(tag); err != nil {
		clear(quarantine)
		fmt.Println(err)
	}
	// Output:
	// pay 900 to Alice
	// cipher: message authentication failed
}
