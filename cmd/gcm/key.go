// SPDX-License-Identifier: ISC

package main

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
)

// keyVariable is the environment variable that holds the key where no file does.
const keyVariable = "GCM_KEY"

// readKey reads the key of 16 or 32 bytes from the named file, or from the
// environment if there is no name. It refuses a file that others than its owner
// may read or write. No error tells anything of the key but its size.
func readKey(name string) (key []byte, info fs.FileInfo, err error) {
	if name == "" {
		key, err := hex.DecodeString(os.Getenv(keyVariable))
		if err != nil || len(key) != 16 && len(key) != 32 {
			return nil, nil, fmt.Errorf("the environment variable %s holds no key: want 32 or 64 hex digits", keyVariable)
		}
		return key, nil, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, sentence("cannot open key file", name, err)
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return nil, nil, sentence("cannot look at key file", name, err)
	}
	// Windows has other means than these bits.
	if mode := info.Mode().Perm(); runtime.GOOS != "windows" && mode&0o077 != 0 {
		return nil, nil, fmt.Errorf("others may read or change key file %q (mode %04o): chmod 600 it, and consider the key known", name, mode)
	}
	const most = 1 << 10 // bytes, more than any key has
	data, err := io.ReadAll(io.LimitReader(f, most))
	if err != nil {
		return nil, nil, sentence("cannot read key file", name, err)
	}
	if len(data) == most {
		return nil, nil, fmt.Errorf("key file %q holds %d bytes or more; want 16 or 32 raw bytes, or 32 or 64 hex digits", name, most)
	}
	if key, err = parseKey(data); err != nil {
		return nil, nil, fmt.Errorf("key file %q %w", name, err)
	}
	return key, info, nil
}

// parseKey takes data for hex digits if there is nothing else in it but white
// space at the ends, and otherwise for the key itself.
func parseKey(data []byte) ([]byte, error) {
	digits := bytes.TrimSpace(data)
	key := make([]byte, hex.DecodedLen(len(digits)))
	n, err := hex.Decode(key, digits)
	isHex := err == nil || errors.Is(err, hex.ErrLength)
	switch {
	case isHex && (len(digits) == 32 || len(digits) == 64):
		return key[:n], nil
	case isHex && len(digits) > 0:
		return nil, fmt.Errorf("holds %d hex digits; want 32 or 64 of them, or 16 or 32 raw bytes", len(digits))
	case len(data) == 16 || len(data) == 32:
		return data, nil
	}
	return nil, fmt.Errorf("holds %d bytes; want 16 or 32 raw bytes, or 32 or 64 hex digits", len(data))
}
