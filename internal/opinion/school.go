package opinion

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"sync"

	"earshot"
	"earshot/internal/classify"
	"earshot/internal/quantify"
)

const (
	strength = 8
	folds    = 10
)

// A school is what learning needs.
type school struct {
	categories []earshot.CategoryID
	docs       []*Document
	classes    []int
	vocabulary map[uint64]uint32
	df         []int
	examples   []classify.Example
	lessons    []quantify.Lesson
	sharpness  float64
}

func compare(a, b *Document) int {
	return cmp.Or(
		cmp.Compare(a.Category, b.Category),
		cmp.Compare(a.Post.URL, b.Post.URL),
		cmp.Compare(a.Post.GUID, b.Post.GUID),
		cmp.Compare(a.Post.Contents, b.Post.Contents),
		cmp.Compare(a.Post.Title, b.Post.Title),
	)
}

func newSchool(categories []earshot.CategoryID, docs []Document) (*school, error) {
	at, err := places(categories)
	if err != nil {
		return nil, err
	}
	s := &school{categories: categories, docs: sorted(docs), vocabulary: map[uint64]uint32{}}
	counts := make([]int, len(categories))
	var r reader
	for _, d := range s.docs {
		k, ok := at[d.Category]
		if !ok {
			return nil, fmt.Errorf("opinion: a document of category %d, which is none of the model's", d.Category)
		}
		counts[k]++
		ex := classify.Example{Class: k}
		for _, f := range r.read(&d.Post) {
			id, ok := s.vocabulary[f]
			if !ok {
				id = uint32(len(s.vocabulary))
				s.vocabulary[f] = id
				s.df = append(s.df, 0)
			}
			s.df[id]++
			ex.Features = append(ex.Features, id)
		}
		s.examples = append(s.examples, ex)
	}
	for k, n := range counts {
		if n == 0 {
			return nil, fmt.Errorf("opinion: category %d has no documents", categories[k])
		}
	}
	for i := range s.examples {
		ex := &s.examples[i]
		var norm float64
		for _, f := range ex.Features {
			v := idf(s.df[f], len(s.docs))
			ex.Values = append(ex.Values, v)
			norm += float64(v * v)
		}
		scale := float32(1 / math.Sqrt(norm+1e-9))
		for j := range ex.Values {
			ex.Values[j] *= scale
		}
		ex.Weight = float32(len(s.docs)) / float32(len(categories)*counts[ex.Class])
	}
	return s, nil
}

func idf(df, n int) float32 { return float32(math.Log(float64(n+1)/float64(df+1))) + 1 }

// examine tells the shares of each document by a model that has not seen it.
func (s *school) examine(ctx context.Context) error {
	s.lessons = make([]quantify.Lesson, len(s.examples))
	var wait sync.WaitGroup
	for fold := range folds {
		wait.Go(func() {
			if ctx.Err() == nil {
				s.fold(fold)
			}
		})
	}
	wait.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var judged []classify.Judgement
	for _, l := range s.lessons {
		right := make([]bool, len(s.categories))
		right[l.Category] = true
		judged = append(judged, classify.Judgement{Shares: l.Shares, Right: right})
	}
	s.sharpness = float64(classify.Sharpness(judged))
	for _, l := range s.lessons {
		sharpen(l.Shares, s.sharpness)
	}
	return nil
}

func (s *school) fold(fold int) {
	var train []classify.Example
	for i, ex := range s.examples {
		if i%folds != fold {
			train = append(train, ex)
		}
	}
	r := classify.NewRegression(len(s.categories), len(s.vocabulary), strength, train)
	r.Settle(0.001, 30)
	for i, ex := range s.examples {
		if i%folds == fold {
			shares := make([]float32, len(s.categories))
			r.Sums(ex, shares)
			softmax(shares, 1)
			s.lessons[i] = quantify.Lesson{Shares: shares, Category: ex.Class}
		}
	}
}

func (s *school) graduate() *Model {
	r := classify.NewRegression(len(s.categories), len(s.vocabulary), strength, s.examples)
	r.Settle(0.001, 30)
	m := &Model{Categories: s.categories, lessons: s.lessons}
	m.Saved = saved{Sharpness: s.sharpness, Weights: map[uint64][]float32{}, IDF: map[uint64]float32{}}
	for f, id := range s.vocabulary {
		m.Saved.Weights[f] = r.Weights[int(id)*r.Classes:][:r.Classes]
		m.Saved.IDF[f] = idf(s.df[id], len(s.docs))
	}
	m.report = Report{Documents: len(s.docs)}
	return m
}

func sharpen(shares []float32, power float64) {
	for k, v := range shares {
		shares[k] = float32(math.Log(float64(v) + 1e-12))
	}
	softmax(shares, power)
}

func softmax(x []float32, power float64) {
	top := x[0]
	for _, v := range x {
		top = max(top, v)
	}
	var sum float32
	for i, v := range x {
		x[i] = float32(math.Exp(float64(v-top) * power))
		sum += x[i]
	}
	for i := range x {
		x[i] /= sum
	}
}
