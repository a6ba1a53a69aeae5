package insight

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"

	"golang.org/x/sync/errgroup"

	"earshot/internal/model/quantify"
	"earshot/internal/poststore"
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
// emptied: all of it can be computed again. What several ask for at the same time is computed
// once.
type estimates struct {
	mu     sync.Mutex
	makers map[int64]*quantify.Estimator // by the record of the model
	kept   map[fingerprint]*estimated
}

// An estimated is an estimate, or a place for one that is being made.
type estimated struct {
	once  sync.Once
	value quantify.Estimate
}

const (
	mostEstimates  = 50_000
	mostEstimators = 64
)

// scores are those of the posts of consecutive days.
type scores struct {
	sorting Sorting
	days    []quantify.Day
	prints  []fingerprint
}

// last returns what is estimated of the last n days, on all cores: bounds take their time.
func (e *estimates) last(ctx context.Context, of *scores, n int, bounds bool) ([]quantify.Estimate, error) {
	made := make([]quantify.Estimate, n)
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range made {
		if ctx.Err() != nil {
			break
		}
		group.Go(func() (err error) {
			defer func() {
				if r := recover(); r != nil { // it would end the process
					err = fmt.Errorf("estimate shares: panic: %v\n%s", r, debug.Stack())
				}
			}()
			made[i] = e.estimate(of, len(of.days)-n+i, bounds)
			return nil
		})
	}
	return made, errors.Join(group.Wait(), ctx.Err())
}

// estimate returns what is estimated of a day.
func (e *estimates) estimate(of *scores, day int, bounds bool) quantify.Estimate {
	first := max(0, day-quantify.LookbackDays)
	name := of.name(first, day, bounds)
	e.mu.Lock()
	found := e.kept[name]
	if found == nil {
		if e.kept == nil || len(e.kept) >= mostEstimates {
			e.kept = map[fingerprint]*estimated{}
		}
		found = &estimated{}
		e.kept[name] = found
	}
	e.mu.Unlock()
	found.once.Do(func() {
		defer func() {
			if found.value.Prevalence == nil { // it panicked
				e.forget(name)
			}
		}()
		found.value = e.maker(of.sorting).Day(of.days[first:day+1], bounds)
	})
	if found.value.Prevalence == nil {
		panic("the estimate of a day failed for someone else who asked")
	}
	return found.value
}

func (e *estimates) forget(name fingerprint) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.kept, name)
}

// name returns a fingerprint of all that the estimate of a day depends on.
func (s *scores) name(first, last int, bounds bool) fingerprint {
	h := sha256.New()
	var head [9]byte
	binary.BigEndian.PutUint64(head[:], uint64(s.sorting.Record))
	if bounds {
		head[8] = 1
	}
	h.Write(head[:])
	for _, print := range s.prints[first : last+1] {
		h.Write(print[:])
	}
	return fingerprint(h.Sum(nil))
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
