// SPDX-License-Identifier: ISC

package gcm

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/subtle"
	"slices"
	"sync"
)

// generic is crypto/cipher behind the contract of this package.
type generic struct {
	block   cipher.Block
	full    cipher.AEAD // with 16-byte tags, whatever tagSize is
	tagSize int         // bytes
}

// newGeneric makes a generic AEAD; sizes are in bytes and have been checked.
func newGeneric(key []byte, nonceSize, tagSize int) (*generic, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	full, err := cipher.NewGCMWithNonceSize(block, nonceSize)
	if err != nil {
		return nil, err
	}
	return &generic{block, full, tagSize}, nil
}

// seal writes ciphertext and tag to out, which has exactly their size.
func (g *generic) seal(out, nonce, plaintext, aad []byte) {
	if raceEnabled {
		raceCall([][]byte{plaintext, aad, nonce}, [][]byte{out})
	}
	if g.tagSize == defaultTagSize {
		g.full.Seal(out[:0:len(out)], nonce, plaintext, aad)
		return
	}
	// For short tags crypto/cipher may write past the end of what it was given,
	// and it has no constructor for them together with other nonce sizes.
	n := len(plaintext)
	g.sealDetached(out[:n], out[n:], nonce, plaintext, aad)
}

// sealDetached writes ciphertext and tag to out and tag, which have exactly
// their sizes. A full tag goes to scratch memory, and its first bytes from there
// to tag.
func (g *generic) sealDetached(out, tag, nonce, plaintext, aad []byte) {
	if raceEnabled {
		raceCall([][]byte{plaintext, aad, nonce}, [][]byte{out, tag})
	}
	s := scratch.Get().(*[]byte)
	defer scratch.Put(s)
	*s = g.full.Seal((*s)[:0], nonce, plaintext, aad)
	copy(out, *s)
	copy(tag, (*s)[len(out):])
}

// open writes the plaintext to out, which has exactly its size, and reports
// whether the tag matched; where it did not, it leaves zeros.
func (g *generic) open(out, nonce, ciphertext, aad []byte) bool {
	if raceEnabled {
		raceCall([][]byte{ciphertext, aad, nonce}, [][]byte{out})
	}
	if g.tagSize == defaultTagSize {
		_, err := g.full.Open(out[:0:len(out)], nonce, ciphertext, aad)
		return err == nil
	}
	n := len(out)
	return g.openDetached(out, ciphertext[n:], nonce, ciphertext[:n], aad)
}

// openDetached is open with the tag apart.
func (g *generic) openDetached(out, tag, nonce, ciphertext, aad []byte) bool {
	if raceEnabled {
		raceCall([][]byte{ciphertext, aad, nonce, tag}, [][]byte{out})
	}
	s := scratch.Get().(*[]byte)
	defer scratch.Put(s)
	if g.tagSize == defaultTagSize {
		*s = append(append((*s)[:0], ciphertext...), tag...)
		_, err := g.full.Open(out[:0:len(out)], nonce, *s, aad)
		return err == nil
	}
	// Counter mode is its own inverse: sealing the ciphertext yields the
	// plaintext and a useless tag, and sealing that yields the ciphertext again
	// and the tag that it should have. Nothing goes to out before that, since
	// the nonce may lie there.
	n := len(out)
	*s = slices.Grow((*s)[:0], 2*(n+defaultTagSize))
	*s = g.full.Seal(*s, nonce, ciphertext, aad)
	plaintext := (*s)[:n]
	*s = g.full.Seal(*s, nonce, plaintext, aad)
	want := (*s)[len(*s)-defaultTagSize:][:g.tagSize]
	ok := subtle.ConstantTimeCompare(want, tag) == 1
	if ok {
		copy(out, plaintext)
	} else {
		clear(out)
	}
	clear(plaintext)
	return ok
}

// scratch holds buffers for messages with short tags or tags apart: *[]byte,
// between uses without any plaintext in them.
var scratch = sync.Pool{New: func() any { return new([]byte) }}
