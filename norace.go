// SPDX-License-Identifier: ISC

//go:build !race

package gcm

// raceEnabled reports whether the race detector is on.
const raceEnabled = false

func raceCall(_, _ [][]byte) {}
