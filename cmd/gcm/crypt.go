// SPDX-License-Identifier: ISC

package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/stitchgcm/gcm/stream"
)

// A crypter copies src to dst, sealing or opening it.
type crypter func(dst io.Writer, src io.Reader, key, aad []byte, o stream.Options) error

func encrypt(args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	return crypt("encrypt", args, stdin, stdout, stderr, func(dst io.Writer, src io.Reader, key, aad []byte, o stream.Options) error {
		w, err := stream.NewWriter(dst, key, aad, o)
		if err != nil {
			return err
		}
		if _, err := io.Copy(w, src); err != nil {
			return err
		}
		return w.Close()
	})
}

func decrypt(args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	return crypt("decrypt", args, stdin, stdout, stderr, func(dst io.Writer, src io.Reader, key, aad []byte, o stream.Options) error {
		r, err := stream.NewReader(src, key, aad, o)
		if err != nil {
			return err
		}
		_, err = io.Copy(dst, r)
		return err
	})
}

// crypt is encrypt and decrypt but for do.
func crypt(name string, args []string, stdin io.Reader, stdout, stderr io.Writer, do crypter) error {
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	keyFile := fs.String("key-file", "", "`FILE` that holds the key: 16 or 32 bytes, raw or as hex digits, and\nreadable for its owner only. Without it the key is in the environment\nvariable GCM_KEY, as hex digits")
	aad := fs.String("aad", "", "`TEXT` that is authenticated, but not kept in the encrypted file")
	segment := fs.Int("segment", 1<<20, "size of a segment in `BYTES`, the same for encrypt and decrypt")
	inName := fs.String("in", "", "`FILE` to read, instead of standard input")
	outName := fs.String("out", "", "`FILE` to write, instead of standard output")
	if done, err := parse(fs, args, 0, stdout); done || err != nil {
		return err
	}
	fail := func(err error) error {
		return fmt.Errorf("%s: %w", name, err)
	}
	// As from a variable of a shell that is not set: it must not mean another place.
	nameless := ""
	fs.Visit(func(f *flag.Flag) {
		if f.Name != "aad" && f.Value.String() == "" {
			nameless = f.Name
		}
	})
	if nameless != "" {
		return usageError(fmt.Sprintf("%s: -%s names no file", name, nameless))
	}
	if *keyFile == "" && os.Getenv(keyVariable) == "" {
		return usageError(name + ": no key given; name the file that holds it with -key-file, or set " + keyVariable)
	}
	key, keyInfo, err := readKey(*keyFile)
	if err != nil {
		return fail(err)
	}
	if _, err := chosen(); err != nil {
		return fail(errors.New(plain(err)))
	}
	if *segment == 0 {
		return usageError(name + ": -segment 0 is no size in bytes")
	}
	o := stream.Options{SegmentSize: *segment, DerivedKeySize: len(key)}
	if _, err := stream.NewReader(nil, key, nil, o); err != nil {
		return usageError(fmt.Sprintf("%s: -segment %d: %s", name, *segment, plain(err)))
	}

	src, size := stdin, int64(-1)
	if *inName != "" {
		f, err := os.Open(*inName)
		if err != nil {
			return fail(sentence("cannot open", *inName, err))
		}
		defer f.Close()
		src = f
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			size = info.Size()
		}
	}
	var out *output
	dst := stdout
	if *outName != "" {
		if info, err := os.Stat(*outName); err == nil && keyInfo != nil && os.SameFile(info, keyInfo) {
			return fail(fmt.Errorf("-out names the key file %q, which would be lost", *outName))
		}
		if out, err = createOutput(*outName); err != nil {
			return fail(err)
		}
		defer out.discard()
		defer out.discardOnSignal()()
		dst = out.file
	} else if name == "encrypt" && isTerminal(stdout) {
		return fail(errors.New("standard output is a terminal, and what is encrypted no text; name a file with -out"))
	}

	if isTerminal(stderr) && !isTerminal(dst) {
		bar := newProgress(src, size, stderr.(*os.File))
		defer bar.stop()
		src = bar
	}
	if err := do(dst, src, key, []byte(*aad), o); err != nil {
		var p *os.PathError
		switch {
		case errors.As(err, &p):
			verb := "cannot " + p.Op
			if p.Op == "read" && *inName == "" {
				return fail(sentence(verb, "standard input", p))
			} else if p.Op == "write" && *outName == "" {
				return fail(sentence(verb, "standard output", p))
			} else if p.Op == "write" {
				return fail(sentence(verb, *outName, p))
			}
			return fail(sentence(verb, p.Path, p))
		case *inName != "":
			return fail(fmt.Errorf("%q: %s", *inName, plain(err)))
		}
		return fail(errors.New(plain(err)))
	}
	if out != nil {
		if err := out.commit(); err != nil {
			return fail(err)
		}
	}
	return nil
}

// plain is the text of an error without the name of the package that it is from.
func plain(err error) string {
	return strings.TrimPrefix(strings.TrimPrefix(err.Error(), "stream: "), "gcm: ")
}

// sentence says that what was tried with a file failed, and why.
func sentence(tried, name string, err error) error {
	var p *os.PathError
	var l *os.LinkError
	if errors.As(err, &p) {
		err = p.Err
	} else if errors.As(err, &l) {
		err = l.Err
	}
	return fmt.Errorf("%s %q: %w", tried, name, err)
}
