package opinion

import (
	"bytes"
	"encoding/gob"
	"math"
	"sync"

	"earshot"
	"earshot/internal/quantify"
)

// A Model tells the shares of categories of posts. It is safe for parallel use.
type Model struct {
	Categories []earshot.CategoryID
	Saved      saved
	lessons    []quantify.Lesson
	report     Report
	spare      sync.Pool
}

type saved struct {
	Sharpness float64
	Weights   map[uint64][]float32
	IDF       map[uint64]float32
}

// Prior returns the shares that categories have by themselves: those of Score are
// calibrated for posts that come from the categories with these frequencies.
func (m *Model) Prior() []float64 {
	prior := make([]float64, len(m.Categories))
	for k := range prior {
		prior[k] = 1 / float64(len(prior))
	}
	return prior
}

// Score appends to dst the share of each category of a post. They add up to 1.
func (m *Model) Score(p *earshot.Post, dst []float32) []float32 {
	r, _ := m.spare.Get().(*reader)
	if r == nil {
		r = new(reader)
	}
	defer m.spare.Put(r)
	start := len(dst)
	for range m.Categories {
		dst = append(dst, 0)
	}
	shares := dst[start:]
	var norm float64
	for _, f := range r.read(p) {
		v, ok := m.Saved.IDF[f]
		if !ok {
			v = 4
		}
		norm += float64(v * v)
		for k, w := range m.Saved.Weights[f] {
			shares[k] += v * w
		}
	}
	scale := float32(1 / math.Sqrt(norm+1e-9))
	for k := range shares {
		shares[k] *= scale
	}
	softmax(shares, m.Saved.Sharpness)
	return dst
}

// Lessons returns what models that had not seen them tell of the documents. The caller
// must not change it.
func (m *Model) Lessons() []quantify.Lesson { return m.lessons }

type file struct {
	Categories []earshot.CategoryID
	Saved      saved
	Lessons    []quantify.Lesson
	Report     Report
}

// AppendBinary appends the model in the form that Open reads.
func (m *Model) AppendBinary(dst []byte) ([]byte, error) {
	b := bytes.NewBuffer(dst)
	err := gob.NewEncoder(b).Encode(file{m.Categories, m.Saved, m.lessons, m.report})
	return b.Bytes(), err
}

// Open returns the model that AppendBinary wrote.
func Open(data []byte) (*Model, error) {
	var f file
	if err := gob.NewDecoder(bytes.NewReader(data)).Decode(&f); err != nil {
		return nil, err
	}
	return &Model{Categories: f.Categories, Saved: f.Saved, lessons: f.Lessons, report: f.Report}, nil
}
