// SPDX-License-Identifier: ISC

package gcm_test

import (
	"encoding/binary"
	"fmt"

	"github.com/stitchgcm/gcm"
)

// Packets are sealed where they lie, many at a time. One is spoiled on its way.
func ExampleAEAD_SealBatch() {
	aead, err := gcm.New(make([]byte, 32)) // the key
	if err != nil {
		fmt.Println(err)
		return
	}
	packets := make([]gcm.Packet, 64)
	for i := range packets {
		buf := fmt.Appendf(make([]byte, 0, 1500), "packet %d", i)
		nonce := binary.BigEndian.AppendUint64(make([]byte, 4), uint64(i))
		packets[i] = gcm.Packet{Dst: buf[:0], Nonce: nonce, Text: buf}
	}
	aead.SealBatch(packets)

	packets[17].Dst[0] ^= 1
	for i := range packets {
		p := &packets[i]
		p.Text, p.Dst = p.Dst, p.Dst[:0]
	}
	opened := aead.OpenBatch(packets)
	fmt.Println(opened, "of", len(packets))
	fmt.Printf("%q, %v\n", packets[17].Dst, packets[17].Err)
	fmt.Printf("%q, %v\n", packets[18].Dst, packets[18].Err)
	// Output:
	// 63 of 64
	// "", cipher: message authentication failed
	// "packet 18", <nil>
}
