// SPDX-License-Identifier: ISC

//go:build !linux

package main

// spread calls f n times, or until it fails.
func spread(n int, f func() error) error {
	for range n {
		if err := f(); err != nil {
			return err
		}
	}
	return nil
}
