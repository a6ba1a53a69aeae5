package app

import (
	"context"

	"earshot"
	"earshot/internal/state/journal"
	"earshot/internal/state/position"
)

// positions implements rest.Positions for the stores of this process.
type positions struct{ app *App }

// current returns what this process has read: the journal position of posts that can be found, and the
// revision of the catalog.
func (p positions) current() position.Position {
	_, at := p.app.pipeline.Processed()
	return position.Position{Journal: at, Catalog: p.app.catalog.Revision()}
}

// Begin implements rest.Positions. A response reflects at most what this process has read when it
// starts, so a client that waits for it later never sees less.
func (p positions) Begin(ctx context.Context) (context.Context, func() (string, bool)) {
	ctx, recorder := position.WithRecorder(ctx)
	return ctx, func() (string, bool) {
		written := recorder.Written()
		return p.current().Max(written).String(), written != position.Position{}
	}
}

// Wait implements rest.Positions.
func (p positions) Wait(ctx context.Context, text string) error {
	at, err := position.Parse(text)
	if err != nil {
		return err
	}
	if err := p.app.catalog.WaitRevision(ctx, at.Catalog); err != nil {
		return err
	}
	return p.app.pipeline.WaitPosition(ctx, at.Journal)
}

// A notingJournal notes the positions of entries that requests append.
type notingJournal struct{ journal.Journal }

// Append implements journal.Journal.
func (j notingJournal) Append(ctx context.Context, e journal.Entry) (earshot.Position, error) {
	at, err := j.Journal.Append(ctx, e)
	if err == nil {
		position.Note(ctx, position.Position{Journal: at})
	}
	return at, err
}
