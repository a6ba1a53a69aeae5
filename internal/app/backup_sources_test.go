package app

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"testing"
	"time"

	"earshot"
	"earshot/internal/connector"
	"earshot/internal/operate"
	"earshot/internal/state/natsnode/natstest"
)

// busy is a connector that delivers, skips, counts and misses something, once.
type busy struct{ delivered chan error }

func (busy) Sample(context.Context, int) ([]earshot.Post, error) { return nil, nil }

func (c busy) Run(ctx context.Context, cursor string, sink connector.Sink) error {
	sink.Report(connector.State{Phase: connector.Live})
	if cursor == "" {
		at := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
		post := func(guid, text string) earshot.Post {
			return earshot.Post{Source: earshot.Bluesky, GUID: guid, Time: at, Contents: text}
		}
		gap := connector.Gap{From: at, To: at.Add(time.Hour), Reason: "Too late"}
		batch := connector.Batch{Cursor: "1", Posts: []earshot.Post{post("1", "coffee"), post("2", "coffee"), post("3", "tea")}}
		err := errors.Join(sink.Gap(ctx, gap), sink.Deliver(ctx, batch))
		sink.Count(connector.Counters{Events: 7, Bytes: 100, Reconnects: 2}) // after the last journal entry
		c.delivered <- err
	}
	<-ctx.Done()
	return ctx.Err()
}

// TestARestoredSourceIsTheSame compares the list of live sources with that of a restored backup. What a
// source is doing starts over: since when it is live, and its posts of the last hour.
func TestARestoredSourceIsTheSame(t *testing.T) {
	delivered := make(chan error, 3)
	kind := quietKind()
	kind.New = func(connector.Env) connector.Connector { return busy{delivered} }
	openWith := func(dir string) *accessWorld {
		cfg, o := testConfig(t), testOptions(io.Discard)
		if dir != "" {
			if _, err := operate.Restore(t.Context(), dir, cfg, o.Log); err != nil {
				t.Fatal(err)
			}
		}
		o.SourceKinds = []connector.Kind{kind}
		a, err := Open(t.Context(), cfg, o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(a.Close)
		ready(t, a)
		return &accessWorld{TB: t, app: a, ids: map[string]string{}}
	}
	list := func(w *accessWorld) []map[string]any {
		var list struct{ Items []map[string]any }
		w.decode(w.admin("GET", "/manage/v1/sources", ""), &list)
		for _, s := range list.Items {
			delete(s, "activity")
			delete(s["state"].(map[string]any), "since")
		}
		return list.Items
	}
	w := openWith("")
	w.ids["team"] = w.create("teams", `{"name":"Acme"}`)
	w.create("monitors", w.fill(`{"name":"Coffee","team":{team},"keywords":"coffee","start":"2026-03-01"}`))
	for _, name := range []string{"A", "B", "C"} {
		w.ids[name] = w.create("sources", w.fill(`{"name":"`+name+`","kind":"quiet","team":{team},"keep":"matched","secret":"s"}`))
		if err := <-delivered; err != nil {
			t.Fatal(err)
		}
	}
	w.admin("PATCH", w.fill("/manage/v1/sources/{B}"), `{"paused":true}`)
	if err := w.app.CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	original := list(w)
	if c := original[0]["counters"].(map[string]any); c["posts"] != 2.0 || c["events"] != 7.0 || original[0]["lastPost"] == nil {
		t.Fatalf("got %v, want what the source has delivered and counted", original[0])
	}
	restored := openWith(takeBackup(t, w.app, token(t, w.app)))
	var got []map[string]any
	defer func() {
		if t.Failed() {
			g, _ := json.Marshal(got)
			o, _ := json.Marshal(original)
			t.Logf("got\n%s\nwant\n%s", g, o)
		}
	}()
	natstest.WaitFor(t, "the same sources", func() bool {
		got = list(restored)
		return reflect.DeepEqual(got, original)
	})
}
