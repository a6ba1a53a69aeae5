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

// fingerprintOf returns the fingerprint of rows.
func fingerprintOf(rows []poststore.Row) fingerprint {
	h := sha256.New()
	var number [8]byte
	for _, row := range rows {
		h.Write([]byte(row.Key[0]))
		binary.BigEndian.PutUint64(number[:], uint64(row.Posts))
		h.Write(number[:])
	}
	return fingerprint(h.Sum(nil))
}

// estimateCache keeps what was estimated, and what estimates are made with. When it is full, it is
// emptied: all of it can be computed again. What several ask for at the same time is computed
// once.
type estimateCache struct {
	mu         sync.Mutex
	estimators map[int64]*quantify.Estimator // by the record of the model
	entries    map[fingerprint]*estimateEntry
}

// An estimateEntry is an estimate, or a place for one that is being made.
type estimateEntry struct {
	once  sync.Once
	value quantify.Estimate
}

const (
	maxEstimates  = 50_000
	maxEstimators = 64
)

// scores are those of the posts of consecutive days.
type scores struct {
	categorization Categorization
	days           []quantify.Day
	fingerprints   []fingerprint
}

// lastDays returns what is estimated of the last n days, on all cores: bounds take their time.
func (e *estimateCache) lastDays(ctx context.Context, s *scores, n int, bounds bool) ([]quantify.Estimate, error) {
	estimates := make([]quantify.Estimate, n)
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range estimates {
		if ctx.Err() != nil {
			break
		}
		group.Go(func() (err error) {
			defer func() {
				if r := recover(); r != nil { // it would end the process
					err = fmt.Errorf("estimate shares: panic: %v\n%s", r, debug.Stack())
				}
			}()
			estimates[i] = e.estimate(s, len(s.days)-n+i, bounds)
			return nil
		})
	}
	return estimates, errors.Join(group.Wait(), ctx.Err())
}

// estimate returns what is estimated of a day.
func (e *estimateCache) estimate(s *scores, day int, bounds bool) quantify.Estimate {
	first := max(0, day-quantify.LookbackDays)
	key := s.key(first, day, bounds)
	e.mu.Lock()
	entry := e.entries[key]
	if entry == nil {
		if e.entries == nil || len(e.entries) >= maxEstimates {
			e.entries = map[fingerprint]*estimateEntry{}
		}
		entry = &estimateEntry{}
		e.entries[key] = entry
	}
	e.mu.Unlock()
	entry.once.Do(func() {
		defer func() {
			if entry.value.Prevalence == nil { // it panicked
				e.forget(key)
			}
		}()
		entry.value = e.estimator(s.categorization).Day(s.days[first:day+1], bounds)
	})
	if entry.value.Prevalence == nil {
		panic("the estimate of a day failed for someone else who asked")
	}
	return entry.value
}

func (e *estimateCache) forget(name fingerprint) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.entries, name)
}

// key returns a fingerprint of all that the estimate of a day depends on.
func (s *scores) key(first, last int, bounds bool) fingerprint {
	h := sha256.New()
	var head [9]byte
	binary.BigEndian.PutUint64(head[:], uint64(s.categorization.ModelID))
	if bounds {
		head[8] = 1
	}
	h.Write(head[:])
	for _, f := range s.fingerprints[first : last+1] {
		h.Write(f[:])
	}
	return fingerprint(h.Sum(nil))
}

// estimator returns what makes estimates from scores of a model.
func (e *estimateCache) estimator(c Categorization) *quantify.Estimator {
	e.mu.Lock()
	estimator := e.estimators[c.ModelID]
	e.mu.Unlock()
	if estimator != nil {
		return estimator
	}
	estimator = quantify.New(len(c.Model.Categories), c.Model.Prior(), c.Model.HeldOut())
	e.mu.Lock()
	defer e.mu.Unlock()
	if known := e.estimators[c.ModelID]; known != nil {
		return known
	}
	if e.estimators == nil || len(e.estimators) >= maxEstimators {
		e.estimators = map[int64]*quantify.Estimator{}
	}
	e.estimators[c.ModelID] = estimator
	return estimator
}
