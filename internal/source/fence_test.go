package source_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"earshot"
	"earshot/internal/connector"
	"earshot/internal/content"
	"earshot/internal/poststore/memory"
	"earshot/internal/source"
	"earshot/internal/state/journal"
	"earshot/internal/state/kv"
)

type fenceKey struct{}

// A fencedWorld counts writes with and without a fence.
type fencedWorld struct{ fenced, unfenced int }

func (f *fencedWorld) note(ctx context.Context) {
	if ctx.Value(fenceKey{}) == nil {
		f.unfenced++
	} else {
		f.fenced++
	}
}

type notedJournal struct {
	journal.Journal
	*fencedWorld
}

func (j notedJournal) Append(ctx context.Context, e journal.Entry) (earshot.Position, error) {
	j.note(ctx)
	return j.Journal.Append(ctx, e)
}

type notedRecords struct {
	kv.Store
	*fencedWorld
}

func (r notedRecords) Set(ctx context.Context, key string, value []byte) (uint64, error) {
	r.note(ctx)
	return r.Store.Set(ctx, key, value)
}

// A source that receives requests writes with their contexts, which know nothing of its lease.
func TestWritesOfASourceHaveItsFence(t *testing.T) {
	run(t, func(w *world) {
		t := w.t
		var f fencedWorld
		w.change = func(s *source.Service) {
			s.Roles.Fence = func(ctx context.Context, role string) (context.Context, error) {
				return context.WithValue(ctx, fenceKey{}, role), nil
			}
			s.Journal = notedJournal{s.Journal, &f}
			s.Content = &content.Service{Catalog: s.Catalog, Journal: s.Journal, Store: memory.New(), Now: time.Now}
			s.Records = notedRecords{s.Records, &f}
			kind := w.network.inboundKind()
			made := kind.New
			kind.New = func(e connector.Env) connector.Connector {
				if _, err := e.Store.Set(t.Context(), "started", nil); err != nil {
					t.Error(err)
				}
				return made(e)
			}
			s.Kinds = []connector.Kind{w.network.kind(), kind}
		}
		p := w.start()
		info, err := p.Add(t.Context(), editor, earshot.LiveSource{Team: team, Name: "inbound", Kind: "inbound"}, "")
		w.ok(err)
		synctest.Wait()
		_, err = p.Receive(t.Context(), info.ID, connector.Request{Body: []byte("a")})
		w.ok(err)
		w.wantStored("a")
		if f.fenced != 2 || f.unfenced != 0 {
			t.Errorf("%d writes had the fence and %d had not, want 2 and 0", f.fenced, f.unfenced)
		}
	})
}
