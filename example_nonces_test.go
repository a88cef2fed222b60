// SPDX-License-Identifier: ISC

package gcm_test

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"

	"github.com/stitchgcm/gcm"
)

// Messages carry their nonces. There is none to choose, and none to get wrong.
func ExampleNewWithRandomNonce() {
	aead, err := gcm.NewWithRandomNonce(make([]byte, 32)) // the key
	if err != nil {
		fmt.Println(err)
		return
	}
	sealed := aead.Seal(nil, nil, []byte("attack at dawn"), nil)
	opened, err := aead.Open(nil, nil, sealed, nil)
	fmt.Printf("%d bytes: %s, %v\n", len(sealed), opened, err)
	// Output: 42 bytes: attack at dawn, <nil>
}

// A record protocol numbers its records on both sides, beginning at 0.
func ExampleNewWithCounterNonce() {
	key, iv := make([]byte, 16), make([]byte, 12) // both from the handshake
	sender, err := gcm.NewWithCounterNonce(key, iv)
	if err != nil {
		fmt.Println(err)
		return
	}
	receiver, err := gcm.NewWithCounterNonce(key, iv)
	if err != nil {
		fmt.Println(err)
		return
	}
	number := make([]byte, 8)
	for i, text := range []string{"first", "second"} {
		binary.BigEndian.PutUint64(number, uint64(i))
		record := sender.Seal(nil, number, []byte(text), nil)
		opened, err := receiver.Open(nil, number, record, nil)
		fmt.Printf("%d: %s, %v\n", i, opened, err)
	}

	defer func() { fmt.Println(recover()) }()
	sender.Seal(nil, number, []byte("once more"), nil)
	// Output:
	// 0: first, <nil>
	// 1: second, <nil>
	// gcm: sequence number 1 has been used or passed over: want 2 or more
}

// Nonces of 24 bytes may be random, for any number of messages.
func ExampleNewXAES() {
	aead, err := gcm.NewXAES(make([]byte, 32)) // the key
	if err != nil {
		fmt.Println(err)
		return
	}
	nonce := make([]byte, aead.NonceSize(), 100)
	rand.Read(nonce)
	message := aead.Seal(nonce, nonce, []byte("attack at dawn"), nil) // behind its nonce

	opened, err := aead.Open(nil, message[:24], message[24:], nil)
	fmt.Printf("%d bytes: %s, %v\n", len(message), opened, err)
	// Output: 54 bytes: attack at dawn, <nil>
}
