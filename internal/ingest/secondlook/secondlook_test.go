package secondlook

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"earshot"
	"earshot/internal/model/enrich"
	"earshot/internal/model/sentiment"
	"earshot/internal/poststore"
	"earshot/internal/poststore/memory"
	"earshot/internal/state/journal"
)

// network finds every text negative, and takes 40 ms.
type network struct{ read []string }

func (n *network) Infer(text string, _ sentiment.Domain) (earshot.Sentiment, earshot.Emotion, error) {
	n.read = append(n.read, text)
	time.Sleep(40 * time.Millisecond) // of virtual time
	switch {
	case strings.Contains(text, "panic"):
		panic("cannot read this")
	case strings.Contains(text, "fail"):
		return earshot.Sentiment{}, earshot.Emotion{}, errors.New("cannot read this")
	}
	return earshot.Sentiment{earshot.Negative: 100}, earshot.Emotion{earshot.Anger: 100}, nil
}

// A world has a store, and a journal whose entries are applied at once.
type world struct {
	*Service
	*memory.Store
	t        *testing.T
	network  network
	monitors []*earshot.Monitor
	at       earshot.Position
	lost     bool // looks are not applied
	busy     bool
	old      bool // some node does not know looks
}

func newWorld(t *testing.T, cpu float64) *world {
	w := &world{Store: memory.New(), t: t}
	w.Service = New(Options{
		Posts: w.Store, Journal: w, Monitors: func() []*earshot.Monitor { return w.monitors }, Enrich: enrich.New(),
		Network: func() (enrich.Network, error) { return &w.network, nil }, Languages: []string{"en"},
		Ready: func() bool { return !w.old }, Stored: func(context.Context, earshot.Position) error { return nil },
		CPU: cpu, Busy: func() bool { return w.busy }, Log: slog.New(slog.DiscardHandler),
	})
	w.monitors = []*earshot.Monitor{{ID: 1, Enabled: true}, {ID: 2, Enabled: true}, {ID: 3, Enabled: true, Removed: true}, {ID: 4}}
	return w
}

func (w *world) Append(ctx context.Context, e journal.Entry) (earshot.Position, error) {
	w.at++
	if w.lost {
		return w.at, nil
	}
	var posts []poststore.MatchedPost
	for _, look := range e.Looks {
		found, err := w.Store.Find(ctx, []earshot.PostKey{look.Key})
		if err != nil || len(found) != 1 {
			return 0, fmt.Errorf("%v: %d posts, %v", look.Key, len(found), err)
		}
		p := found[0]
		if enrich.TextHash(&p) != look.Text || look.Models != p.InferredBy+1 {
			w.t.Errorf("%s: got a look of another text or of models %d", p.GUID, look.Models)
		}
		p.Sentiment, p.Emotion, p.InferredBy = look.Sentiment, look.Emotion, look.Models
		posts = append(posts, poststore.MatchedPost{Post: p, Sets: []poststore.SetID{poststore.MonitorSet(1)}})
	}
	return w.at, w.Store.Append(ctx, w.at, posts)
}

// add stores a post of a monitor.
func (w *world) add(id earshot.MonitorID, guid, text, language string) {
	w.t.Helper()
	w.at++
	p := earshot.Post{
		Source: earshot.Twitter, GUID: guid, Contents: text, Language: language, Time: time.Unix(int64(w.at)*60, 0),
		Sentiment: earshot.Sentiment{20, 60, 20}, InferredBy: enrich.Version,
	}
	if err := w.Store.Append(w.t.Context(), w.at, []poststore.MatchedPost{{Post: p, Sets: []poststore.SetID{poststore.MonitorSet(id)}}}); err != nil {
		w.t.Fatal(err)
	}
}

// negative returns the guids of posts that are negative, sorted.
func (w *world) negative() string {
	w.t.Helper()
	posts, _, err := w.Store.Posts(w.t.Context(), poststore.Selection{}, 1000)
	if err != nil {
		w.t.Fatal(err)
	}
	var guids []string
	for _, p := range posts {
		if p.Sentiment[earshot.Negative] > 90 {
			guids = append(guids, p.GUID)
		}
	}
	slices.Sort(guids)
	return strings.Join(guids, " ")
}

// run runs the service for some time.
func (w *world) run(d time.Duration) {
	ctx, stop := context.WithTimeout(w.t.Context(), d)
	defer stop()
	w.Run(ctx)
}

func TestPostsOfMonitorsAreReadOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1)
		w.add(1, "a", "one", "en")
		w.add(2, "b", "two", "en")
		w.add(1, "german", "drei", "de")
		w.add(3, "removed", "four", "en")
		w.add(4, "disabled", "five", "en")
		w.add(1, "fails", "fail", "en")
		w.add(1, "panics", "panic", "en")
		w.run(time.Second)
		w.run(time.Hour) // as if after a restart
		if got, want := w.negative(), "a b"; got != want {
			t.Errorf("negative: got %q, want %q", got, want)
		}
		if got, want := strings.Join(w.network.read, " "), "panic fail one two"; got != want {
			t.Errorf("read: got %q, want %q, newest first", got, want)
		}
		if w.Looked() != 4 {
			t.Errorf("got %d looks, want 4", w.Looked())
		}

		w.add(1, "a", "one", "en") // with other counters
		w.add(1, "c", "five", "en")
		w.run(time.Hour)
		if got, want := w.negative(), "a b c"; got != want {
			t.Errorf("later: got %q, want %q", got, want)
		}
		if got, want := strings.Join(w.network.read[4:], " "), "five"; got != want {
			t.Errorf("later: read %q, want %q", got, want)
		}
	})
}

func TestRematchedPostsAreFound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1)
		w.add(7, "old", "found by a new monitor", "en")
		ctx, stop := context.WithCancel(t.Context())
		go w.Run(ctx)
		time.Sleep(time.Hour)
		w.monitors = append(w.monitors, &earshot.Monitor{ID: 7, Enabled: true}) // no new post
		time.Sleep(2 * recheck)
		synctest.Wait()
		if got := w.negative(); got != "old" {
			t.Errorf("got %q, want old", got)
		}
		stop()
		synctest.Wait()
	})
}

func TestShareOfACore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for cpu, want := range map[float64]int{1: 20, 0.25: 6, 0.05: 2} {
			w := newWorld(t, cpu)
			for i := range 20 {
				w.add(1, fmt.Sprint(i), fmt.Sprint("text ", i), "en")
			}
			w.run(time.Second - time.Millisecond)
			if got := len(w.network.read); got < want-1 || got > want+1 {
				t.Errorf("%v of a core: read %d posts in a second, want %d", cpu, got, want)
			}
		}
	})
}

func TestIngestHasPrecedence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1)
		w.busy = true
		for i := range 20 {
			w.add(1, fmt.Sprint(i), fmt.Sprint("text ", i), "en")
		}
		w.run(10 * time.Second)
		if got := len(w.network.read); got != 4 {
			t.Errorf("read %d posts in 10 seconds, want 4", got)
		}
	})
}

func TestNothingIsAppendedThatANodeDoesNotKnow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1)
		w.old = true
		w.add(1, "a", "one", "en")
		w.run(time.Hour)
		if len(w.network.read) != 0 {
			t.Errorf("read %v", w.network.read)
		}
		w.old = false
		w.run(time.Minute)
		if got := w.negative(); got != "a" {
			t.Errorf("got %q, want a", got)
		}
	})
}

// Looks that never reach the store must not keep a core busy.
func TestLostLooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1)
		w.lost = true
		w.add(1, "a", "one", "en")
		w.run(time.Hour)
		if w.Looked() > 61 {
			t.Errorf("looked %d times in an hour", w.Looked())
		}
	})
}
