// SPDX-License-Identifier: ISC

package gcm_test

import (
	"bytes"
	"crypto/rand"
	"fmt"

	"github.com/stitchgcm/gcm"
)

func Example() {
	key := make([]byte, 32) // from a key exchange or a key store
	rand.Read(key)
	aead, err := gcm.New(key)
	if err != nil {
		fmt.Println(err)
		return
	}

	nonce := make([]byte, aead.NonceSize()) // never twice under one key
	rand.Read(nonce)
	sealed := aead.Seal(nil, nonce, []byte("attack at dawn"), []byte("to: all"))

	opened, err := aead.Open(nil, nonce, sealed, []byte("to: all"))
	fmt.Printf("%s, %v\n", opened, err)

	_, err = aead.Open(nil, nonce, sealed, []byte("to: nobody"))
	fmt.Println(err)
	// Output:
	// attack at dawn, <nil>
	// cipher: message authentication failed
}

// A packet is sealed and opened where it lies: header, text, and room for the
// tag, in one buffer and without allocation.
func ExampleAEAD_Seal_inPlace() {
	aead, err := gcm.New(make([]byte, 16))
	if err != nil {
		fmt.Println(err)
		return
	}
	nonce := make([]byte, aead.NonceSize())

	packet := make([]byte, 0, 64)
	packet = append(packet, "header"...)
	packet = append(packet, "text"...)
	header, text := packet[:6:6], packet[6:]

	text = aead.Seal(text[:0], nonce, text, header)
	packet = packet[:len(header)+len(text)]
	fmt.Println(len(packet))

	text, err = aead.Open(text[:0], nonce, packet[6:], header)
	fmt.Printf("%s, %v\n", text, err)
	// Output:
	// 26
	// text, <nil>
}

func ExampleNewWithOptions() {
	aead, err := gcm.NewWithOptions(make([]byte, 16), gcm.Options{
		NonceSize: 16,
		TagSize:   12,
		Kernel:    "generic",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(aead.NonceSize(), aead.Overhead(), aead.Kernel())

	_, err = gcm.NewWithOptions(make([]byte, 16), gcm.Options{TagSize: 8})
	fmt.Println(err)
	// Output:
	// 16 12 generic
	// gcm: invalid tag size 8: want 12 to 16 bytes
}

func ExampleKernels() {
	for _, kernel := range gcm.Kernels() {
		aead, err := gcm.NewWithOptions(make([]byte, 16), gcm.Options{Kernel: kernel})
		if err != nil {
			fmt.Println(err)
			return
		}
		sealed := aead.Seal(nil, make([]byte, 12), make([]byte, 1000), nil)
		if !bytes.Equal(sealed[:4], []byte{0x03, 0x88, 0xda, 0xce}) { // test case 2 of the specification of GCM
			fmt.Println(kernel, "differs")
		}
	}
	kernels := gcm.Kernels()
	fmt.Println(kernels[len(kernels)-1])
	// Output: generic
}
