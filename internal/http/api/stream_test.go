package api

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/model/opinion"
	"earshot/internal/state/catalog"
	"earshot/internal/state/feed"
	feedmemory "earshot/internal/state/feed/memory"
	"earshot/internal/state/journal"
	"earshot/internal/state/kv"
	"earshot/internal/stream"
	"earshot/internal/workspace/postview"
)

// unreadable is a set of models that cannot be read.
type unreadable struct{ err error }

func (u unreadable) InUse(context.Context, earshot.MonitorID) (earshot.Model, *opinion.Model, error) {
	return earshot.Model{}, nil, u.err
}

func TestPostsThatCannotBeRenderedStayQueued(t *testing.T) {
	ctx, failure := t.Context(), errors.New("no connection")
	c, err := catalog.Open(ctx, kv.NewMemory(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	queues := feedmemory.New()
	item := feed.Item{Monitor: 11, Post: string(journal.AppendPost(nil, &earshot.Post{Source: "Blogs", GUID: "a"}))}
	err = errors.Join(
		c.Monitors.Add(ctx, 11, &earshot.Monitor{ID: 11, Team: 1, Type: earshot.Opinion}),
		c.Streams.Add(ctx, 7, &earshot.Stream{ID: 7, Team: 1, Monitors: []earshot.StreamMonitor{{ID: 11}}}),
		queues.Append(ctx, 1, []feed.Run{{Stream: 7, Position: 1, Items: []feed.Item{item}}}),
	)
	if err != nil {
		t.Fatal(err)
	}
	models := &unreadable{failure}
	service := &insight.Service{Opinions: models}
	a := &API{
		Streams: &stream.Service{Catalog: c, Feed: queues, Now: time.Now, Log: slog.New(slog.DiscardHandler)},
		Posts:   &postview.Service{Categorizer: service},
	}
	ann := earshot.NewCaller(&earshot.User{Teams: []earshot.TeamID{1}})
	if _, err := a.streamPosts(ctx, ann, streamPostsParams{streamID: streamID{7}}); !errors.Is(err, failure) {
		t.Fatalf("got %v, want %v", err, failure)
	}
	models.err = nil
	response, err := a.streamPosts(ctx, ann, streamPostsParams{streamID: streamID{7}})
	if err != nil || len(response.Posts) != 1 || response.TotalPostsAvailable != 1 {
		t.Errorf("got %d posts of %d, %v, want the post that could not be rendered before", len(response.Posts), response.TotalPostsAvailable, err)
	}
}
