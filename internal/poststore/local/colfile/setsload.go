package colfile

import "fmt"

func checkSetsEntry(e *entry, _ uint64) error {
	keyed := e.param[setsKeyed]
	if e.count > e.length || keyed > 1 {
		return fmt.Errorf("%d sets cannot be in %d bytes", e.count, e.length)
	}
	return checkLayout(e, e.param[setsStream], keyed*e.count+ceilDiv(e.count, recordsPerBlock))
}

func loadSets(src *rawSection) (reader, error) {
	stream := src.param[setsStream]
	tail := view[uint64](src.data[align(stream):])
	s := &Sets{stream: src.data[:stream], rows: src.rows, total: src.param[setsTotal]}
	if src.param[setsKeyed] == 1 {
		s.keys, tail = tail[:src.count], tail[src.count:]
	}
	s.records = records{s.stream, tail, src.count}
	s.bitsets.New = func() any {
		words := make([]uint64, ceilDiv(s.rows, 64))
		return &words
	}
	if err := s.records.check(); err != nil {
		return nil, err
	}
	return s, s.check()
}

// check makes sure that every bitmap is one, with rows of the file: the library trusts
// what it reads. Small sets are safe whatever their bytes are.
func (s *Sets) check() error {
	for i := range s.records.n {
		found, ok := s.decode(s.records.at(i))
		if ok && found.bitmap != nil {
			var n uint64
			n, ok = checkBitmap(found.bitmap, s.rows)
			ok = ok && n == uint64(found.count)
		}
		if !ok {
			return fmt.Errorf("set %d: %w", i, errMalformed)
		}
	}
	return nil
}

// verify checks that keys ascend and that small sets, too, are rows of the file.
func (s *Sets) verify() error {
	for i := 1; i < len(s.keys); i++ {
		if s.keys[i-1] >= s.keys[i] {
			return fmt.Errorf("key %d is not greater than the one before", i)
		}
	}
	total := uint64(0)
	for i := range s.records.n {
		found, _ := s.decode(s.records.at(i))
		n := uint64(found.count)
		if found.bitmap == nil {
			n = 0
			for range found.small.rows {
				n++
			}
			if n != uint64(found.cardinality()) {
				return fmt.Errorf("set %d: %w", i, errMalformed)
			}
		}
		total += n
	}
	if total != s.total {
		return fmt.Errorf("%d rows in all sets, not %d", total, s.total)
	}
	return nil
}
