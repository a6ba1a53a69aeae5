package rematch_test

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
	"earshot/internal/ingest/rematch"
	"earshot/internal/model/enrich"
	"earshot/internal/poststore"
	"earshot/internal/poststore/memory"
	"earshot/internal/state/journal"
)

// inferred returns the model version and the language of each post.
func (w *world) inferred(t *testing.T) (versions []uint32, languages []string) {
	t.Helper()
	posts, _, err := w.store.Posts(t.Context(), poststore.Selection{}, 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range posts {
		versions, languages = append(versions, p.InferredBy), append(languages, p.Language)
	}
	return versions, languages
}

// outdated stores posts as an older version of Earshot would.
func outdated(t *testing.T, store poststore.Store, posts ...earshot.Post) {
	t.Helper()
	matched := make([]poststore.MatchedPost, len(posts))
	for i := range posts {
		matched[i] = poststore.MatchedPost{Post: posts[i]}
	}
	if err := store.Append(t.Context(), 1, matched); err != nil {
		t.Fatal(err)
	}
}

// A failingStore fails to reinfer a few times.
type failingStore struct {
	poststore.Store
	failures int
}

func (f *failingStore) Reinfer(ctx context.Context, r poststore.Reinfer) error {
	if f.failures > 0 {
		f.failures--
		return errors.New("not now")
	}
	return f.Store.Reinfer(ctx, r)
}

func TestReinfer(t *testing.T) {
	stated := post("stated", "The weather in London is very nice today, we like it a lot")
	stated.Language = "fr"
	guessed := post("guessed", "The weather in London is very nice today, we like it a lot")
	guessed.Language, guessed.Inferred = "fr", earshot.InferredLanguage
	synctest.Test(t, func(t *testing.T) {
		store := &failingStore{memory.New(), 3}
		w := newWorld(t, memory.New())
		w.append(t, journal.Entry{Posts: []earshot.Post{post("x", "y")}}) // so that the journal is not behind the store
		synctest.Wait()
		outdated(t, store, guessed, stated)
		w.restart(t, store)
		synctest.Wait()
		if got := w.ReinferProgress().State; got != rematch.Idle {
			t.Errorf("before any request: got %s", got)
		}
		if err := w.Reinfer(t.Context(), false); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if got := w.ReinferProgress().State; got != rematch.Failed {
			t.Errorf("while the store fails: got %s", got)
		}
		// The request survives a restart.
		w.restart(t, store)
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := w.ReinferProgress(); got.State != rematch.Done || got.Done != 2 || got.Total != 2 {
			t.Errorf("got %+v, want two posts done", got)
		}
		versions, languages := w.inferred(t)
		if got, want := fmt.Sprint(versions, languages), fmt.Sprint([]uint32{enrich.Version, enrich.Version}, []string{"en", "fr"}); got != want {
			t.Errorf("got %s, want %s: a stated language must not change", got, want)
		}
	})
}

// An interruptedStore calls by during its first Reinfer.
type interruptedStore struct {
	poststore.Store
	once sync.Once
	by   func()
}

func (i *interruptedStore) Reinfer(ctx context.Context, r poststore.Reinfer) error {
	i.once.Do(i.by)
	return i.Store.Reinfer(ctx, r)
}

func TestRequestDuringReinferIsNotLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &interruptedStore{Store: memory.New()}
		w := newWorld(t, memory.New())
		store.by = func() {
			if err := w.Reinfer(context.Background(), true); err != nil {
				t.Error(err)
			}
		}
		w.append(t, journal.Entry{Posts: []earshot.Post{post("x", "y")}})
		synctest.Wait()
		outdated(t, store, post("a", "b"))
		w.restart(t, store)
		if err := w.Reinfer(t.Context(), false); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if versions, _ := w.inferred(t); len(versions) != 1 || versions[0] != enrich.ModelVersion(1) {
			t.Errorf("got versions %x, want %x", versions, enrich.ModelVersion(1))
		}
		if got := w.ReinferProgress().State; got != rematch.Done {
			t.Errorf("got state %s, want done", got)
		}
		// New posts have that generation, even after a restart. The next request has a new
		// generation.
		w.restart(t, store)
		if err := w.Reinfer(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if versions, _ := w.inferred(t); versions[0] != enrich.ModelVersion(2) {
			t.Errorf("after another request: got versions %x, want %x", versions, enrich.ModelVersion(2))
		}
	})
}

// A panickingModel panics on texts that contain "poison".
type panickingModel struct{}

func (panickingModel) Infer(text string) ([3]float32, error) {
	if strings.Contains(text, "poison") {
		panic("no")
	}
	return [3]float32{1, 0, 0}, nil
}

func TestModelPanicDoesNotBlockOtherPosts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memory.New()
		w := newWorld(t, memory.New())
		w.append(t, journal.Entry{Posts: []earshot.Post{post("x", "y")}})
		synctest.Wait()
		outdated(t, store, post("a", "fine"), post("b", "poison"), post("c", "fine"))
		w.Enrich = enrich.NewWith(enrich.CustomModels{Sentiment: panickingModel{}})
		w.restart(t, store)
		if err := w.Reinfer(t.Context(), false); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		posts, _, err := w.store.Posts(t.Context(), poststore.Selection{}, 10)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range posts {
			got = append(got, fmt.Sprint(p.GUID, p.InferredBy, p.Sentiment))
		}
		if want := fmt.Sprintf("[a%[1]d [99 1 0] b%[1]d [0 0 0] c%[1]d [99 1 0]]", enrich.ModelVersion(0)); fmt.Sprint(got) != want {
			t.Errorf("got %v, want %s", got, want)
		}
	})
}
