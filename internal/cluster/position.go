package cluster

import (
	"context"

	"earshot"
	"earshot/internal/state/catalog"
	"earshot/internal/state/journal"
	"earshot/internal/state/position"
)

// Positions tells how much of the data this process has read, so that clients read their own writes on
// any node. See package position.
type Positions struct {
	Catalog  *catalog.Catalog
	Pipeline interface {
		Processed() (posts int64, at earshot.Position)
		WaitPosition(ctx context.Context, at earshot.Position) error
	}
}

// Current returns what this process has read: the journal position of posts that can be found, and the
// revision of the catalog.
func (p Positions) Current() position.Position {
	_, at := p.Pipeline.Processed()
	return position.Position{Journal: at, Catalog: p.Catalog.Revision()}
}

// Begin returns a context that notes what a request writes. A response reflects at most what this
// process has read when it starts, so a client that waits for it later never sees less.
func (p Positions) Begin(ctx context.Context) (context.Context, func() (string, bool)) {
	ctx, recorder := position.WithRecorder(ctx)
	return ctx, func() (string, bool) {
		written := recorder.Written()
		return p.Current().Max(written).String(), written != position.Position{}
	}
}

// Wait waits until this process has read everything up to a position.
func (p Positions) Wait(ctx context.Context, text string) error {
	at, err := position.Parse(text)
	if err != nil {
		return err
	}
	if err := p.Catalog.WaitRevision(ctx, at.Catalog); err != nil {
		return err
	}
	return p.Pipeline.WaitPosition(ctx, at.Journal)
}

// NotePositions returns a journal that notes the positions of entries that requests append.
func NotePositions(j journal.Journal) journal.Journal { return notingJournal{j} }

type notingJournal struct{ journal.Journal }

// Append implements [journal.Journal].
func (j notingJournal) Append(ctx context.Context, e journal.Entry) (earshot.Position, error) {
	at, err := j.Journal.Append(ctx, e)
	if err == nil {
		position.Note(ctx, position.Position{Journal: at})
	}
	return at, err
}
