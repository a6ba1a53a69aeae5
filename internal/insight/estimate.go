package insight

import (
	"crypto/sha256"
	"encoding/binary"
	"sync"

	"earshot/internal/poststore"
	"earshot/internal/quantify"
)

// A fingerprint stands for what something was computed from.
type fingerprint [sha256.Size]byte

// printOf returns the fingerprint of rows.
func printOf(rows []poststore.Row) fingerprint {
	h := sha256.New()
	var number [8]byte
	for _, row := range rows {
		h.Write([]byte(row.Key[0]))
		binary.BigEndian.PutUint64(number[:], uint64(row.Posts))
		h.Write(number[:])
	}
	return fingerprint(h.Sum(nil))
}

// estimates keeps what was estimated, and what estimates are made with. When it is full, it is
// emptied: all of it can be computed again.
type estimates struct {
	mu     sync.Mutex
	makers map[int64]*quantify.Estimator // by the record of the model
	kept   map[fingerprint]quantify.Estimate
}

const (
	mostEstimates  = 50_000
	mostEstimators = 64
)

// estimate returns what is estimated of a day.
func (o *opinionCount) estimate(s *Service, day int, intervals bool) quantify.Estimate {
	last := o.before + day
	first := max(0, last-quantify.Memory)
	name := o.name(first, last, intervals)
	if known, ok := s.opinions.find(name); ok {
		return known
	}
	maker := s.opinions.maker(o.sorting)
	list := maker.Daily(o.scores[first:last+1], intervals)
	made := list[len(list)-1]
	s.opinions.keep(name, made)
	return made
}

// name returns a fingerprint of all that the estimate of a day depends on.
func (o *opinionCount) name(first, last int, intervals bool) fingerprint {
	h := sha256.New()
	var head [9]byte
	binary.BigEndian.PutUint64(head[:], uint64(o.sorting.Record))
	if intervals {
		head[8] = 1
	}
	h.Write(head[:])
	for _, print := range o.prints[first : last+1] {
		h.Write(print[:])
	}
	return fingerprint(h.Sum(nil))
}

func (e *estimates) find(name fingerprint) (quantify.Estimate, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	known, ok := e.kept[name]
	return known, ok
}

func (e *estimates) keep(name fingerprint, made quantify.Estimate) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.kept == nil || len(e.kept) >= mostEstimates {
		e.kept = map[fingerprint]quantify.Estimate{}
	}
	e.kept[name] = made
}

// maker returns what makes estimates from scores of a model.
func (e *estimates) maker(by Sorting) *quantify.Estimator {
	e.mu.Lock()
	made := e.makers[by.Record]
	e.mu.Unlock()
	if made != nil {
		return made
	}
	made = quantify.New(len(by.Model.Categories), by.Model.Prior(), by.Model.Lessons())
	e.mu.Lock()
	defer e.mu.Unlock()
	if known := e.makers[by.Record]; known != nil {
		return known
	}
	if e.makers == nil || len(e.makers) >= mostEstimators {
		e.makers = map[int64]*quantify.Estimator{}
	}
	e.makers[by.Record] = made
	return made
}
