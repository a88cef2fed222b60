// SPDX-License-Identifier: ISC

package stream

import (
	"errors"
	"fmt"
)

// ErrNotAuthentic is matched, by [errors.Is], by every error which says that a
// stream was not sealed as it stands under the key, the additional data and the
// options given. Errors of the underlying reader do not match it.
var ErrNotAuthentic = errors.New("stream: not authentic")

// refusal is why a stream is not authentic, in one sentence.
type refusal string

func (e refusal) Error() string { return string(e) }

func (e refusal) Is(target error) bool { return target == ErrNotAuthentic }

func refuse(format string, args ...any) error {
	return refusal("stream: " + fmt.Sprintf(format, args...))
}

var (
	errClosed  = errors.New("stream: the Writer is closed")
	errPanic   = errors.New("stream: a panic of the underlying reader or writer broke the stream")
	errTooLong = errors.New("stream: more than 2³² segments: choose a larger segment size")
)
