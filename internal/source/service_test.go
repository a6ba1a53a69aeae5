package source_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"earshot"
	"earshot/internal/connector"
	"earshot/internal/source"
	"earshot/internal/state/journal"
)

func TestAddValidates(t *testing.T) {
	run(t, func(w *world) {
		t := w.t
		s := w.service()
		f := func(c *earshot.Caller, src earshot.LiveSource, secret, want string) {
			t.Helper()
			_, err := s.Add(t.Context(), c, src, secret)
			switch {
			case want == "" && err != nil:
				t.Errorf("%.200v: got %v, want success", src, err)
			case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
				t.Errorf("%.200v: got %v, want %s", src, err, want)
			}
		}
		with := func(name string, settings map[string]string) earshot.LiveSource {
			return earshot.LiveSource{Team: team, Name: name, Kind: "fake", Settings: settings}
		}
		f(editor, with("one", nil), "", "")
		f(editor, with(" ONE ", nil), "", "The name 'ONE' is taken by another live source of the team")
		f(alien, earshot.LiveSource{Team: other, Name: "one", Kind: "fake"}, "", "")
		f(editor, with("", nil), "", "name must have 1 to 200 characters")
		f(editor, with("x", map[string]string{"color": "red"}), "", "setting 'color' is unknown; the settings of the kind 'fake' are url, mode, list")
		f(editor, with("x", map[string]string{"mode": "wild"}), "", "setting 'mode' must be one of: slow, fast")
		f(editor, with("x", map[string]string{"url": "bad"}), "", "url must not be bad")
		f(editor, with("x", map[string]string{"url": "a\nb"}), "", "setting 'url' must be one line of text")
		f(editor, with("long", map[string]string{"list": "a\nb"}), "", "")
		f(editor, with("x", map[string]string{"list": strings.Repeat("x", 800<<10)}), "", "Please split them into several sources")
		f(editor, earshot.LiveSource{Team: team, Name: "x", Kind: "smoke"}, "", "kind 'smoke' is unknown; the kinds are fake, inbound, folder")
		f(editor, earshot.LiveSource{Team: team, Name: "x", Kind: "fake", Keep: "some"}, "", "keep must be matched or all")
		f(editor, earshot.LiveSource{Team: team, Name: "x", Kind: "fake", RetentionDays: -1}, "", "retentionDays must be between 0 and 36500")
		f(editor, earshot.LiveSource{Team: team, Name: "x", Kind: "inbound"}, "a secret", "sources of the kind 'inbound' have no secret")
		f(editor, earshot.LiveSource{Team: team, Name: "x", Kind: "folder"}, "", "Only administrators")
		f(editor, earshot.LiveSource{Team: team, Name: "x", Kind: "inbound", Settings: map[string]string{"network": "Blogs"}}, "", "Only administrators")
		f(editor, earshot.LiveSource{Team: team, Name: "default", Kind: "inbound", Settings: map[string]string{"server": "https://network.example"}}, "", "")
		f(editor, earshot.LiveSource{Team: team, Name: "x", Kind: "inbound", Settings: map[string]string{"server": "https://other.example"}}, "", "Only administrators may add or change sources with the setting 'server'")
		f(admin, earshot.LiveSource{Team: team, Name: "folder", Kind: "folder"}, "", "")
		f(admin, earshot.LiveSource{Team: team, Name: "public", Kind: "inbound", Settings: map[string]string{"network": "Blogs"}}, "", "")
		f(admin, earshot.LiveSource{Team: 99, Name: "x", Kind: "fake"}, "", "Team 99 does not exist")
		f(reader, with("x", nil), "", "Access is denied")
		f(alien, with("x", nil), "", "Access is denied")
	})
}

func TestTheNumberOfSourcesIsLimited(t *testing.T) {
	run(t, func(w *world) {
		s := w.service()
		for i := range 1000 {
			w.ok(s.Catalog.Live.Add(w.t.Context(), earshot.LiveSourceID(i+1), &earshot.LiveSource{ID: earshot.LiveSourceID(i + 1), Team: team}))
		}
		_, err := s.Add(w.t.Context(), editor, earshot.LiveSource{Team: team, Name: "x", Kind: "fake"}, "")
		if !earshot.IsKind(err, earshot.OverLimit) {
			w.t.Errorf("got %v, want OverLimit", err)
		}
	})
}

func TestMembersReadAndManagersChange(t *testing.T) {
	run(t, func(w *world) {
		t := w.t
		p := w.start()
		id := p.add("one").ID
		for c, want := range map[*earshot.Caller]int{admin: 1, editor: 1, reader: 1, alien: 0} {
			if got := len(p.List(c, 0)); got != want {
				t.Errorf("%s sees %d sources, want %d", c.Name, got, want)
			}
			if _, err := p.Find(c, id); (err == nil) != (want == 1) {
				t.Errorf("%s: got %v", c.Name, err)
			}
		}
		if n := len(p.List(admin, other)); n != 0 {
			t.Errorf("got %d sources of another team", n)
		}
		for c, want := range map[*earshot.Caller]earshot.Kind{reader: earshot.Forbidden, alien: earshot.NotFound} {
			_, err := p.Edit(t.Context(), c, id, source.Change{Paused: new(true)})
			if err := errors.Join(err, nil); !earshot.IsKind(err, want) {
				t.Errorf("edit by %s: got %v", c.Name, err)
			}
			if err := p.Remove(t.Context(), c, id, false); !earshot.IsKind(err, want) {
				t.Errorf("remove by %s: got %v", c.Name, err)
			}
			if _, err := p.Test(t.Context(), c, earshot.LiveSource{ID: id}, "", 5); !earshot.IsKind(err, want) {
				t.Errorf("test by %s: got %v", c.Name, err)
			}
		}
	})
}

func TestEditChangesOnlyWhatIsGiven(t *testing.T) {
	run(t, func(w *world) {
		t := w.t
		p := w.start()
		id := p.add("one").ID
		p.add("two")
		p.edit(id, source.Change{Settings: map[string]string{"mode": "fast", "list": "x"}})
		p.edit(id, source.Change{Settings: map[string]string{"list": ""}, Keep: new(earshot.KeepMatched)})
		info := p.info(id)
		if got := fmt.Sprintf("%s %v %s %d", info.Name, info.Settings, info.Keep, info.RetentionDays); got != "one map[mode:fast] matched 0" {
			t.Errorf("got %s", got)
		}
		_, err := p.Edit(t.Context(), editor, id, source.Change{Name: new("TWO")})
		if !earshot.IsKind(err, earshot.Conflict) {
			t.Errorf("rename to a taken name: got %v", err)
		}
		p.edit(id, source.Change{Name: new("three")})
		p.add("one") // the old name is free
	})
}

// A manager who does not know the secret must not be able to send it elsewhere.
func TestASecretStaysWithItsAddress(t *testing.T) {
	run(t, func(w *world) {
		t := w.t
		p := w.start()
		id := p.add("one").ID
		elsewhere := map[string]string{"url": "https://evil.example"}
		_, err := p.Edit(t.Context(), editor, id, source.Change{Settings: elsewhere})
		if err == nil || !strings.Contains(err.Error(), "enter the secret again") {
			t.Errorf("edit: got %v", err)
		}
		_, err = p.Test(t.Context(), editor, earshot.LiveSource{ID: id, Settings: elsewhere}, "", 5)
		if err == nil || !strings.Contains(err.Error(), "enter the secret again") {
			t.Errorf("test: got %v", err)
		}
		p.edit(id, source.Change{Settings: elsewhere, Secret: new("mine")})
		if got := w.network.secrets; got[len(got)-1] != "mine" {
			t.Errorf("got secret %s", got[len(got)-1])
		}
	})
}

func TestSecretsAreNeverShown(t *testing.T) {
	run(t, func(w *world) {
		t := w.t
		w.setRun(func(_ context.Context, _ string, sink connector.Sink) error {
			sink.Report(connector.State{Phase: connector.CatchingUp, Reason: "with token " + password})
			w.ok(sink.Gap(context.Background(), connector.Gap{From: time.Now().Add(-time.Hour), To: time.Now(), Reason: "token " + password}))
			return fmt.Errorf("get /?token=%s failed", url.QueryEscape(password))
		})
		p := w.start()
		id := p.add("one").ID
		_, err := p.Test(t.Context(), editor, earshot.LiveSource{Team: team, Kind: "fake", Settings: map[string]string{"url": "down"}}, password, 5)
		if !earshot.IsKind(err, earshot.Unprocessable) || strings.Contains(err.Error(), password) {
			t.Errorf("got %v, want the reason without the secret", err)
		}
		info := p.info(id)
		shown := fmt.Sprint(info.Settings, info.State, info.Counters, info.Gaps)
		stored := ""
		keys, err := w.store.Keys(t.Context(), ">")
		w.ok(err)
		for _, key := range keys {
			e, err := w.store.Get(t.Context(), key)
			w.ok(err)
			stored += string(e.Value)
		}
		for what, text := range map[string]string{"the answer": shown, "the log": w.log.String(), "the catalog": stored} {
			if strings.Contains(text, password) || len(text) < 100 {
				t.Errorf("%s contains the secret, or is incomplete: %s", what, text)
			}
		}
	})
}

func TestAReplacedKeyNeedsAttention(t *testing.T) {
	run(t, func(w *world) {
		t := w.t
		p := w.start()
		id := p.add("one").ID
		p.stop()
		w.secret = []byte("another key of thirty-two bytes!")
		p = w.start()
		if info := p.wantPhase(id, connector.Attention); !strings.Contains(info.State.Reason, "enter the secret again") {
			t.Errorf("got reason %s", info.State.Reason)
		}
		p.edit(id, source.Change{Name: nil, Paused: new(true)}) // possible without the secret
		_, err := p.Edit(t.Context(), editor, id, source.Change{RetentionDays: new(3)})
		if !earshot.IsKind(err, earshot.Invalid) {
			t.Errorf("got %v, want Invalid", err)
		}
		p.edit(id, source.Change{Secret: new("new"), Paused: new(false)})
		p.wantPhase(id, connector.Live)
	})
}

func TestASecretCannotBeMovedToAnotherSource(t *testing.T) {
	run(t, func(w *world) {
		p := w.start()
		one, two := p.add("one").ID, p.add("two").ID
		secret := p.info(one).Secret
		_, err := p.Catalog.Live.Update(w.t.Context(), two, func(s *earshot.LiveSource) error { s.Secret = secret; return nil })
		w.ok(err)
		time.Sleep(2 * time.Second)
		p.wantPhase(two, connector.Attention)
	})
}

func TestRulesMustBeAccepted(t *testing.T) {
	run(t, func(w *world) {
		t := w.t
		s := w.service()
		version := "2026"
		s.Kinds[0].Rules = func(context.Context, connector.Env) (connector.Rules, error) {
			return connector.Rules{Items: []string{"Be kind"}, Version: version}, nil
		}
		src := earshot.LiveSource{Team: team, Name: "one", Kind: "fake"}
		rules, err := s.Rules(t.Context(), editor, src, "")
		if err != nil || rules == nil || rules.Version != "2026" {
			t.Fatalf("got %+v, %v", rules, err)
		}
		if _, err := s.Add(t.Context(), editor, src, ""); !earshot.IsKind(err, earshot.Invalid) || !strings.Contains(err.Error(), "accepted_rules") {
			t.Errorf("got %v, want an error that names accepted_rules", err)
		}
		src.Settings = map[string]string{"accepted_rules": "2026"}
		info, err := s.Add(t.Context(), editor, src, "")
		w.ok(err)
		version = "2027"
		if _, err := s.Edit(t.Context(), editor, info.ID, source.Change{Settings: map[string]string{"mode": "fast"}}); err == nil {
			t.Error("an edit did not ask for the new rules")
		}
	})
}

func TestTestStoresNothing(t *testing.T) {
	run(t, func(w *world) {
		t := w.t
		p := w.start()
		id := p.add("one").ID
		posts, err := p.Test(t.Context(), editor, earshot.LiveSource{ID: id, Settings: map[string]string{"mode": "fast"}}, "", 5)
		if err != nil || len(posts) != 5 {
			t.Errorf("got %d posts, %v, want 5", len(posts), err)
		}
		if keys, _ := w.records.Keys(t.Context(), ">"); len(keys) != 0 || len(w.entries()) != 0 {
			t.Errorf("a test stored records %v or posts", keys)
		}
	})
}

func TestAReceiverDeliversToItsContentSource(t *testing.T) {
	run(t, func(w *world) {
		t := w.t
		p := w.start()
		info, err := p.Add(t.Context(), editor, earshot.LiveSource{Team: team, Name: "Letters", Kind: "inbound"}, "")
		w.ok(err)
		synctest.Wait()
		to, ok := p.Catalog.Sources.Find(info.ContentSource)
		if !ok || to.Name != "Letters" || to.Team != team {
			t.Fatalf("got content source %+v", to)
		}
		answer, err := p.Receive(t.Context(), info.ID, connector.Request{Body: []byte("a")})
		if err != nil || answer.Status != 202 {
			t.Fatalf("got %+v, %v", answer, err)
		}
		post := w.entries()[0].Posts[0]
		if post.Source != "Letters" || post.ContentSource != to.ID || post.Team != team || post.Batch != info.ID.Batch() {
			t.Errorf("got post %+v", post)
		}
		if to, _ = p.Catalog.Sources.Find(to.ID); fmt.Sprint(to.CustomFields) != "[score]" {
			t.Errorf("got custom fields %v", to.CustomFields)
		}
		fetched := p.add("fetched").ID
		if _, err := p.Receive(t.Context(), fetched, connector.Request{}); !earshot.IsKind(err, earshot.NotFound) {
			t.Errorf("request to a source that receives none: got %v", err)
		}
		if _, err := p.Receive(t.Context(), 99, connector.Request{}); !earshot.IsKind(err, earshot.NotFound) {
			t.Errorf("request to no source: got %v", err)
		}
		p.edit(info.ID, source.Change{Paused: new(true)})
		if _, err := p.Receive(t.Context(), info.ID, connector.Request{Body: []byte("b")}); !earshot.IsKind(err, earshot.NotFound) {
			t.Errorf("request to a paused source: got %v", err)
		}
		// Another source of the same name uses the same content source.
		w.ok(p.Remove(t.Context(), editor, info.ID, true))
		again, err := p.Add(t.Context(), editor, earshot.LiveSource{Team: team, Name: "letters", Kind: "inbound"}, "")
		if err != nil || again.ContentSource != to.ID {
			t.Errorf("got content source %d, %v, want %d", again.ContentSource, err, to.ID)
		}
		var last *earshot.Deletion
		for _, e := range w.entries() {
			if e.Deletion != nil {
				last = e.Deletion
			}
		}
		if last == nil || last.ContentSource != to.ID || last.Batch != info.ID.Batch() {
			t.Errorf("got deletion %+v, want the batch of the content source", last)
		}
		// A content source has its name until it is deleted.
		_, err = p.Catalog.Sources.Update(t.Context(), to.ID, func(s *earshot.ContentSource) error { s.Removed = true; return nil })
		w.ok(err)
		w.ok(p.Remove(t.Context(), editor, again.ID, false))
		if _, err := p.Add(t.Context(), editor, earshot.LiveSource{Team: team, Name: "letters", Kind: "inbound"}, ""); !earshot.IsKind(err, earshot.Conflict) {
			t.Errorf("the name of a content source that is being deleted: got %v, want a conflict", err)
		}
	})
}

func TestOnlyMatchedPostsAreKept(t *testing.T) {
	run(t, func(w *world) {
		t := w.t
		w.setRun(func(ctx context.Context, _ string, sink connector.Sink) error {
			posts := []earshot.Post{
				{Source: earshot.Bluesky, GUID: "a", Time: time.Now(), Contents: "coffee"},
				{Source: earshot.Bluesky, GUID: "b", Time: time.Now(), Contents: "tea"},
				{Source: earshot.Bluesky, Time: time.Now(), Contents: "coffee without a guid"},
			}
			w.ok(sink.Deliver(ctx, connector.Batch{Posts: posts, Cursor: "1"}))
			posts[0].GUID, posts[1].GUID = "c", "d"
			selected := sink.Select(ctx, posts)
			if len(selected) != 1 || selected[0].GUID != "c" {
				t.Errorf("selected %+v, want c", selected)
			}
			selected[0].Contents = "no longer about it"
			w.ok(sink.Deliver(ctx, connector.Batch{Posts: selected, Selected: true, Cursor: "2"}))
			<-ctx.Done()
			return ctx.Err()
		})
		p := w.start()
		info, err := p.Add(t.Context(), editor, earshot.LiveSource{Team: team, Name: "one", Kind: "fake", Keep: earshot.KeepMatched}, "")
		w.ok(err)
		w.wantStored("a", "c")
		c := p.info(info.ID).Counters
		if c.Posts != 2 || c.Skipped["no monitor matches"] != 2 || c.Skipped["no guid, time, or source"] != 2 {
			t.Errorf("got counters %+v", c)
		}
	})
}

// An edit may remove the word that a monitor looks for. The stored post must not keep it.
func TestEditsOfKeptPostsAreKept(t *testing.T) {
	run(t, func(w *world) {
		t := w.t
		w.old = []earshot.Post{{Source: earshot.Bluesky, GUID: "stored"}}
		post := func(guid, contents string) earshot.Post {
			return earshot.Post{Source: earshot.Bluesky, GUID: guid, Time: time.Now(), Contents: contents}
		}
		w.setRun(func(ctx context.Context, _ string, sink connector.Sink) error {
			w.ok(sink.Deliver(ctx, connector.Batch{Posts: []earshot.Post{post("new", "coffee")}}))
			w.ok(sink.Deliver(ctx, connector.Batch{Posts: []earshot.Post{post("new", "tea"), post("stored", "tea"), post("other", "tea")}}))
			<-ctx.Done()
			return ctx.Err()
		})
		p := w.start()
		_, err := p.Add(t.Context(), editor, earshot.LiveSource{Team: team, Name: "one", Kind: "fake", Keep: earshot.KeepMatched}, "")
		w.ok(err)
		if got := fmt.Sprint(w.stored()); got != "map[new:2 stored:1]" {
			t.Errorf("got versions %s, want two of the new post and one of the stored one", got)
		}
	})
}

// postless fails to store posts, but stores deletions.
type postless struct{ journal.Journal }

func (j postless) Append(ctx context.Context, e journal.Entry) (earshot.Position, error) {
	if len(e.Posts) > 0 {
		return 0, errors.New("disk error")
	}
	return j.Journal.Append(ctx, e)
}

func TestTheCursorIsNeverAheadOfTheJournal(t *testing.T) {
	run(t, func(w *world) {
		t := w.t
		w.setRun(func(ctx context.Context, cursor string, sink connector.Sink) error {
			return sink.Deliver(ctx, connector.Batch{
				Deletions: []earshot.Deletion{{Source: earshot.Bluesky, GUIDs: []string{"old"}}},
				Posts:     []earshot.Post{{Source: earshot.Bluesky, GUID: "a", Time: time.Now()}},
				Cursor:    "1",
			})
		})
		p := &process{Service: w.service(), w: w}
		p.Journal = postless{w.journal}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); p.Run(ctx) }()
		p.add("one")
		time.Sleep(5 * time.Minute)
		cancel()
		<-done
		for o, err := range w.journal.Origins(t.Context(), 0) {
			t.Errorf("the journal has the cursor %s, %v, but not its posts", o.Cursor, err)
		}
		w.start()
		for i, cursor := range w.runs() {
			if cursor != "" {
				t.Errorf("attempt %d started with the cursor %s, want none", i, cursor)
			}
		}
	})
}

func TestRetentionOfASource(t *testing.T) {
	run(t, func(w *world) {
		t := w.t
		w.setRun(func(ctx context.Context, _ string, sink connector.Sink) error {
			old := earshot.Post{Source: earshot.Bluesky, GUID: "old", Time: time.Now().AddDate(0, 0, -8), Contents: "coffee"}
			w.ok(sink.Deliver(ctx, connector.Batch{Posts: []earshot.Post{old}}))
			<-ctx.Done()
			return ctx.Err()
		})
		p := w.start()
		info, err := p.Add(t.Context(), editor, earshot.LiveSource{Team: team, Name: "one", Kind: "fake", RetentionDays: 7}, "")
		w.ok(err)
		w.wantStored()
		time.Sleep(61 * time.Minute)
		entries := w.entries()
		if len(entries) != 1 || entries[0].Deletion == nil {
			t.Fatalf("got %d entries, want a deletion", len(entries))
		}
		d := entries[0].Deletion
		if age := time.Since(d.Before); d.Batch != info.ID.Batch() || age < 7*24*time.Hour || age > 7*24*time.Hour+time.Hour {
			t.Errorf("got deletion %+v, want the posts before 7 days ago", d)
		}
	})
}

func TestGaps(t *testing.T) {
	run(t, func(w *world) {
		t := w.t
		p := w.start()
		id := p.add("one").ID
		time.Sleep(time.Hour)
		if gaps := p.info(id).Gaps; len(gaps) != 0 {
			t.Fatalf("got gaps %+v of a live source", gaps)
		}
		down := time.Now()
		reports := make(chan connector.Gap, 1)
		w.setRun(func(ctx context.Context, cursor string, sink connector.Sink) error {
			select {
			case g := <-reports:
				w.ok(sink.Gap(ctx, g))
				return w.network.read(ctx, cursor, sink)
			default:
				return errors.New("connection refused")
			}
		})
		p.edit(id, source.Change{Settings: map[string]string{"mode": "fast"}})
		time.Sleep(4 * time.Minute)
		if gaps := p.info(id).Gaps; len(gaps) != 0 {
			t.Errorf("got gaps %+v after four minutes", gaps)
		}
		time.Sleep(2 * time.Minute)
		gaps := p.info(id).Gaps
		if len(gaps) != 1 || !gaps[0].Open || !gaps[0].From.Equal(down) || gaps[0].Reason != "connection refused" {
			t.Fatalf("got gaps %+v, want an open one since %v", gaps, down)
		}
		everything := &earshot.Monitor{Team: team}
		for m, want := range map[*earshot.Monitor]int{
			everything:    1,
			{Team: other}: 1,
			{Team: team, Criteria: earshot.Criteria{Sources: []string{"Bluesky", "Blogs"}}}: 1,
			{Team: team, Criteria: earshot.Criteria{Sources: []string{"Blogs"}}}:            0,
		} {
			if got := p.Gaps(m, down.Add(-time.Hour), time.Now().Add(time.Hour)); len(got) != want {
				t.Errorf("%+v: got gaps %+v, want %d", m, got, want)
			}
		}
		if got := p.Gaps(&earshot.Monitor{Team: other}, down, time.Now()); got[0].Name != "Fake" || strings.Contains(got[0].Reason, "refused") {
			t.Errorf("another team sees the name %s and the reason %s", got[0].Name, got[0].Reason)
		}
		if got := p.Gaps(everything, down.Add(-time.Hour), down); len(got) != 0 {
			t.Errorf("got gaps %+v before it was down", got)
		}
		p.stop()
		p = w.start()
		time.Sleep(time.Minute)
		if gaps := p.info(id).Gaps; len(gaps) != 1 || !gaps[0].From.Equal(down) {
			t.Errorf("got gaps %+v after a restart, want the open one", gaps)
		}
		reports <- connector.Gap{From: down, To: down.Add(3 * time.Minute), Reason: "The network forgot"}
		time.Sleep(10 * time.Minute)
		gaps = p.wantPhase(id, connector.Live).Gaps
		if len(gaps) != 1 || gaps[0].Open || gaps[0].Reason != "The network forgot" || p.info(id).GapTime != 3*time.Minute {
			t.Errorf("got gaps %+v, want the one that the connector reported", gaps)
		}
	})
}

// fullJournal has no space for a while.
type fullJournal struct {
	journal.Journal
	full atomic.Bool
}

func (j *fullJournal) Append(ctx context.Context, e journal.Entry) (earshot.Position, error) {
	if j.full.Load() {
		return 0, earshot.Errorf(earshot.StorageFull, "There is no free disk space")
	}
	return j.Journal.Append(ctx, e)
}

func TestASourceWaitsForDiskSpace(t *testing.T) {
	run(t, func(w *world) {
		t := w.t
		full := &fullJournal{Journal: w.journal}
		p := &process{Service: w.service(), w: w}
		p.Journal = full
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); p.Run(ctx) }()
		defer func() { cancel(); <-done }()
		id := p.add("one").ID
		full.full.Store(true)
		w.network.publish("a", "b")
		time.Sleep(10 * time.Minute)
		if info := p.wantPhase(id, connector.BackingOff); !strings.Contains(info.State.Reason, "no free disk space") {
			t.Errorf("got reason %s", info.State.Reason)
		}
		full.full.Store(false)
		time.Sleep(time.Minute)
		w.wantStored("a", "b")
		p.wantPhase(id, connector.Live)
		if n := len(w.runs()); n != 1 {
			t.Errorf("the connector was started %d times", n)
		}
	})
}

func TestASourceWaitsForThePipeline(t *testing.T) {
	run(t, func(w *world) {
		s := w.service()
		var pending atomic.Int64
		pending.Store(1000)
		s.Pending = func(context.Context) (int64, error) { return pending.Load(), nil }
		p := &process{Service: s, w: w}
		ctx, cancel := context.WithCancel(w.t.Context())
		done := make(chan struct{})
		go func() { defer close(done); p.Run(ctx) }()
		defer func() { cancel(); <-done }()
		p.add("one")
		w.network.publish("a")
		time.Sleep(time.Minute)
		w.wantStored()
		pending.Store(0)
		time.Sleep(time.Second)
		w.wantStored("a")
	})
}

func TestDeletionsAreMerged(t *testing.T) {
	run(t, func(w *world) {
		w.setRun(func(ctx context.Context, _ string, sink connector.Sink) error {
			w.ok(sink.Deliver(ctx, connector.Batch{Cursor: "5", Deletions: []earshot.Deletion{
				{Source: earshot.Bluesky, GUIDs: []string{"a"}},
				{Source: earshot.Bluesky, GUIDs: []string{"b"}, Pages: []string{"did:plc:x"}},
				{Source: earshot.Bluesky}, // selects nothing
				{Source: earshot.Mastodon, GUIDs: []string{"c"}},
			}}))
			<-ctx.Done()
			return ctx.Err()
		})
		p := w.start()
		p.add("one")
		entries := w.entries()
		if len(entries) != 2 || len(entries[0].Deletion.GUIDs) != 2 || entries[0].Origin.Cursor != "" || entries[1].Origin.Cursor != "5" {
			w.t.Errorf("got %+v, want two entries, and the cursor on the last", entries)
		}
	})
}
