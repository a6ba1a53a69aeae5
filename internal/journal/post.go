package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"earshot"
)

// An encoded post is a run of fields, each a tag and a value, ended by tag 0.
// Fields that say nothing are left out. postFields is the list, for writing and
// reading alike: tags rise, are never reused and never change their meaning, and a
// reader refuses those it does not know.
func postFields(f fields, p *earshot.Post) {
	f.text(1, (*string)(&p.Source))
	f.number(2, (*int64)(&p.ContentSource))
	f.number(3, (*int64)(&p.Team))
	f.text(4, &p.Batch)
	f.text(5, &p.GUID)
	f.text(6, &p.URL)
	f.text(7, &p.Site)
	f.moment(8, &p.Time)
	f.text(9, &p.Title)
	f.text(10, &p.Contents)
	f.text(11, &p.Language)
	f.text(12, &p.Author)
	f.text(13, &p.AuthorUsername)
	f.text(14, &p.AuthorProfileID)
	f.text(15, &p.Bio)
	f.text(16, (*string)(&p.Gender))
	f.count(17, &p.Age)
	f.count(18, &p.Followers)
	f.count(19, &p.Following)
	f.count(20, &p.AuthorPosts)
	f.count(21, &p.Klout)
	f.flag(22, &p.Verified)
	f.text(23, &p.Location)
	f.text(24, &p.Place.Country)
	f.text(25, &p.Place.State)
	f.text(26, &p.Place.City)
	f.point(27, &p.Point)
	f.text(28, &p.Zipcode)
	f.flag(29, &p.Geotagged)
	f.text(30, (*string)(&p.Engagement))
	f.text(31, &p.ParentGUID)
	f.text(32, &p.PageID)
	f.count(33, &p.Likes)
	f.count(34, &p.Shares)
	f.count(35, &p.Comments)
	f.count(36, &p.Replies)
	f.count(37, &p.Retweets)
	f.count(38, &p.Views)
	f.decimal(39, &p.Rating)
	f.texts(40, &p.Hashtags)
	f.texts(41, &p.Links)
	f.texts(42, &p.MediaURLs)
	f.images(43, &p.Images)
	f.pairs(44, &p.Custom)
}

// fields writes or reads one field after the other.
type fields interface {
	text(tag byte, v *string)
	texts(tag byte, v *[]string)
	number(tag byte, v *int64)
	count(tag byte, v *earshot.Count)
	flag(tag byte, v *bool)
	moment(tag byte, v *time.Time)
	decimal(tag byte, v **float64)
	point(tag byte, v **earshot.Point)
	images(tag byte, v *[]earshot.Image)
	pairs(tag byte, v *map[string]string)
}

const endOfPost = 0

func appendPost(b []byte, p *earshot.Post) []byte {
	w := writer{b}
	postFields(&w, p)
	return append(w.b, endOfPost)
}

// A writer appends fields.
type writer struct{ b []byte }

func (w *writer) tag(t byte)         { w.b = append(w.b, t) }
func (w *writer) putNumber(n uint64) { w.b = binary.AppendUvarint(w.b, n) }
func (w *writer) putFloat(x float64) {
	w.b = binary.LittleEndian.AppendUint64(w.b, math.Float64bits(x))
}
func (w *writer) putText(s string) { w.putNumber(uint64(len(s))); w.b = append(w.b, s...) }
func (w *writer) flag(t byte, v *bool) {
	if *v {
		w.tag(t)
	}
}

func (w *writer) text(t byte, v *string) {
	if *v != "" {
		w.tag(t)
		w.putText(*v)
	}
}

func (w *writer) texts(t byte, v *[]string) {
	if len(*v) > 0 {
		w.tag(t)
		w.putNumber(uint64(len(*v)))
		for _, s := range *v {
			w.putText(s)
		}
	}
}

func (w *writer) number(t byte, v *int64) {
	if *v != 0 {
		w.tag(t)
		w.b = binary.AppendVarint(w.b, *v)
	}
}

func (w *writer) count(t byte, v *earshot.Count) {
	if n, stated := v.Value(); stated {
		w.tag(t)
		w.putNumber(uint64(n))
	}
}

func (w *writer) moment(t byte, v *time.Time) {
	if !v.IsZero() {
		w.tag(t)
		w.b = binary.AppendVarint(w.b, v.Unix())
		w.putNumber(uint64(v.Nanosecond()))
	}
}

func (w *writer) decimal(t byte, v **float64) {
	if *v != nil {
		w.tag(t)
		w.putFloat(**v)
	}
}

func (w *writer) point(t byte, v **earshot.Point) {
	if *v != nil {
		w.tag(t)
		w.putFloat((*v).Latitude)
		w.putFloat((*v).Longitude)
	}
}

func (w *writer) images(t byte, v *[]earshot.Image) {
	if len(*v) == 0 {
		return
	}
	w.tag(t)
	w.putNumber(uint64(len(*v)))
	for _, i := range *v {
		w.putText(i.URL)
		w.putText(i.Alt)
		w.putNumber(uint64(len(i.Brands)))
		for _, b := range i.Brands {
			w.putText(b.ID)
			w.putText(b.Name)
			w.putText(b.Size)
			w.putFloat(b.Score)
		}
		w.putNumber(uint64(len(i.Objects)))
		for _, o := range i.Objects {
			w.putFloat(o.Score)
			w.b = binary.AppendVarint(w.b, o.ClassID)
			w.putText(o.ClassName)
		}
	}
}

func (w *writer) pairs(t byte, v *map[string]string) {
	if len(*v) == 0 {
		return
	}
	w.tag(t)
	w.putNumber(uint64(len(*v)))
	for _, key := range slices.Sorted(maps.Keys(*v)) { // equal posts have equal encodings
		w.putText(key)
		w.putText((*v)[key])
	}
}

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
