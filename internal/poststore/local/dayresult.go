package local

import (
	"encoding/binary"
	"slices"

	"earshot/internal/poststore"
	"earshot/internal/poststore/local/segment"
)

// mostResultBytes is how long a day's result may be to be kept.
const mostResultBytes = 1 << 20

// key returns where the result of a tally for a day is kept. The day is named by the
// moments between which it lies: what a day of a zone is may change.
func (c *calendar) key(day, tally int) []byte {
	t := &c.tallies[tally]
	key := recID(recDay, uint64(c.monitor), segment.Seconds(c.starts[day]), segment.Seconds(c.starts[day+1]))
	for _, d := range t.By {
		key = append(key, byte(d))
	}
	key = append(key, 0)
	for _, m := range t.Sum {
		key = append(key, byte(m))
	}
	key = append(key, 0)
	return append(key, c.zone...)
}

// A kept result is the fingerprint of the posts, the number of rows, and for each row
// its key and its figures.
func appendResult(print segment.Fingerprint, rows []poststore.Row) []byte {
	return appendAnswer(print, [][]poststore.Row{rows})
}

// appendAnswer writes the results of several tallies, one after the other.
func appendAnswer(print segment.Fingerprint, rows [][]poststore.Row) []byte {
	var b []byte
	b = binary.LittleEndian.AppendUint64(b, print[0])
	b = binary.LittleEndian.AppendUint64(b, print[1])
	for _, ofTally := range rows {
		b = appendRows(b, ofTally)
	}
	return b
}

func appendRows(b []byte, rows []poststore.Row) []byte {
	b = binary.AppendUvarint(b, uint64(len(rows)))
	for _, r := range rows {
		for _, k := range r.Key {
			b = append(binary.AppendUvarint(b, uint64(len(k))), k...)
		}
		b = binary.AppendUvarint(b, uint64(r.Posts))
		for _, sum := range r.Sums {
			b = binary.AppendUvarint(b, uint64(sum))
		}
	}
	return b
}

// readResult reads what appendResult wrote, if it is about the same posts.
func readResult(data []byte, print segment.Fingerprint, t *poststore.Tally) (rows []poststore.Row, ok bool) {
	all, ok := readAnswer(data, print, []poststore.Tally{*t})
	if !ok {
		return nil, false
	}
	return all[0], true
}

// readAnswer reads what appendAnswer wrote, if it is about the same posts. All keys share
// the memory of one copy of the data.
func readAnswer(data []byte, print segment.Fingerprint, ts []poststore.Tally) (rows [][]poststore.Row, ok bool) {
	if len(data) < 16 || binary.LittleEndian.Uint64(data) != print[0] || binary.LittleEndian.Uint64(data[8:]) != print[1] {
		return nil, false
	}
	r := resultReader{data: string(data[16:]), ok: true}
	rows = make([][]poststore.Row, len(ts))
	for i := range ts {
		rows[i] = r.rows(len(ts[i].By), len(ts[i].Sum))
	}
	return rows, r.ok && r.left() == 0
}

// rows reads rows of so many keys and sums.
func (r *resultReader) rows(keys, sums int) []poststore.Row {
	n := r.number()
	if n > uint64(r.left()) {
		r.ok = false
		return nil
	}
	rows := make([]poststore.Row, n)
	texts, figures := make([]string, int(n)*keys), make([]int64, int(n)*sums)
	for i := range rows {
		row := &rows[i]
		row.Key, texts = texts[:keys:keys], texts[keys:]
		row.Sums, figures = figures[:sums:sums], figures[sums:]
		for k := range row.Key {
			row.Key[k] = r.text()
		}
		row.Posts = int64(r.number())
		for k := range row.Sums {
			row.Sums[k] = int64(r.number())
		}
	}
	return rows
}

// A resultReader takes numbers and texts from data; ok turns false when it cannot.
type resultReader struct {
	data string
	at   int
	ok   bool
}

// left returns how many bytes there are to come.
func (r *resultReader) left() int { return len(r.data) - r.at }

func (r *resultReader) number() uint64 {
	if r.at < len(r.data) && r.data[r.at] < 0x80 { // nearly always
		r.at++
		return uint64(r.data[r.at-1])
	}
	return r.longNumber()
}

func (r *resultReader) longNumber() (n uint64) {
	for shift := 0; shift < 64 && r.left() > 0; shift += 7 {
		b := r.data[r.at]
		r.at++
		n |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return n
		}
	}
	r.ok = false
	return 0
}

func (r *resultReader) text() string {
	n := r.number()
	if n > uint64(r.left()) {
		r.ok = false
		return ""
	}
	r.at += int(n)
	return r.data[r.at-int(n) : r.at]
}

// A rowSum adds rows up that have the same key.
type rowSum struct {
	rows  []poststore.Row
	place map[string]int // by key; nil: no two days have the same
	name  []byte
	bytes int64
}

func newRowSum(t *poststore.Tally) *rowSum {
	s := new(rowSum)
	if !slices.Contains(t.By, poststore.ByHour) { // days share no hour, but may share a date
		s.place = map[string]int{}
	}
	if len(t.By) == 0 {
		s.rows = []poststore.Row{{Key: []string{}, Sums: make([]int64, len(t.Sum))}}
		s.place[""] = 0
	}
	return s
}

// rowBytes is about how much memory a row takes, its key aside.
const rowBytes = 120

// add adds the rows of a day. It fails when they become too many.
func (s *rowSum) add(rows []poststore.Row) error {
	for i := range rows {
		row := &rows[i]
		if s.place != nil {
			key := s.key(row)
			if at, known := s.place[key]; known {
				s.rows[at].Posts += row.Posts
				for k, n := range row.Sums {
					s.rows[at].Sums[k] = poststore.SaturatingAdd(s.rows[at].Sums[k], n)
				}
				continue
			}
			s.place[key] = len(s.rows)
			s.bytes += int64(len(key))
		}
		s.rows = append(s.rows, *row)
		if s.bytes += rowBytes; s.bytes > segment.MaxQueryBytes {
			return segment.ErrTooManyGroups
		}
	}
	return nil
}

// key names the key of a row. Several values are named with their lengths, because they
// may contain anything that could stand between them.
func (s *rowSum) key(row *poststore.Row) string {
	if len(row.Key) == 1 {
		return row.Key[0]
	}
	s.name = s.name[:0]
	for _, k := range row.Key {
		s.name = append(binary.AppendUvarint(s.name, uint64(len(k))), k...)
	}
	return string(s.name)
}
