// SPDX-License-Identifier: ISC

// Package gcm is AES-GCM with kernels stitched for the processor it runs on,
// behind the contract of crypto/cipher.
//
//	aead, err := gcm.New(key)                           // 16, 24 or 32 bytes
//	sealed := aead.Seal(nil, nonce, plaintext, header)  // 12-byte nonce, 16-byte tag
//	opened, err := aead.Open(nil, nonce, sealed, header)
//
// An [AEAD] is a [cipher.AEAD] to the letter, panics and their texts included,
// so that a program moves from [cipher.NewGCM] by changing the lines that make
// it. It holds no scratch memory: any number of goroutines may use one at the
// same time.
//
// # Kernels
//
// A kernel is one way to compute AES-GCM. [Kernels] lists those that can run
// here, best first, and [New] takes the first of them:
//
//	vaes-avx512   amd64 with VAES, VPCLMULQDQ and AVX-512 F, BW, DQ and VL
//	vaes-avx2     amd64 with AES, VAES, VPCLMULQDQ and AVX2
//	aesni         amd64 with AES, PCLMULQDQ and AVX
//	eor3          arm64 with AES, PMULL and SHA3
//	pmull         arm64 with AES and PMULL
//	generic       everywhere; crypto/cipher behind the same contract
//
// They are linked into every program for these two architectures, with cgo and
// without; vaes-avx512 is never used on darwin. GODEBUG=cpu.avx512f=off and its
// like hide features of the processor, and with them the kernels that need those.
//
// The environment variable GCM_KERNEL pins a kernel for a whole program. It is
// read once, when the program starts. Where it names a kernel that cannot run,
// New fails and says so. [Options.Kernel], being explicit, wins over it.
//
// # Nonces
//
// A key and a nonce must never meet twice: whoever sees two such messages learns
// the exclusive or of their texts, and may forge others. With nonces taken at
// random, a key should seal at most 2³² messages. [New] leaves that to the
// caller. With these there is less to get wrong:
//
//	NewXAES              24-byte nonces, which may be random for any number of messages
//	NewWithRandomNonce   takes nonces at random and puts them in front of the messages
//	NewWithCounterNonce  sequence numbers and an IV, as in TLS 1.3 and QUIC
//
// # Pieces
//
// [AEAD.SealDetached] keeps the tag apart from the ciphertext. [AEAD.SealGather]
// seals what lies in several slices as one message. [AEAD.NewSealer] is for a
// message that does not exist as a whole at any time. All three give what Seal
// gives.
//
// # Batches
//
// [AEAD.SealBatch] and [AEAD.OpenBatch] take many messages in one call, as they
// come in packets, and give what Seal and Open give. Kernels with a program for
// that, which vaes-avx512 has, work on four short messages side by side.
//
// # Timing
//
// No branch and no address in a kernel depends on a secret. On arm64 processors
// that have PSTATE.DIT, kernels run with it set, so that no instruction takes a
// time that depends on data either. That costs some hundred instructions a call,
// and next to nothing within [crypto/subtle.WithDataIndependentTiming] or
// under GODEBUG=dataindependenttiming=1.
//
// # FIPS 140-3
//
// This package is not part of the FIPS 140-3 Go Cryptographic Module, whatever
// kernel runs. So under GODEBUG=fips140=only New and its like return an error;
// there [cipher.NewGCMWithRandomNonce] is the one to use, which understands the
// messages of NewWithRandomNonce. GODEBUG=fips140=on changes nothing.
package gcm

import (
	"crypto/cipher"
	"errors"
	"unsafe"

	"github.com/stitchgcm/gcm/internal/direct"
	"github.com/stitchgcm/gcm/internal/dispatch"
)

const (
	defaultNonceSize = 12         // bytes
	defaultTagSize   = 16         // bytes, one block
	minTagSize       = 12         // bytes
	maxTextSize      = 1<<36 - 32 // bytes: the 32-bit counter has 2³² - 2 blocks for the text
)

// errOpen is the error of every failed Open; it tells nothing about the cause.
var errOpen = errors.New("cipher: message authentication failed")

// Options are the less usual choices of an [AEAD]. The zero value chooses what
// [New] chooses.
type Options struct {
	NonceSize int    // bytes, 1 and up; 0 means 12
	TagSize   int    // bytes, 12 to 16; 0 means 16
	Kernel    string // one of Kernels(); "" means the one named by GCM_KERNEL, or else the best
}

// AEAD is AES-GCM under one key. Make it with [New] or [NewWithOptions]; it may
// then be used by several goroutines at once.
type AEAD struct {
	head
	_     [blockOffset - unsafe.Sizeof(head{})]byte
	block direct.KeyBlock
}

// head is what an AEAD holds besides the key block.
type head struct {
	generic   *generic // crypto/cipher, or nil when a kernel holds the key
	kernel    string   // name of the kernel
	keySize   int      // bytes
	nonceSize int      // bytes, never 0
	tagSize   int      // bytes
}

// blockOffset puts the key block on a cache line, in bytes from the start of an
// AEAD. The allocator's size class for this struct is a multiple of 64 bytes,
// and it spends the first 8 bytes of a slot on a header, because the struct
// holds pointers: 8 + 56 = 64. This is for speed alone: kernels take a block on
// any 8-byte boundary.
const blockOffset = 56

var _ cipher.AEAD = (*AEAD)(nil)

// New returns AES-GCM under a key of 16, 24 or 32 bytes, for 12-byte nonces and
// 16-byte tags, on the best kernel that can run here. It keeps no reference to
// the key.
func New(key []byte) (*AEAD, error) {
	return NewWithOptions(key, Options{})
}

// NewWithOptions is [New] with another nonce size, tag size or kernel.
//
// Prefer 12-byte nonces: with any other size distinct nonces may, by a small
// chance, start the same key stream. Prefer 16-byte tags: a tag of t bits
// is forged by one in 2ᵗ guesses, and sooner for long messages.
func NewWithOptions(key []byte, o Options) (*AEAD, error) {
	if enforced() {
		return nil, errFIPS
	}
	if err := o.fill(); err != nil {
		return nil, err
	}
	switch len(key) {
	case 16, 24, 32:
	default:
		return nil, keySizeError(len(key))
	}
	kernel, err := choose(o.Kernel, pinned, usable)
	if err != nil {
		return nil, err
	}
	a := new(AEAD)
	if err := a.init(kernel, key, o.NonceSize, o.TagSize); err != nil {
		return nil, err
	}
	return a, nil
}

// init sets up a key, which has a size that AES takes, for a kernel that can run.
func (a *AEAD) init(kernel string, key []byte, nonceSize, tagSize int) (err error) {
	a.kernel, a.keySize, a.nonceSize, a.tagSize = kernel, len(key), nonceSize, tagSize
	if kernel == dispatch.Generic {
		a.generic, err = newGeneric(key, nonceSize, tagSize)
		return err
	}
	setup(kernel, &a.block, key)
	return nil
}

// fill puts defaults in the place of zeros and refuses sizes out of range.
func (o *Options) fill() error {
	if o.NonceSize == 0 {
		o.NonceSize = defaultNonceSize
	}
	if o.TagSize == 0 {
		o.TagSize = defaultTagSize
	}
	if o.NonceSize < 0 {
		return nonceSizeError(o.NonceSize)
	}
	if o.TagSize < minTagSize || o.TagSize > defaultTagSize {
		return tagSizeError(o.TagSize)
	}
	return nil
}

// Kernels returns the names of the kernels that can run here, best first. The
// last one is always "generic".
func Kernels() []string {
	return append([]string(nil), usable...)
}

// Kernel returns the name of the kernel that holds the key.
func (a *AEAD) Kernel() string {
	a.mustBeMade()
	return a.kernel
}

// NonceSize returns the size in bytes of the nonce that Seal and Open take.
func (a *AEAD) NonceSize() int {
	a.mustBeMade()
	return a.nonceSize
}

// Overhead returns the size in bytes of the tag: what a sealed message has more
// than its plaintext.
func (a *AEAD) Overhead() int {
	a.mustBeMade()
	return a.tagSize
}

// Seal encrypts plaintext, authenticates it together with additionalData,
// appends ciphertext and tag to dst and returns the longer slice. It allocates
// once when dst has too little room, and otherwise not at all; but with nonces of
// other than 12 bytes, and without cgo, messages of more than 4 MiB take a few KiB
// besides.
//
// The nonce must have NonceSize() bytes and must be new for every message under
// a key. To encrypt in place, pass plaintext[:0] as dst. Otherwise the bytes
// appended must not overlap plaintext, nor ever additionalData. Seal panics
// when it is told otherwise, and for a plaintext of more than 2³⁶ - 32 bytes.
func (a *AEAD) Seal(dst, nonce, plaintext, additionalData []byte) []byte {
	a.checkNonce(nonce)
	checkTextSize(uint64(len(plaintext)))
	ret, out := extend(dst, len(plaintext)+a.tagSize)
	refuseInput(out, plaintext)
	refuseAAD(out, additionalData)
	switch n := len(plaintext); {
	case a.atOnce(n + len(additionalData) + len(nonce)):
		direct.Seal(&a.block, out[:n], plaintext, additionalData, nonce, out[n:])
	case a.generic != nil:
		a.generic.seal(out, nonce, plaintext, additionalData)
	default:
		a.sealKernel(out[:n], plaintext, additionalData, nonce, out[n:])
	}
	return ret
}

// Open decrypts and verifies ciphertext, which ends with its tag, verifies
// additionalData with it, appends the plaintext to dst and returns the longer
// slice. It allocates as Seal does.
//
// When verification fails, Open returns nil and an error, and the bytes of dst
// that the plaintext would have taken are zero; no other byte is touched. To
// decrypt in place, pass ciphertext[:0] as dst. Otherwise the bytes appended
// must not overlap ciphertext, nor ever additionalData: Open panics on that, and
// on a nonce of another size than NonceSize().
func (a *AEAD) Open(dst, nonce, ciphertext, additionalData []byte) ([]byte, error) {
	a.checkNonce(nonce)
	n := len(ciphertext) - a.tagSize
	if n < 0 || uint64(n) > maxTextSize {
		return nil, errOpen
	}
	ret, out := extend(dst, n)
	refuseInput(out, ciphertext)
	refuseAAD(out, additionalData)
	var ok bool
	switch {
	case a.atOnce(n + len(additionalData) + len(nonce)):
		ok = direct.Open(&a.block, out, ciphertext[:n], additionalData, nonce, ciphertext[n:])
	case a.generic != nil:
		ok = a.generic.open(out, nonce, ciphertext, additionalData)
	default:
		ok = a.openKernel(out, ciphertext[:n], additionalData, nonce, ciphertext[n:])
	}
	if !ok {
		return nil, errOpen
	}
	return ret, nil
}

// mustBeMade panics when the AEAD came from elsewhere than New.
func (a *AEAD) mustBeMade() {
	if a == nil || a.nonceSize == 0 {
		panic("gcm: this AEAD was not made by New or NewWithOptions")
	}
}

// checkNonce panics for a nonce of the wrong size.
func (a *AEAD) checkNonce(nonce []byte) {
	if len(nonce) != a.nonceSize || len(nonce) == 0 {
		a.refuseNonce()
	}
}

// refuseNonce is the panic of checkNonce.
func (a *AEAD) refuseNonce() {
	a.mustBeMade()
	panic("crypto/cipher: incorrect nonce length given to GCM")
}

// tooLarge is the panic of crypto/cipher over the length of a plaintext.
const tooLarge = "crypto/cipher: message too large for GCM"

// checkTextSize panics for a plaintext of n bytes if that is too long.
func checkTextSize(n uint64) {
	if n > maxTextSize {
		panic(tooLarge)
	}
}
