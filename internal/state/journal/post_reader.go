package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"time"

	"earshot"
)

// A reader reads fields from data. Its strings are substrings of data, so a batch needs a single
// allocation for all of them. The first error is sticky.
type reader struct {
	data   string
	offset int
	err    error
}

var errTruncated = errors.New("the data ends in the middle of a post")

func (r *reader) post(p *earshot.Post) error {
	postFields(r, p)
	if r.err == nil && !r.consume(endOfPost) {
		if r.offset >= len(r.data) {
			return errTruncated
		}
		return fmt.Errorf("field %d is unknown or out of order", r.data[r.offset])
	}
	return r.err
}

// consume skips the next byte if it equals tag, and reports whether it did.
func (r *reader) consume(tag byte) bool {
	if r.err != nil || r.offset >= len(r.data) || r.data[r.offset] != tag {
		return false
	}
	r.offset++
	return true
}

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

func (r *reader) getNumber() uint64 {
	var n uint64
	for shift := 0; shift < 64 && r.offset < len(r.data); shift += 7 {
		b := r.data[r.offset]
		r.offset++
		n |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return n
		}
	}
	r.fail(errTruncated)
	return 0
}

func (r *reader) getSigned() int64 {
	n := r.getNumber()
	return int64(n>>1) ^ -int64(n&1)
}

// getLength returns a length, which it checks against the remaining data.
func (r *reader) getLength() int {
	n := r.getNumber()
	if n > uint64(len(r.data)-r.offset) {
		r.fail(errTruncated)
		return 0
	}
	return int(n)
}

func (r *reader) getText() string {
	n := r.getLength()
	s := r.data[r.offset : r.offset+n]
	r.offset += n
	return s
}

func (r *reader) getFloat() float64 {
	if len(r.data)-r.offset < 8 {
		r.fail(errTruncated)
		return 0
	}
	bits := binary.LittleEndian.Uint64([]byte(r.data[r.offset : r.offset+8]))
	r.offset += 8
	return math.Float64frombits(bits)
}

func (r *reader) text(t byte, v *string) {
	if r.consume(t) {
		*v = r.getText()
	}
}

func (r *reader) texts(t byte, v *[]string) {
	if r.consume(t) {
		*v = readList(r, func(s *string) { *s = r.getText() })
	}
}

func (r *reader) number(t byte, v *int64) {
	if r.consume(t) {
		*v = r.getSigned()
	}
}

func (r *reader) count(t byte, v *earshot.Count) {
	if !r.consume(t) {
		return
	}
	n := r.getNumber()
	if n >= math.MaxInt64 {
		r.fail(fmt.Errorf("field %d is too large", t))
		return
	}
	*v = earshot.Counted(int64(n))
}

func (r *reader) flag(t byte, v *bool) { *v = r.consume(t) }

func (r *reader) timestamp(t byte, v *time.Time) {
	if r.consume(t) {
		seconds := r.getSigned()
		*v = time.Unix(seconds, int64(r.getNumber()%1e9)).UTC()
	}
}

func (r *reader) decimal(t byte, v **float64) {
	if r.consume(t) {
		x := r.getFloat()
		*v = &x
	}
}

func (r *reader) point(t byte, v **earshot.Point) {
	if r.consume(t) {
		*v = &earshot.Point{Latitude: r.getFloat(), Longitude: r.getFloat()}
	}
}

func (r *reader) images(t byte, v *[]earshot.Image) {
	if !r.consume(t) {
		return
	}
	*v = readList(r, func(i *earshot.Image) {
		i.URL, i.Alt = r.getText(), r.getText()
		i.Brands, i.Objects = r.getLabels()
	})
}

func (r *reader) getLabels() ([]earshot.ImageBrand, []earshot.ImageObject) {
	brands := readList(r, func(b *earshot.ImageBrand) {
		b.ID, b.Name, b.Size, b.Score = r.getText(), r.getText(), r.getText(), r.getFloat()
	})
	objects := readList(r, func(o *earshot.ImageObject) {
		o.Score, o.ClassID, o.ClassName = r.getFloat(), r.getSigned(), r.getText()
	})
	return brands, objects
}

func (r *reader) pictures(t byte, v []earshot.Image) {
	if !r.consume(t) {
		return
	}
	for range r.getLength() {
		i := r.getNumber()
		if r.err != nil || i >= uint64(len(v)) {
			r.fail(fmt.Errorf("field %d is about image %d of %d", t, i, len(v)))
			return
		}
		p := &earshot.Picture{Hash: r.getText(), Similar: r.getNumber(), Width: r.getInt(), Height: r.getInt(), Model: r.getText()}
		p.Brands, p.Objects = r.getLabels()
		v[i].Picture = p
	}
}

// getInt returns a number that is not negative and fits into 32 bits.
func (r *reader) getInt() int {
	n := r.getNumber()
	if n > math.MaxInt32 {
		r.fail(errors.New("a number is too large"))
		return 0
	}
	return int(n)
}

func (r *reader) pairs(t byte, v *map[string]string) {
	if !r.consume(t) {
		return
	}
	n := r.getLength()
	*v = make(map[string]string, min(n, 100))
	for range n {
		if r.err != nil {
			return
		}
		key := r.getText()
		(*v)[key] = r.getText()
	}
}

// readList reads a list. It grows the list as elements are read, because the encoded length may be
// wrong.
func readList[T any](r *reader, read func(*T)) []T {
	n := r.getLength()
	var all []T
	if n > 0 {
		all = make([]T, 0, min(n, 100))
	}
	for range n {
		if r.err != nil {
			return nil
		}
		all = append(all, *new(T))
		read(&all[len(all)-1])
	}
	return all
}

func (r *reader) small(t byte, v *uint8) {
	if r.consume(t) {
		*v = r.getByte()
	}
}

func (r *reader) getByte() byte {
	if r.offset >= len(r.data) {
		r.fail(errTruncated)
		return 0
	}
	r.offset++
	return r.data[r.offset-1]
}

func (r *reader) version(t byte, v *uint32) {
	if r.consume(t) {
		*v = uint32(r.getNumber())
	}
}

func (r *reader) scores(t byte, v []earshot.Percent) {
	if !r.consume(t) {
		return
	}
	for i := range v {
		v[i] = earshot.Percent(r.getByte())
	}
}

func (r *reader) interests(t byte, v *[]earshot.InterestID) {
	if r.consume(t) {
		*v = readList(r, func(id *earshot.InterestID) { *id = earshot.InterestID(r.getNumber()) })
	}
}
