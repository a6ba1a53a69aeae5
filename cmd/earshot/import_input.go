package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// An input is a file to import, decompressed as it is read.
type input struct {
	io.Reader
	name     string
	path     string // absolute; empty for standard input
	size     int64  // 0: unknown
	modified time.Time
	file     io.Closer
	counter  *countingReader
}

// openInput opens a file, or standard input for "-". It detects gzip by content, not by name.
func (p *program) openInput(name string) (*input, error) {
	in := &input{name: name, file: io.NopCloser(nil), counter: &countingReader{r: p.in}}
	if name != "-" {
		if err := in.open(); err != nil {
			return nil, err
		}
	}
	buffered := bufio.NewReaderSize(in.counter, 64<<10)
	in.Reader = buffered
	if magic, _ := buffered.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		unpacked, err := gzip.NewReader(buffered)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("decompress: %w", err), in.Close())
		}
		in.Reader = unpacked
	}
	return in, nil
}

func (in *input) open() error {
	f, err := os.Open(in.name)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = fmt.Errorf("%s is a directory", in.name)
	}
	if err == nil {
		in.path, err = filepath.Abs(in.name)
	}
	if err != nil {
		return errors.Join(err, f.Close())
	}
	in.size, in.modified = info.Size(), info.ModTime()
	in.file, in.counter = f, &countingReader{r: f}
	return nil
}

func (in *input) Close() error { return in.file.Close() }

// A countingReader counts the bytes read.
type countingReader struct {
	r io.Reader
	n int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}
