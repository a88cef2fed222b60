// SPDX-License-Identifier: ISC

//go:build !amd64 && !arm64

package main

func features() []feature { return nil }
