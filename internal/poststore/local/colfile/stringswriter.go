package colfile

import (
	"bytes"
	"fmt"
	"iter"
)

// Strings writes a dictionary. The strings must ascend, none may come twice. They are
// ranged over once, and one may be overwritten after it was yielded.
func (w *Writer) Strings(name string, texts iter.Seq[[]byte]) error {
	return w.section(name, KindStrings, func(e *entry, s *sink) error {
		var offsets []uint64
		var before []byte
		for text := range texts {
			switch {
			case s.err != nil:
				return s.err
			case e.count > 0 && bytes.Compare(text, before) <= 0:
				return fmt.Errorf("string %d, %.100q, is not greater than the one before, %.100q", e.count, text, before)
			case e.count == maxRows:
				return fmt.Errorf("more than %d strings", uint64(maxRows))
			}
			shared := 0
			if e.count%stringsPerBlock == 0 {
				offsets = append(offsets, s.n)
			} else {
				shared = commonPrefix(before, text)
				s.uvarint(uint64(shared))
			}
			s.uvarint(uint64(len(text) - shared))
			s.Write(text[shared:])
			before = append(before[:shared], text[shared:]...)
			e.count++
		}
		e.param[stringsStream] = s.n
		s.pad()
		s.uint64s(offsets)
		return s.err
	})
}
