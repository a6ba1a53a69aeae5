package local

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"earshot/internal/operate/integrity"
	"earshot/internal/poststore/local/pebblefile"
	"earshot/internal/sleep"
)

// verifyRest is how many times as long as a file took to verify the verification pauses after it, so
// it uses at most a tenth of the disk's time.
const verifyRest = 9

// Verify reads every file of the running store slowly, using at most a tenth of the disk's time, and
// compares segments with their records. It quarantines damaged segments and returns a finding for
// everything that is damaged, including segments that were quarantined before.
func (s *Store) Verify(ctx context.Context, progress integrity.Progress) ([]integrity.Finding, error) {
	if err := s.enter(); err != nil {
		return nil, err
	}
	defer s.leave()
	return s.verify(ctx, progress, verifyRest)
}

// verify is Verify with a given ratio of rest to work.
func (s *Store) verify(ctx context.Context, progress integrity.Progress, rest int) (findings []integrity.Finding, err error) {
	if progress == nil {
		progress = func(int64) {}
	}
	for _, p := range s.current.Load().segments {
		if p.inMemory || !p.data.Retain() {
			continue // compacted in the meantime
		}
		began, size := time.Now(), p.data.Size()
		err := s.verifySegment(p)
		p.data.Release()
		if bad, ok := errors.AsType[*damageError](err); ok {
			err = s.quarantine(bad)
		}
		if disagrees, ok := errors.AsType[*disagreement](err); ok {
			findings, err = append(findings, disagrees.finding), nil
		}
		if err != nil {
			return findings, err
		}
		progress(size)
		if !s.rest(ctx, began, rest) {
			return findings, s.stopped(ctx)
		}
	}
	tables, err := s.verifyTables(ctx, progress, rest)
	findings = append(findings, tables...)
	return append(findings, s.quarantineFindings()...), err
}

// verifySegment verifies a segment, and its agreement with a recent state of its records.
func (s *Store) verifySegment(p *segmentState) error {
	state := s.db.NewSnapshot()
	defer state.Close()
	data, err := get(state, recID(recSegment, p.id))
	if err != nil || data == nil {
		return err // compacted in the meantime
	}
	var r segmentRecord
	if err := json.Unmarshal(data, &r); err != nil {
		return err
	}
	err = checkSegment(s.path(p.id), p.id, r, state)
	switch {
	case err == nil:
		return reading(p, p.data.Verify) // the mapped file, which may be damaged in memory
	case s.current.Load().find(p.id) == nil, errors.Is(err, pebble.ErrCorruption):
		return nil // compacted in the meantime, or reported with the table
	case isDamage(err):
		return &damageError{p, err}
	}
	if bad, ok := errors.AsType[*damageError](err); ok {
		return &damageError{p, bad.err}
	}
	return &disagreement{integrity.Finding{Part: integrity.Posts, File: s.path(p.id), Problem: reason(err, s.path(p.id)), Degraded: true}}
}

// A disagreement reports that an intact segment does not match its records.
type disagreement struct{ finding integrity.Finding }

func (d *disagreement) Error() string { return d.finding.String() }

// verifyTables verifies Pebble's tables.
func (s *Store) verifyTables(ctx context.Context, progress integrity.Progress, rest int) (findings []integrity.Finding, err error) {
	levels, err := s.db.SSTables()
	if err != nil {
		return nil, err
	}
	for _, level := range levels {
		for _, t := range level {
			path := pebblefile.TablePath(s.stateDir(), uint64(t.FileNum))
			began := time.Now()
			if err := pebblefile.VerifyTable(path); err != nil && s.usesTable(uint64(t.FileNum)) {
				findings = append(findings, integrity.Finding{
					Part: integrity.Posts, File: path, Problem: firstLine(strings.TrimPrefix(err.Error(), path+": ")),
					Effect: "some of the store's records cannot be read; stop Earshot and run \"earshot repair\"",
				})
			}
			progress(int64(t.Size))
			if !s.rest(ctx, began, rest) {
				return findings, s.stopped(ctx)
			}
		}
	}
	return findings, nil
}

// usesTable reports whether Pebble still uses a table.
func (s *Store) usesTable(number uint64) bool {
	levels, err := s.db.SSTables()
	if err != nil {
		return true
	}
	for _, level := range levels {
		for _, t := range level {
			if uint64(t.FileNum) == number {
				return true
			}
		}
	}
	return false
}

// quarantineFindings returns a finding for each quarantined segment.
func (s *Store) quarantineFindings() (findings []integrity.Finding) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, aside := range s.quarantined {
		findings = append(findings, quarantineFinding(s.dir, aside))
	}
	return findings
}

// rest pauses after work that began at a time. It returns false if ctx is done or the store closes.
func (s *Store) rest(ctx context.Context, began time.Time, ratio int) bool {
	if s.closed.Load() {
		return false
	}
	for left := time.Duration(ratio) * time.Since(began); left > 0 && !s.closed.Load(); left -= restStep {
		if !sleep.For(ctx, min(left, restStep)) {
			return false
		}
	}
	return ctx.Err() == nil && !s.closed.Load()
}

// restStep bounds how long Close waits for a pause.
const restStep = 100 * time.Millisecond

func (s *Store) stopped(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return ErrClosed
}
