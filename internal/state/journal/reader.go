package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"time"

	"earshot"
)

// A reader takes fields from data. Its texts are parts of data, so a batch costs
// one allocation for all of them. The first error stays.
type reader struct {
	data string
	at   int
	err  error
}

var errCut = errors.New("the data ends in the middle of a post")

func (r *reader) post(p *earshot.Post) error {
	postFields(r, p)
	if r.err == nil && !r.take(endOfPost) {
		if r.at >= len(r.data) {
			return errCut
		}
		return fmt.Errorf("field %d is unknown or out of order", r.data[r.at])
	}
	return r.err
}

// take moves on if the next byte is the tag.
func (r *reader) take(tag byte) bool {
	if r.err != nil || r.at >= len(r.data) || r.data[r.at] != tag {
		return false
	}
	r.at++
	return true
}

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

func (r *reader) getNumber() uint64 {
	var n uint64
	for shift := 0; shift < 64 && r.at < len(r.data); shift += 7 {
		b := r.data[r.at]
		r.at++
		n |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return n
		}
	}
	r.fail(errCut)
	return 0
}

func (r *reader) getSigned() int64 {
	n := r.getNumber()
	return int64(n>>1) ^ -int64(n&1)
}

// getLength returns a length that what is left can hold.
func (r *reader) getLength() int {
	n := r.getNumber()
	if n > uint64(len(r.data)-r.at) {
		r.fail(errCut)
		return 0
	}
	return int(n)
}

func (r *reader) getText() string {
	n := r.getLength()
	s := r.data[r.at : r.at+n]
	r.at += n
	return s
}

func (r *reader) getFloat() float64 {
	if len(r.data)-r.at < 8 {
		r.fail(errCut)
		return 0
	}
	bits := binary.LittleEndian.Uint64([]byte(r.data[r.at : r.at+8]))
	r.at += 8
	return math.Float64frombits(bits)
}

func (r *reader) text(t byte, v *string) {
	if r.take(t) {
		*v = r.getText()
	}
}

func (r *reader) texts(t byte, v *[]string) {
	if r.take(t) {
		*v = list(r, func(s *string) { *s = r.getText() })
	}
}

func (r *reader) number(t byte, v *int64) {
	if r.take(t) {
		*v = r.getSigned()
	}
}

func (r *reader) count(t byte, v *earshot.Count) {
	if !r.take(t) {
		return
	}
	n := r.getNumber()
	if n >= math.MaxInt64 {
		r.fail(fmt.Errorf("field %d is too large", t))
		return
	}
	*v = earshot.Counted(int64(n))
}

func (r *reader) flag(t byte, v *bool) { *v = r.take(t) }

func (r *reader) moment(t byte, v *time.Time) {
	if r.take(t) {
		seconds := r.getSigned()
		*v = time.Unix(seconds, int64(r.getNumber()%1e9)).UTC()
	}
}

func (r *reader) decimal(t byte, v **float64) {
	if r.take(t) {
		x := r.getFloat()
		*v = &x
	}
}

func (r *reader) point(t byte, v **earshot.Point) {
	if r.take(t) {
		*v = &earshot.Point{Latitude: r.getFloat(), Longitude: r.getFloat()}
	}
}

func (r *reader) images(t byte, v *[]earshot.Image) {
	if !r.take(t) {
		return
	}
	*v = list(r, func(i *earshot.Image) {
		i.URL, i.Alt = r.getText(), r.getText()
		i.Brands = list(r, func(b *earshot.ImageBrand) {
			b.ID, b.Name, b.Size, b.Score = r.getText(), r.getText(), r.getText(), r.getFloat()
		})
		i.Objects = list(r, func(o *earshot.ImageObject) {
			o.Score, o.ClassID, o.ClassName = r.getFloat(), r.getSigned(), r.getText()
		})
	})
}

func (r *reader) pairs(t byte, v *map[string]string) {
	if !r.take(t) {
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

// list reads a list, growing as elements turn up rather than as announced.
func list[T any](r *reader, read func(*T)) []T {
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
	if r.take(t) {
		*v = r.getByte()
	}
}

func (r *reader) getByte() byte {
	if r.at >= len(r.data) {
		r.fail(errCut)
		return 0
	}
	r.at++
	return r.data[r.at-1]
}

func (r *reader) version(t byte, v *uint32) {
	if r.take(t) {
		*v = uint32(r.getNumber())
	}
}

func (r *reader) scores(t byte, v []earshot.Percent) {
	if !r.take(t) {
		return
	}
	for i := range v {
		v[i] = earshot.Percent(r.getByte())
	}
}

func (r *reader) interests(t byte, v *[]earshot.InterestID) {
	if r.take(t) {
		*v = list(r, func(id *earshot.InterestID) { *id = earshot.InterestID(r.getNumber()) })
	}
}
