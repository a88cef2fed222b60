// SPDX-License-Identifier: ISC

package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"text/tabwriter"

	"github.com/stitchgcm/gcm/cshim"
	"github.com/stitchgcm/gcm/internal/dispatch"
)

// report is what gcm info tells; its JSON is the output of gcm info -json.
type report struct {
	OS        string          `json:"os"`
	Arch      string          `json:"arch"`
	Go        string          `json:"go"`
	Cgo       bool            `json:"cgo"`
	GCMKernel string          `json:"GCM_KERNEL"` // as set in the environment
	GODEBUG   string          `json:"GODEBUG"`
	Features  map[string]bool `json:"features"`
	Kernels   []kernelReport  `json:"kernels"` // best first
	Doors     []doorReport    `json:"doors"`
	Foreign   string          `json:"foreign,omitempty"` // kernel from third_party behind the cgo door
	Chosen    string          `json:"chosen"`            // "" when New fails
	Why       string          `json:"why"`               // one sentence
}

type kernelReport struct {
	Name   string   `json:"name"`
	Needs  []string `json:"needs"`
	Usable bool     `json:"usable"`
	WhyNot string   `json:"why_not,omitempty"`
}

// survey fills in a report, and returns New's error when it fails here.
func survey() (report, error) {
	r := report{
		OS: runtime.GOOS, Arch: runtime.GOARCH, Go: runtime.Version(), Cgo: cgoEnabled(),
		GCMKernel: os.Getenv("GCM_KERNEL"), GODEBUG: os.Getenv("GODEBUG"),
		Features: map[string]bool{},
	}
	for _, f := range dispatch.Features() {
		r.Features[f.Name] = f.Has
	}
	for _, k := range dispatch.Kernels {
		why := whyNot(k)
		r.Kernels = append(r.Kernels, kernelReport{k.Name, append([]string{}, k.Needs...), why == "", why})
	}
	r.Doors = doors()
	r.Foreign = cshim.Foreign
	name, err := chosen()
	r.Chosen = name
	switch {
	case err != nil:
		r.Why = strings.TrimPrefix(err.Error(), "gcm: ")
	case r.GCMKernel != "":
		r.Why = "GCM_KERNEL pins it"
	case name == dispatch.Generic:
		r.Why = "no faster kernel is usable here"
	default:
		r.Why = "the best of those usable here"
	}
	return r, err
}

func info(args []string, stdout io.Writer) error {
	fs := flag.NewFlagSet("info", flag.ContinueOnError)
	asJSON := fs.Bool("json", false, "print one JSON object")
	if done, err := parse(fs, args, 0, stdout); done || err != nil {
		return err
	}
	r, failed := survey()
	if *asJSON {
		if err := json.NewEncoder(stdout).Encode(r); err != nil {
			return err
		}
		return failed
	}

	w := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	cgo := "without cgo"
	if r.Cgo {
		cgo = "with cgo"
	}
	fmt.Fprintf(w, "machine\t%s/%s, %s, %s\n", r.OS, r.Arch, r.Go, cgo)
	fmt.Fprintf(w, "GCM_KERNEL\t%s\n", orUnset(r.GCMKernel))
	fmt.Fprintf(w, "GODEBUG\t%s\n", orUnset(r.GODEBUG))
	fmt.Fprint(w, "features\t")
	features := dispatch.Features()
	if len(features) == 0 {
		fmt.Fprint(w, "none that a kernel asks about")
	}
	for i, f := range features {
		if i > 0 {
			fmt.Fprint(w, " ")
		}
		if f.Has {
			fmt.Fprint(w, "+"+f.Name)
		} else {
			fmt.Fprint(w, "-"+f.Name)
		}
	}
	fmt.Fprintln(w)
	for _, k := range r.Kernels {
		fate := "usable"
		if !k.Usable {
			fate = "not usable: " + k.WhyNot
		}
		fmt.Fprintf(w, "kernel\t%s\t%s\n", k.Name, fate)
	}
	for _, d := range r.Doors {
		fmt.Fprintf(w, "door\t%s\t%v\n", d.Name, d)
	}
	if r.Foreign != "" {
		fmt.Fprintf(w, "foreign\t%s\tfrom third_party, for texts of messages that take the cgo door\n", r.Foreign)
	}
	if failed == nil {
		fmt.Fprintf(w, "chosen\t%s\t%s\n", r.Chosen, r.Why)
	} else {
		fmt.Fprintf(w, "chosen\tnone\n")
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return failed
}

func orUnset(s string) string {
	if s == "" {
		return "(unset)"
	}
	return s
}
