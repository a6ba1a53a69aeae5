package pebblefile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/big"
	"os"

	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// A tableSource yields the readable entries of a table and skips unreadable blocks.
type tableSource struct {
	path string
	file *skippingFile
	r    *sstable.Reader
	it   sstable.Iterator
	e    *entry
	last []byte // the last key, even if it could not be decoded
	gaps []Gap
}

func newTableSource(path string) (*tableSource, error) {
	f, err := vfs.Default.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, &DamageError{path, "it is missing"}
	}
	if err != nil {
		return nil, err
	}
	t := &tableSource{path: path, file: &skippingFile{File: f, bad: map[int64]bool{}}}
	in, err := sstable.NewSimpleReadable(t.file)
	if err != nil {
		f.Close()
		return nil, err
	}
	err = guard(path, func() error {
		if t.r, err = sstable.NewReader(context.Background(), in, sstable.ReaderOptions{}); err != nil {
			in.Close()
			return err
		}
		t.it, err = t.r.NewIter(sstable.NoTransforms, nil, nil, sstable.AssertNoBlobHandles)
		return err
	})
	if err != nil {
		t.close()
		return nil, &DamageError{path, err.Error()}
	}
	return t, nil
}

func (t *tableSource) close() {
	if t.it != nil {
		t.it.Close()
	}
	if t.r != nil {
		t.r.Close()
	}
}

func (t *tableSource) head() *entry { return t.e }

// next advances to the next readable entry. After an unreadable block it continues with the block
// behind it.
func (t *tableSource) next() error {
	start := t.it.First
	if t.last != nil {
		start = t.it.Next
	}
	kv := start()
	for {
		if kv == nil && t.it.Error() == nil {
			t.e = nil
			return nil
		}
		if kv == nil {
			t.file.skipLast()
			from := append(bytes.Clone(t.last), 0)
			if t.last == nil {
				from = nil
			}
			to := t.firstReadable(from)
			t.gaps = append(t.gaps, Gap{t.path, from, to})
			if to == nil {
				t.e = nil
				return nil
			}
			kv = seekGE(t.it.SeekGE, to)
			continue
		}
		t.last = append(t.last[:0], kv.K.UserKey...)
		value, _, err := kv.Value(nil)
		deletes, kindErr := isDeletion(kv.Kind())
		if err == nil && kindErr == nil {
			t.e = &entry{bytes.Clone(kv.K.UserKey), bytes.Clone(value), uint64(kv.SeqNum()), deletes}
			return nil
		}
		t.gaps = append(t.gaps, Gap{t.path, bytes.Clone(t.last), append(bytes.Clone(t.last), 0)})
		kv = t.it.Next()
	}
}

// keyWidth is the length of keys that firstReadable compares. Keys with a longer common prefix than
// this are in the same gap.
const keyWidth = 32

// firstReadable returns the smallest key, rounded to keyWidth bytes, from which on the block is
// readable, or nil. Keys in an unreadable block are consecutive, so a binary search finds it.
func (t *tableSource) firstReadable(from []byte) []byte {
	readable := func(key []byte) bool {
		kv := seekGE(t.it.SeekGE, key)
		if kv == nil && t.it.Error() != nil {
			t.file.skipLast()
			return false
		}
		return true
	}
	lo, hi := number(from), number(bytes.Repeat([]byte{0xff}, keyWidth))
	if !readable(bytes.Repeat([]byte{0xff}, keyWidth)) {
		return nil
	}
	one := big.NewInt(1)
	for new(big.Int).Sub(hi, lo).Cmp(one) > 0 {
		middle := new(big.Int).Rsh(new(big.Int).Add(lo, hi), 1)
		if readable(middle.FillBytes(make([]byte, keyWidth))) {
			hi = middle
		} else {
			lo = middle
		}
	}
	return hi.FillBytes(make([]byte, keyWidth))
}

func number(key []byte) *big.Int {
	padded := make([]byte, keyWidth)
	copy(padded, key)
	return new(big.Int).SetBytes(padded)
}

// seekGE calls SeekGE of an iterator, whose second parameter has a type that only Pebble can name.
func seekGE[Flags, KV any](seek func([]byte, Flags) KV, key []byte) KV {
	var none Flags
	return seek(key, none)
}

// erased returns the deleted ranges of the table.
func (t *tableSource) erased() (ranges []erasedRange, err error) {
	err = guard(t.path, func() error {
		it, err := t.r.NewRawRangeDelIter(context.Background(), sstable.NoFragmentTransforms, sstable.NoReadEnv)
		if err != nil || it == nil {
			return err
		}
		defer it.Close()
		span, err := it.First()
		for ; span != nil && err == nil; span, err = it.Next() {
			for _, k := range span.Keys {
				ranges = append(ranges, erasedRange{bytes.Clone(span.Start), bytes.Clone(span.End), uint64(k.SeqNum())})
			}
		}
		return err
	})
	return ranges, err
}

// A skippingFile fails at once when it reads a block that is known to be unreadable. Pebble would
// search for the flipped bit each time.
type skippingFile struct {
	vfs.File
	last int64
	bad  map[int64]bool
}

func (f *skippingFile) ReadAt(p []byte, at int64) (int, error) {
	f.last = at
	if f.bad[at] {
		return 0, fmt.Errorf("the block at offset %d is unreadable", at)
	}
	return f.File.ReadAt(p, at)
}

func (f *skippingFile) skipLast() { f.bad[f.last] = true }
