package insight

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"sync"

	"earshot/internal/model/quantify"
	"earshot/internal/parallel"
	"earshot/internal/poststore"
)

// A fingerprint identifies the input of a computation.
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

// An estimateCache caches estimates and the estimators that compute them. A full cache is cleared,
// because its contents can be computed again. Concurrent requests for the same estimate compute it
// once.
type estimateCache struct {
	mu         sync.Mutex
	estimators map[int64]*quantify.Estimator  // by model ID; guarded by mu
	entries    map[fingerprint]*estimateEntry // guarded by mu
}

// An estimateEntry is an estimate, computed or in progress.
type estimateEntry struct {
	once  sync.Once
	value quantify.Estimate
}

// Limits of the cache. Higher limits use more memory and avoid more computation.
const (
	maxEstimates  = 50_000
	maxEstimators = 64
)

// scores are the scores of the posts of consecutive days.
type scores struct {
	categorization Categorization
	days           []quantify.Day
	fingerprints   []fingerprint
	corrected      [][]int64 // by day and category of the monitor; nil if the day has none
}

// merge adds the scores of the last n days of other to those of the only day of s.
func (s *scores) merge(other *scores, n int) {
	if len(s.days) == 0 {
		s.days, s.fingerprints = make([]quantify.Day, 1), make([]fingerprint, 1)
	}
	h := sha256.New()
	h.Write(s.fingerprints[0][:])
	for i := len(other.days) - n; i < len(other.days); i++ {
		s.days[0] = append(s.days[0], other.days[i]...)
		h.Write(other.fingerprints[i][:])
	}
	s.fingerprints[0] = fingerprint(h.Sum(nil))
}

// lastDays estimates the last n days on all cores, because intervals take a long time to compute. A
// panic becomes an error, so that a summary of many monitors loses only this one.
func (e *estimateCache) lastDays(ctx context.Context, s *scores, n int, bounds bool) (estimates []quantify.Estimate, err error) {
	defer func() {
		if p, ok := recover().(*parallel.Panic); ok {
			err = fmt.Errorf("estimate prevalence: panic: %w", p)
		}
	}()
	estimates = make([]quantify.Estimate, n)
	err = parallel.For(ctx, n, 0, func(_ context.Context, i int) error {
		estimates[i] = e.estimate(s, len(s.days)-n+i, bounds)
		return nil
	})
	return estimates, err
}

// estimate returns the estimate for a day, from the cache if possible.
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
			if entry.value.Prevalence == nil { // Day panicked
				e.mu.Lock()
				delete(e.entries, key)
				e.mu.Unlock()
			}
		}()
		entry.value = e.estimator(s.categorization).Day(s.days[first:day+1], bounds)
	})
	if entry.value.Prevalence == nil {
		panic("another request failed to estimate the same day")
	}
	return entry.value
}

// key returns a fingerprint of everything that the estimate of a day depends on.
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
