// SPDX-License-Identifier: ISC

// Package record is the form in which gcm speed -json prints what it timed, and
// in which docs/results keeps it: one JSON object a line, first a [Run] and then
// a [Row] for each time, or a [Sweep] for the times of many sizes in steps of
// one byte.
package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Who is timed.
const (
	GCM    = "gcm"    // a kernel of this module, through the Go API
	Stdlib = "stdlib" // crypto/cipher
	Limit  = "limit"  // the port limit of a kernel's register width
)

// A Run says where, when and how all that follows was timed.
type Run struct {
	Date    string   `json:"date"`    // year-month-day, UTC
	Command string   `json:"command"` // the command line
	CPU     string   `json:"cpu"`     // as the system describes it; "" where it does not
	OS      string   `json:"os"`
	Arch    string   `json:"arch"`
	Go      string   `json:"go"` // version
	Cgo     bool     `json:"cgo"`
	Kernels []string `json:"kernels"` // that were timed
	AAD     int      `json:"aad"`     // additional data of each message, in bytes
	Turns   int      `json:"turns"`   // of each rival, the fastest of which counts
	Time    string   `json:"time"`    // that all turns of a rival took together, about
}

// A Series is what times belong to that differ in the size only.
type Series struct {
	Impl   string `json:"impl"`            // GCM, Stdlib or Limit
	Kernel string `json:"kernel"`          // "" for Stdlib
	Door   string `json:"door,omitempty"`  // direct, cgo or pieces where all messages took it; "" where their size decided
	Op     string `json:"op"`              // seal or open
	Bits   int    `json:"bits"`            // of the key
	Batch  int    `json:"batch,omitempty"` // messages in a call of SealBatch or OpenBatch; 0 for one in a call of Seal or Open
}

// A Row is the time of a message.
type Row struct {
	Series
	Size  int     `json:"size"`            // of the plaintext, in bytes
	NS    float64 `json:"ns"`              // per message
	GBPS  float64 `json:"gbps"`            // 10^9 bytes of plaintext a second
	Times float64 `json:"times,omitempty"` // for GCM: how often this time goes into that of Stdlib
	Share float64 `json:"share,omitempty"` // for GCM: the share of the port limit; 0 where that is unknown
}

// A Sweep has the times of messages of From, From+1, … bytes of plaintext.
type Sweep struct {
	Series
	From   int       `json:"from"`    // bytes
	NSEach []float64 `json:"ns_each"` // per message
}

// Read reads what a run has printed.
func Read(r io.Reader) (run Run, rows []Row, sweeps []Sweep, err error) {
	lines := json.NewDecoder(r)
	for n := 1; ; n++ {
		var raw json.RawMessage
		switch err := lines.Decode(&raw); {
		case err == io.EOF && n > 1:
			return run, rows, sweeps, nil
		case err == io.EOF:
			return run, nil, nil, errors.New("record: there is nothing")
		case err != nil:
			return run, nil, nil, fmt.Errorf("record: object %d: %w", n, err)
		}
		switch {
		case n == 1:
			err = strict(raw, &run)
		case bytes.Contains(raw, []byte(`"ns_each"`)):
			sweeps = append(sweeps, Sweep{})
			err = strict(raw, &sweeps[len(sweeps)-1])
		default:
			rows = append(rows, Row{})
			err = strict(raw, &rows[len(rows)-1])
		}
		if err != nil {
			return run, nil, nil, fmt.Errorf("record: object %d: %w", n, err)
		}
	}
}

// strict decodes an object that may have no other fields than v.
func strict(raw []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	return d.Decode(v)
}
