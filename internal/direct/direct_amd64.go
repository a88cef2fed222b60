// SPDX-License-Identifier: ISC

package direct

// Linked says that this architecture's kernels are part of the program.
const Linked = true

// Seal encrypts in to out, which is as long, and writes the tag.
func Seal(block *KeyBlock, out, in, aad, nonce, tag []byte) {
	n, aadLen, nonceLen, tagLen := uint64(len(in)), uint64(len(aad)), uint64(len(nonce)), uint64(len(tag))
	switch id(block) {
	case vaesAvx512<<8 | 10:
		vaesAvx512Seal128(&block[0], start(out), start(in), n, start(aad), aadLen, start(nonce), nonceLen, start(tag), tagLen)
	case vaesAvx512<<8 | 12:
		vaesAvx512Seal192(&block[0], start(out), start(in), n, start(aad), aadLen, start(nonce), nonceLen, start(tag), tagLen)
	case vaesAvx512<<8 | 14:
		vaesAvx512Seal256(&block[0], start(out), start(in), n, start(aad), aadLen, start(nonce), nonceLen, start(tag), tagLen)
	default:
		panic("gcm: key block without a kernel")
	}
}

// Open decrypts in to out, which is as long, and reports whether the tag
// matched; where it did not, out holds zeros.
func Open(block *KeyBlock, out, in, aad, nonce, tag []byte) bool {
	n, aadLen, nonceLen, tagLen := uint64(len(in)), uint64(len(aad)), uint64(len(nonce)), uint64(len(tag))
	switch id(block) {
	case vaesAvx512<<8 | 10:
		return vaesAvx512Open128(&block[0], start(out), start(in), n, start(aad), aadLen, start(nonce), nonceLen, start(tag), tagLen) != 0
	case vaesAvx512<<8 | 12:
		return vaesAvx512Open192(&block[0], start(out), start(in), n, start(aad), aadLen, start(nonce), nonceLen, start(tag), tagLen) != 0
	case vaesAvx512<<8 | 14:
		return vaesAvx512Open256(&block[0], start(out), start(in), n, start(aad), aadLen, start(nonce), nonceLen, start(tag), tagLen) != 0
	}
	panic("gcm: key block without a kernel")
}

// id returns the kernel and the rounds of a block.
func id(block *KeyBlock) int { return int(block[kernelOffset])<<8 | int(block[roundsOffset]) }
