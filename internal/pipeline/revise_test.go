package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"earshot"
	"earshot/internal/model/enrich"
	"earshot/internal/poststore"
	"earshot/internal/poststore/memory"
	"earshot/internal/state/journal"
)

// seen returns how many posts have which version of the models, by language.
func (w *world) seen(t *testing.T) (versions []uint32, languages []string) {
	t.Helper()
	posts, _, err := w.Store.Posts(t.Context(), poststore.Selection{}, 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range posts {
		versions, languages = append(versions, p.InferredBy), append(languages, p.Language)
	}
	return versions, languages
}

// outdated stores posts as an older program would have.
func outdated(t *testing.T, store poststore.Store, posts ...earshot.Post) {
	t.Helper()
	matched := make([]poststore.Matched, len(posts))
	for i := range posts {
		matched[i] = poststore.Matched{Post: posts[i]}
	}
	if err := store.Append(t.Context(), 1, matched); err != nil {
		t.Fatal(err)
	}
}

// A reluctant store cannot revise for a while.
type reluctant struct {
	poststore.Store
	failures int
}

func (f *reluctant) Revise(ctx context.Context, r poststore.Revision) error {
	if f.failures > 0 {
		f.failures--
		return errors.New("not now")
	}
	return f.Store.Revise(ctx, r)
}

func TestStoredPostsAreSeenByNewerModels(t *testing.T) {
	stated := post("stated", "The weather in London is very nice today, we like it a lot")
	stated.Language = "fr"
	guessed := post("guessed", "The weather in London is very nice today, we like it a lot")
	guessed.Language, guessed.Inferred = "fr", earshot.InferredLanguage
	synctest.Test(t, func(t *testing.T) {
		store := &reluctant{memory.New(), 3}
		w := newWorld(t, memory.New())
		w.append(t, journal.Entry{Posts: []earshot.Post{post("x", "y")}}) // the journal is not behind the store
		synctest.Wait()
		outdated(t, store, guessed, stated)
		w.restart(t, store)
		synctest.Wait()
		if got := w.Refreshing().State; got != earshot.Idle {
			t.Errorf("before anybody asks: got %s", got)
		}
		if err := w.Refresh(t.Context(), false); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if got := w.Refreshing().State; got != earshot.Failed {
			t.Errorf("while the store fails: got %s", got)
		}
		// It is wanted still after a restart.
		w.restart(t, store)
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := w.Refreshing(); got.State != earshot.Done || got.Done != 2 || got.Total != 2 {
			t.Errorf("got %+v, want two posts done", got)
		}
		versions, languages := w.seen(t)
		if got, want := fmt.Sprint(versions, languages), fmt.Sprint([]uint32{enrich.Version, enrich.Version}, []string{"en", "fr"}); got != want {
			t.Errorf("got %s, want %s: what was stated stays", got, want)
		}
	})
}

func TestBaselineCountsMicroblogPostsOnce(t *testing.T) {
	tweet := post("1", "what a goal! #worldcup #soccer @fifa")
	tweet.Source = earshot.Twitter
	plain := post("2", "nothing in particular")
	plain.Source = earshot.Mastodon
	news := post("3", "#soccer")
	synctest.Test(t, func(t *testing.T) {
		store := memory.New()
		w := newWorld(t, store)
		w.append(t, journal.Entry{Posts: []earshot.Post{tweet, plain, news}})
		synctest.Wait()
		w.restart(t, memory.New()) // which reads everything again
		synctest.Wait()
		b := w.Baseline()
		if b.Posts != 2 || b.Position == 0 {
			t.Errorf("got %v posts up to %d, want 2", b.Posts, b.Position)
		}
		posts, _, err := w.Store.Posts(t.Context(), poststore.Selection{}, 10)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range posts {
			if p.GUID != "1" {
				continue
			}
			if len(p.Interests) == 0 {
				t.Fatal("the first post has no interests")
			}
			for _, id := range p.Interests {
				if got := b.Share(id); got != 0.5 {
					t.Errorf("interest %d: got a share of %v, want half of the posts", id, got)
				}
			}
		}
	})
}

// An interrupted store has something happen in the middle of its first revision.
type interrupted struct {
	poststore.Store
	once sync.Once
	by   func()
}

func (i *interrupted) Revise(ctx context.Context, r poststore.Revision) error {
	i.once.Do(i.by)
	return i.Store.Revise(ctx, r)
}

func TestARefreshAskedForDuringAnotherIsNotLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &interrupted{Store: memory.New()}
		w := newWorld(t, memory.New())
		store.by = func() {
			if err := w.Refresh(context.Background(), true); err != nil {
				t.Error(err)
			}
		}
		w.append(t, journal.Entry{Posts: []earshot.Post{post("x", "y")}})
		synctest.Wait()
		outdated(t, store, post("a", "b"))
		w.restart(t, store)
		if err := w.Refresh(t.Context(), false); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if versions, _ := w.seen(t); len(versions) != 1 || versions[0] != enrich.ModelVersion(1) {
			t.Errorf("got versions %x, want %x", versions, enrich.ModelVersion(1))
		}
		if got := w.Refreshing().State; got != earshot.Done {
			t.Errorf("got %s, want it to be done", got)
		}
		// New posts are of that generation, also after a restart, and the next one is another.
		w.restart(t, store)
		if err := w.Refresh(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if versions, _ := w.seen(t); versions[0] != enrich.ModelVersion(2) {
			t.Errorf("asked for once more: got versions %x, want %x", versions, enrich.ModelVersion(2))
		}
	})
}

// An explosive model cannot stand some texts.
type explosive struct{}

func (explosive) Infer(text string) ([3]float32, error) {
	if strings.Contains(text, "poison") {
		panic("no")
	}
	return [3]float32{1, 0, 0}, nil
}

func TestAPostThatModelsCannotSeeKeepsNoneFromBeingSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memory.New()
		w := newWorld(t, memory.New())
		w.append(t, journal.Entry{Posts: []earshot.Post{post("x", "y")}})
		synctest.Wait()
		outdated(t, store, post("a", "fine"), post("b", "poison"), post("c", "fine"))
		w.Enrich = enrich.NewWith(enrich.CustomModels{Sentiment: explosive{}})
		w.restart(t, store)
		if err := w.Refresh(t.Context(), false); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		posts, _, err := w.Store.Posts(t.Context(), poststore.Selection{}, 10)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range posts {
			got = append(got, fmt.Sprint(p.GUID, p.InferredBy, p.Sentiment))
		}
		if want := "[a1 [100 0 0] b1 [0 0 0] c1 [100 0 0]]"; fmt.Sprint(got) != want {
			t.Errorf("got %v, want %s", got, want)
		}
	})
}
