// SPDX-License-Identifier: ISC

package stream_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/stitchgcm/gcm/stream"
)

func Example() {
	key := make([]byte, 32) // from a key store
	rand.Read(key)
	aad := []byte("backup of Monday")

	var sealed bytes.Buffer // a file, as a rule
	w, err := stream.NewWriter(&sealed, key, aad, stream.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := io.Copy(w, strings.NewReader("all that there is")); err != nil {
		fmt.Println(err)
		return
	}
	if err := w.Close(); err != nil { // the last segment
		fmt.Println(err)
		return
	}

	r, err := stream.NewReader(&sealed, key, aad, stream.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := io.ReadAll(r)
	fmt.Printf("%s, %v\n", text, err)
	// Output: all that there is, <nil>
}

// What a Reader hands out is authentic, but it is all there is only when the
// Reader ends without an error.
func ExampleReader() {
	key := make([]byte, 32)
	o := stream.Options{SegmentSize: 4096}

	var sealed bytes.Buffer
	w, err := stream.NewWriter(&sealed, key, nil, o)
	if err != nil {
		fmt.Println(err)
		return
	}
	io.WriteString(w, strings.Repeat("text ", 2000))
	w.Close()

	sealed.Truncate(2 * 4096) // somebody cuts it
	r, err := stream.NewReader(&sealed, key, nil, o)
	if err != nil {
		fmt.Println(err)
		return
	}
	n, err := io.Copy(io.Discard, r)
	fmt.Println(n, err)
	fmt.Println(errors.Is(err, stream.ErrNotAuthentic))
	// Output:
	// 4040 stream: the stream ends after segment 1, which is not its last: it is truncated
	// true
}

// A part in the middle of a sealed file is opened without the rest.
func ExampleReaderAt() {
	key := make([]byte, 32)
	o := stream.Options{SegmentSize: 4096}

	var sealed bytes.Buffer
	w, err := stream.NewWriter(&sealed, key, nil, o)
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range 10000 {
		fmt.Fprintf(w, "line %5d\n", i)
	}
	w.Close()

	file := bytes.NewReader(sealed.Bytes()) // or an *os.File
	r, err := stream.NewReaderAt(file, file.Size(), key, nil, o)
	if err != nil {
		fmt.Println(err)
		return
	}
	line := make([]byte, 10)
	_, err = r.ReadAt(line, 7777*11)
	fmt.Printf("%d bytes: %s, %v\n", r.Size(), line, err)

	// As an io.ReadSeeker, for http.ServeContent and its like.
	section := io.NewSectionReader(r, 0, r.Size())
	section.Seek(-11, io.SeekEnd)
	rest, err := io.ReadAll(section)
	fmt.Printf("%q, %v\n", rest, err)
	// Output:
	// 110000 bytes: line  7777, <nil>
	// "line  9999\n", <nil>
}

func ExampleOptions() {
	// Tink's AES128_GCM_HKDF_4KB.
	o := stream.Options{SegmentSize: 4096, DerivedKeySize: 16}
	_, err := stream.NewWriter(io.Discard, make([]byte, 16), nil, o)
	fmt.Println(err)

	_, err = stream.NewWriter(io.Discard, make([]byte, 16), nil, stream.Options{})
	fmt.Println(err)
	// Output:
	// <nil>
	// stream: invalid key size 16: want 32 bytes or more, to derive keys of 32 bytes
}
