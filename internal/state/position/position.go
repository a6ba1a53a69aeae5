// Package position tells how much of an installation's data a response reflects. A client that sends
// the position of an earlier response with its next request reads its own writes, also from another
// node: docs/decisions/0072-several-nodes.md.
//
// A [Recorder] in the context of a request notes what the request writes. [Store] and the
// journal of package cluster call [Note].
package position

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"

	"earshot"
)

// A Position is a position in the journal and a revision of the catalog. Its text form is both
// numbers with a dot, for example 812.93.
type Position struct {
	Journal earshot.Position
	Catalog uint64
}

// Parse is the inverse of [Position.String].
func Parse(s string) (Position, error) {
	first, second, found := strings.Cut(s, ".")
	journal, err := parseNumber(first)
	catalog, err2 := parseNumber(second)
	if !found || err != nil || err2 != nil {
		return Position{}, fmt.Errorf("%q is not a position like 812.93", earshot.Clip(s, 50))
	}
	return Position{Journal: earshot.Position(journal), Catalog: catalog}, nil
}

// parseNumber parses a number without sign and without leading zeros, so that each position has one
// text form.
func parseNumber(s string) (uint64, error) {
	n, err := strconv.ParseUint(s, 10, 64)
	if err == nil && strconv.FormatUint(n, 10) != s {
		err = strconv.ErrSyntax
	}
	return n, err
}

func (p Position) String() string {
	b := make([]byte, 0, 24)
	b = strconv.AppendUint(b, uint64(p.Journal), 10)
	b = append(b, '.')
	return string(strconv.AppendUint(b, p.Catalog, 10))
}

// Max returns the smallest position that includes both.
func (p Position) Max(q Position) Position {
	return Position{max(p.Journal, q.Journal), max(p.Catalog, q.Catalog)}
}

// A Recorder notes the newest position that a request has written. It is safe for concurrent use.
type Recorder struct{ journal, catalog atomic.Uint64 }

// Written returns what was noted.
func (r *Recorder) Written() Position {
	return Position{earshot.Position(r.journal.Load()), r.catalog.Load()}
}

// note includes p in what was written.
func (r *Recorder) note(p Position) {
	raise(&r.journal, uint64(p.Journal))
	raise(&r.catalog, p.Catalog)
}

func raise(v *atomic.Uint64, to uint64) {
	for {
		current := v.Load()
		if to <= current || v.CompareAndSwap(current, to) {
			return
		}
	}
}

type recorderKey struct{}

// WithRecorder returns a context whose writes are noted.
func WithRecorder(ctx context.Context) (context.Context, *Recorder) {
	r := new(Recorder)
	return context.WithValue(ctx, recorderKey{}, r), r
}

// Note notes that something was written at p. It does nothing if ctx has no recorder.
func Note(ctx context.Context, p Position) {
	if r, ok := ctx.Value(recorderKey{}).(*Recorder); ok {
		r.note(p)
	}
}
