package local

import (
	"encoding/binary"

	"earshot/internal/poststore"
	"earshot/internal/poststore/local/segment"
)

// encodeDay returns the encoding of a cache entry: the fingerprint of the posts, followed for each
// tally by the number of rows and, for each row, its key, posts and sums.
func encodeDay(fingerprint segment.Fingerprint, tallies [][]poststore.Row) []byte {
	var b []byte
	b = binary.LittleEndian.AppendUint64(b, fingerprint[0])
	b = binary.LittleEndian.AppendUint64(b, fingerprint[1])
	for _, rows := range tallies {
		b = appendRows(b, rows)
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

// decodeDay decodes the result of encodeDay. It returns false if the fingerprint differs or the
// data is malformed. All keys share one copy of the data.
func decodeDay(data []byte, fingerprint segment.Fingerprint, ts []poststore.Tally) (rows [][]poststore.Row, ok bool) {
	if len(data) < 16 || binary.LittleEndian.Uint64(data) != fingerprint[0] || binary.LittleEndian.Uint64(data[8:]) != fingerprint[1] {
		return nil, false
	}
	r := resultReader{data: string(data[16:]), ok: true}
	rows = make([][]poststore.Row, len(ts))
	for i := range ts {
		rows[i] = r.rows(len(ts[i].By), len(ts[i].Sum))
	}
	return rows, r.ok && r.left() == 0
}

// rows reads rows with the given numbers of keys and sums.
func (r *resultReader) rows(keys, sums int) []poststore.Row {
	n := r.number()
	if n > uint64(r.left()) {
		r.ok = false
		return nil
	}
	rows := make([]poststore.Row, n)
	texts, sums64 := make([]string, int(n)*keys), make([]int64, int(n)*sums)
	for i := range rows {
		row := &rows[i]
		row.Key, texts = texts[:keys:keys], texts[keys:]
		row.Sums, sums64 = sums64[:sums:sums], sums64[sums:]
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

// A resultReader decodes numbers and strings. It sets ok to false when the data is malformed.
type resultReader struct {
	data string
	at   int
	ok   bool
}

// left returns the number of unread bytes.
func (r *resultReader) left() int { return len(r.data) - r.at }

func (r *resultReader) number() uint64 {
	if r.at < len(r.data) && r.data[r.at] < 0x80 { // by far the most common case
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
