package colfile

import (
	"encoding/binary"
	"fmt"
	"iter"

	"github.com/RoaringBitmap/roaring/v2"
)

// Sets writes a set of rows per key. Keys, and the rows of each key, must be strictly ascending.
// Sets iterates over sets once, and sets may reuse a slice of rows after yielding it.
func (w *Writer) Sets(name string, sets iter.Seq2[uint64, []uint32]) error {
	return w.section(name, KindSets, func(e *entry, s *sink) error {
		out := setsWriter{records: recordWriter{s: s}, s: s, rows: w.footer.rows}
		for key, rows := range sets {
			if s.err != nil {
				return s.err
			}
			if err := out.add(key, rows); err != nil {
				return fmt.Errorf("key %d: %w", key, err)
			}
		}
		out.finish(e)
		return s.err
	})
}

type setsWriter struct {
	records recordWriter
	s       *sink
	rows    uint64
	n       uint64   // number of sets so far
	total   uint64   // number of rows in them
	last    uint64   // last key
	keys    []uint64 // nil while they are consecutive from 0
	record  []byte
	bitmap  roaring.Bitmap
}

func (w *setsWriter) add(key uint64, rows []uint32) error {
	if w.n > 0 && key <= w.last {
		return fmt.Errorf("not greater than the previous key, %d", w.last)
	}
	for i, row := range rows {
		if i > 0 && row <= rows[i-1] {
			return fmt.Errorf("row %d is not greater than the previous row, %d", row, rows[i-1])
		}
	}
	if n := len(rows); n > 0 && uint64(rows[n-1]) >= w.rows {
		return fmt.Errorf("row %d is out of range: the file has %d rows", rows[n-1], w.rows)
	}
	w.addKey(key)
	w.total += uint64(len(rows))
	w.record = w.record[:0]
	if len(rows) > maxSmallSet {
		return w.addBitmap(rows)
	}
	for i, row := range rows {
		if i == 0 {
			w.record = binary.AppendUvarint(w.record, uint64(row)<<1)
		} else {
			w.record = binary.AppendUvarint(w.record, uint64(row-rows[i-1]-1))
		}
	}
	w.records.add(w.record)
	return nil
}

// addKey records keys unless they are consecutive from 0.
func (w *setsWriter) addKey(key uint64) {
	if key != w.n && w.keys == nil {
		w.keys = make([]uint64, 0, w.n+1)
		for i := range w.n {
			w.keys = append(w.keys, i)
		}
	}
	if w.keys != nil {
		w.keys = append(w.keys, key)
	}
	w.last = key
	w.n++
}

// addBitmap writes a bitmap, then a record that locates it.
func (w *setsWriter) addBitmap(rows []uint32) error {
	w.bitmap.Clear()
	w.bitmap.AddMany(rows)
	w.bitmap.RunOptimize()
	w.s.pad() // aligns most words in the bitmap
	offset := w.s.n
	if _, err := w.bitmap.WriteTo(w.s); err != nil {
		return err
	}
	w.record = binary.AppendUvarint(w.record, uint64(len(rows))<<1|1)
	w.record = binary.AppendUvarint(w.record, offset)
	w.record = binary.AppendUvarint(w.record, w.s.n-offset)
	w.records.add(w.record)
	return nil
}

func (w *setsWriter) finish(e *entry) {
	w.records.flush()
	e.count = w.n
	e.param[setsStream] = w.s.n
	e.param[setsTotal] = w.total
	w.s.pad()
	if w.keys != nil {
		e.param[setsKeyed] = 1
		w.s.uint64s(w.keys)
	}
	w.s.uint64s(w.records.offsets)
}
