package journal

import (
	"encoding/binary"
	"maps"
	"math"
	"slices"
	"time"

	"earshot"
)

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

func (w *writer) timestamp(t byte, v *time.Time) {
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
		w.putLabels(i.Brands, i.Objects)
	}
}

func (w *writer) putLabels(brands []earshot.ImageBrand, objects []earshot.ImageObject) {
	w.putNumber(uint64(len(brands)))
	for _, b := range brands {
		w.putText(b.ID)
		w.putText(b.Name)
		w.putText(b.Size)
		w.putFloat(b.Score)
	}
	w.putNumber(uint64(len(objects)))
	for _, o := range objects {
		w.putFloat(o.Score)
		w.b = binary.AppendVarint(w.b, o.ClassID)
		w.putText(o.ClassName)
	}
}

// pictures writes the pictures of images, each with the index of its image.
func (w *writer) pictures(t byte, v []earshot.Image) {
	n := 0
	for i := range v {
		if v[i].Picture != nil {
			n++
		}
	}
	if n == 0 {
		return
	}
	w.tag(t)
	w.putNumber(uint64(n))
	for i := range v {
		if p := v[i].Picture; p != nil {
			w.putNumber(uint64(i))
			w.putText(p.Hash)
			w.putNumber(p.Similar)
			w.putNumber(uint64(p.Width))
			w.putNumber(uint64(p.Height))
			w.putText(p.Model)
			w.putLabels(p.Brands, p.Objects)
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

func (w *writer) small(t byte, v *uint8) {
	if *v != 0 {
		w.tag(t)
		w.b = append(w.b, *v)
	}
}

func (w *writer) version(t byte, v *uint32) {
	if *v != 0 {
		w.tag(t)
		w.putNumber(uint64(*v))
	}
}

// scores writes one byte per class.
func (w *writer) scores(t byte, v []earshot.Percent) {
	if slices.Max(v) == 0 {
		return
	}
	w.tag(t)
	for _, score := range v {
		w.b = append(w.b, byte(score))
	}
}

func (w *writer) interests(t byte, v *[]earshot.InterestID) {
	if len(*v) == 0 {
		return
	}
	w.tag(t)
	w.putNumber(uint64(len(*v)))
	for _, id := range *v {
		w.putNumber(uint64(id))
	}
}
