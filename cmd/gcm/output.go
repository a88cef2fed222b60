// SPDX-License-Identifier: ISC

package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"time"
)

// output is a file that appears under its name when it is whole, or not at all.
// Until then it is a temporary file beside it.
type output struct {
	file    *os.File
	target  string         // name, without symbolic links
	signals chan os.Signal // that ask the program to end, since before there was a temporary file

	mu      sync.Mutex
	settled bool // committed or discarded
	direct  bool // file is the target: a device or a pipe
}

// createOutput makes the temporary file. Of a file that is to be replaced it
// takes over the mode; what is no regular file is written as it is.
func createOutput(name string) (*output, error) {
	target := name
	if info, err := os.Lstat(name); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		if target, err = filepath.EvalSymlinks(name); err != nil {
			return nil, sentence("cannot follow link", name, err)
		}
	}
	info, err := os.Stat(target)
	switch {
	case err == nil && info.IsDir():
		return nil, fmt.Errorf("cannot write %q: it is a directory", name)
	case err == nil && !info.Mode().IsRegular():
		f, err := os.OpenFile(target, os.O_WRONLY, 0)
		if err != nil {
			return nil, sentence("cannot open", name, err)
		}
		return &output{file: f, target: target, direct: true}, nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, sentence("cannot write", name, err)
	}
	mode := fs.FileMode(0o666)
	if err == nil {
		mode = info.Mode().Perm() // from the beginning: who may not read the old file shall not open this one
	}
	signals := notifyEndings()
	temporary := filepath.Join(filepath.Dir(target), ".gcm-"+rand.Text())
	f, fail := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if fail != nil {
		signal.Stop(signals)
		return nil, sentence("cannot make a file beside", name, fail)
	}
	o := &output{file: f, target: target, signals: signals}
	if err == nil {
		if err := f.Chmod(mode); err != nil {
			signal.Stop(signals)
			o.discard()
			return nil, sentence("cannot keep the mode of", name, err)
		}
	}
	return o, nil
}

// commit makes the file durable and gives it its name.
func (o *output) commit() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.direct {
		o.settled = true
		if err := o.file.Close(); err != nil {
			return sentence("cannot write", o.target, err)
		}
		return nil
	}
	err := o.file.Sync()
	if failed := o.file.Close(); err == nil {
		err = failed
	}
	if err == nil {
		err = os.Rename(o.file.Name(), o.target)
	}
	if err != nil {
		return sentence("cannot write", o.target, err)
	}
	o.settled = true
	return nil
}

// discard removes the temporary file if it was not committed.
func (o *output) discard() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.settled {
		return
	}
	o.settled = true
	o.file.Close()
	if !o.direct {
		os.Remove(o.file.Name())
	}
}

// notifyEndings returns a channel to which signals go that ask the program to end.
func notifyEndings() chan os.Signal {
	signals := make(chan os.Signal, 1)
	for _, s := range endings {
		if !signal.Ignored(s) { // as nohup does
			signal.Notify(signals, s)
		}
	}
	return signals
}

// discardOnSignal discards the temporary file, and then ends the program in the
// usual way, when a signal asks it to end. The function that it returns undoes
// this.
func (o *output) discardOnSignal() (undo func()) {
	if o.direct {
		return func() {}
	}
	done := make(chan struct{})
	go func() {
		select {
		case <-done:
		case s := <-o.signals:
			o.mu.Lock() // for good: nothing comes after this
			if !o.settled && os.Remove(o.file.Name()) != nil {
				o.file.Close() // Windows removes no open file
				os.Remove(o.file.Name())
			}
			signal.Reset(s)
			if self, err := os.FindProcess(os.Getpid()); err == nil && self.Signal(s) == nil {
				time.Sleep(time.Second) // until it comes
			}
			os.Exit(1)
		}
	}()
	return func() {
		signal.Stop(o.signals)
		close(done)
	}
}
