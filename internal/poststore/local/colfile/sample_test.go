package colfile

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// The sample is a small file with sections of every kind in all of their encodings.
const sampleRows = 300

func sampleOptions() Options {
	return Options{Rows: sampleRows, Meta: map[string]string{"day": "2026-03-10", "": "empty"}, BlockSize: 400}
}

func fillSample(w *Writer) error {
	var lists [][]uint32
	var records [][]byte
	for row := range uint32(sampleRows) {
		lists = append(lists, []uint32{row % 7, row % 3 * 100, 299}[:row%4])
		records = append(records, fmt.Appendf(nil, "post %d%s", row%50, strings.Repeat("!", int(row%5))))
	}
	lists[200] = between(0, 300)
	var most []uint32 // encoded as an array; all rows would be a run
	for row := uint32(0); row < sampleRows; row++ {
		if row%9 > 0 {
			most = append(most, row)
		}
	}
	return errors.Join(
		w.Uints("one", sampleUints(3)),
		w.Uints("four", sampleUints(1000)),
		w.Uints("eight", sampleUints(1<<57)),
		w.Strings("words", bytesOf(manyTexts(40))),
		w.Strings("none", bytesOf([]string(nil))),
		w.Lists("lists", 300, slices.Values(lists)),
		w.Sets("postings", numbered(slices.Concat(slices.Repeat([][]uint32{{1}, {2, 299}, nil}, 12), [][]uint32{most, between(0, 290)}))),
		w.Sets("monitors", keyed(map[uint64][]uint32{5: {7, 8}, 1 << 40: most})),
		w.Blobs("text", withoutErrors(records)),
	)
}

// sampleUints yields one number per row.
func sampleUints(factor uint64) func(yield func(uint64) bool) {
	return func(yield func(uint64) bool) {
		for row := range uint64(sampleRows) {
			if !yield(row % 70 * factor) {
				return
			}
		}
	}
}

// dump reads an entire section and returns it as text. It continues after corrupt records and
// returns the last error.
func dump(f *File, name string, kind Kind) (string, error) {
	switch kind {
	case KindUints:
		return dumpUints(f, name)
	case KindStrings:
		return dumpStrings(f, name)
	case KindLists:
		return dumpLists(f, name)
	case KindSets:
		return dumpSets(f, name)
	}
	return dumpBlobs(f, name)
}

func dumpUints(f *File, name string) (string, error) {
	u, err := f.Uints(name)
	if err != nil {
		return "", err
	}
	out := fmt.Appendln(nil, u.Min(), u.Max())
	for row := range f.Rows() {
		out = fmt.Appendln(out, u.At(uint32(row)))
	}
	return string(out), nil
}

func dumpStrings(f *File, name string) (string, error) {
	s, err := f.Strings(name)
	if err != nil {
		return "", err
	}
	var out []byte
	for c := s.Cursor(0); c.Next(); {
		id, ok := s.Find(string(c.Text()))
		from, to := s.Prefix(string(c.Text()))
		out = fmt.Appendf(out, "%d %q %q %d %t %d %d\n", c.ID(), c.Text(), s.At(c.ID()), id, ok, from, to)
	}
	return string(out), nil
}

func dumpLists(f *File, name string) (string, error) {
	l, err := f.Lists(name)
	if err != nil {
		return "", err
	}
	out := fmt.Appendln(nil, l.Limit(), l.Total())
	for row := range f.Rows() {
		out = fmt.Appendln(out, l.Append(nil, uint32(row)), l.Len(uint32(row)))
	}
	return string(out), nil
}

func dumpSets(f *File, name string) (string, error) {
	s, err := f.Sets(name)
	if err != nil {
		return "", err
	}
	var out []byte
	for key := range s.Keys() {
		out = fmt.Appendln(out, key, s.Cardinality(key), s.Append(nil, key), s.Bitmap(key).ToArray(), s.Contains(key, 7))
	}
	return string(out), nil
}

func dumpBlobs(f *File, name string) (string, error) {
	b, err := f.Blobs(name)
	if err != nil {
		return "", err
	}
	var out []byte
	var bad error
	r := b.Reader()
	for row := range f.Rows() {
		record, err := r.Get(uint32(row))
		if err != nil {
			bad = err
		}
		out = fmt.Appendf(out, "%q\n", record)
	}
	return string(out), bad
}

// dumpAll returns the text of every readable section, and the errors of the others.
func dumpAll(f *File) (texts map[string]string, errs map[string]error) {
	texts, errs = map[string]string{}, map[string]error{}
	for _, s := range f.Sections() {
		text, err := dump(f, s.Name, s.Kind)
		if err != nil {
			errs[s.Name] = err
			continue
		}
		texts[s.Name] = text
	}
	return texts, errs
}
