// SPDX-License-Identifier: ISC

package main

import "testing"

func TestDescribe(t *testing.T) {
	for text, want := range map[string]string{
		"": "",
		"processor\t: 0\ncpu family\t: 26\nmodel\t\t: 2\nmodel name\t: Some: Core\nstepping\t: 1\n\nprocessor\t: 1\nmodel\t\t: 3\n": "Some: Core, family 26, model 2, stepping 1",
		"processor\t: 0\nCPU implementer\t: 0x41\nCPU variant\t: 0x1\nCPU part\t: 0xd40\n":                                          "implementer 0x41, part 0xd40, variant 0x1",
	} {
		if got := describe(text); got != want {
			t.Errorf("%q is described as %q, want %q", text, got, want)
		}
	}
}
