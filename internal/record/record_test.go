// SPDX-License-Identifier: ISC

package record

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// TestRead reads back what was written.
func TestRead(t *testing.T) {
	run := Run{Date: "2026-01-02", Command: "gcm speed -json", CPU: "some", OS: "linux", Arch: "amd64", Go: "go1.99", Cgo: true,
		Kernels: []string{"a", "b"}, AAD: 13, Turns: 20, Time: "1s"}
	rows := []Row{
		{Series{Stdlib, "", "", "seal", 128, 0}, 16, 2, 8, 0, 0},
		{Series{GCM, "a", "", "open", 256, 64}, 0, 1.5, 0, 4, 0.25},
	}
	sweeps := []Sweep{{Series{GCM, "b", "direct", "seal", 192, 0}, 3, []float64{1, 2, 2.5}}}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	for _, v := range []any{run, rows[0], sweeps[0], rows[1]} {
		if err := e.Encode(v); err != nil {
			t.Fatal(err)
		}
	}
	if n := strings.Count(b.String(), "\n"); n != 4 {
		t.Errorf("%d lines", n)
	}
	gotRun, gotRows, gotSweeps, err := Read(&b)
	if err != nil || !reflect.DeepEqual(gotRun, run) || !reflect.DeepEqual(gotRows, rows) || !reflect.DeepEqual(gotSweeps, sweeps) {
		t.Errorf("read %+v, %+v, %+v, %v", gotRun, gotRows, gotSweeps, err)
	}
}

// TestReadWrong reads what no run prints.
func TestReadWrong(t *testing.T) {
	for text, want := range map[string]string{
		"":                                 "record: there is nothing",
		"{":                                "record: object 1: unexpected EOF",
		`{"impl":"gcm"}`:                   `record: object 1: json: unknown field "impl"`,
		"{}\n{\"date\":\"today\"}":         `record: object 2: json: unknown field "date"`,
		"{}\n{\"ns_each\":[1],\"size\":2}": `record: object 2: json: unknown field "size"`,
		"{}\n{}\n{\"bits\":\"128\"}":       "record: object 3: json: cannot unmarshal string",
		"{} [":                             "record: object 2: unexpected EOF",
	} {
		if _, _, _, err := Read(strings.NewReader(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: error is %v, want %q", text, err, want)
		}
	}
}
