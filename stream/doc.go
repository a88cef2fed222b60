// SPDX-License-Identifier: ISC

// Package stream seals and opens files and streams of any size in constant
// memory, in Tink's format AES-GCM-HKDF, so that what it writes is read by Tink
// in every language, and the other way round.
//
//	w, err := stream.NewWriter(file, key, aad, stream.Options{})
//	_, err = io.Copy(w, source)
//	err = w.Close() // seals the last segment: without it the stream is refused
//
// [Writer] and [Reader] are for streams. [ReaderAt] opens any part of a file, and
// [io.NewSectionReader] makes an [io.ReadSeeker] of one.
//
// # What is promised
//
// No byte of plaintext is handed out before the segment that it belongs to was
// authenticated, at its place in the stream. A stream that was changed, cut
// short, lengthened or put in another order is refused, as is another key, other
// additional data or other [Options]; the error matches [ErrNotAuthentic] and
// says what is known. What lies before the place of the fault is handed out
// first, so that only the [io.EOF] of a Reader says that the stream is whole.
//
// # Several cores
//
// [Options.Workers] segments are sealed or opened at a time. The goroutines for
// that live within one call of a method, and it is within such calls only that the
// underlying reader or writer is used: an io.ReaderAt by several goroutines at
// once, others by one at a time, but not always by that of the caller. Copying is
// fastest by [io.Copy], which reads, seals and writes at once: it finds
// [Writer.ReadFrom] and [Reader.WriteTo] by itself.
//
// # Format
//
// A stream is cut into segments of [Options.SegmentSize] bytes, of which the last
// may be shorter, and the first begins with the header:
//
//	1 byte     size of the header: 24 or 40 bytes
//	16 or 32   salt, as many bytes as the derived key has
//	7 bytes    prefix of nonces
//
// HKDF derives the key of the stream from the caller's key, the salt, and the
// additional data as the info. Each segment is AES-GCM under that key, with
// a tag of 16 bytes, without additional data, and with the nonce
//
//	7 bytes    prefix
//	4 bytes    number of the segment from 0, big endian
//	1 byte     1 for the last segment, otherwise 0
//
// Salt and prefix are random. Even of 2⁴⁸ streams under one key two have the same
// 16-byte salt only with a chance of 2⁻³³. A stream holds at most 2³² segments: with
// 1 MiB each, 4 PiB. What is not hidden is the length of the plaintext.
package stream
