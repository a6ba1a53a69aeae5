package picture

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"earshot"
	"earshot/internal/fetch"
	"earshot/internal/state/journal"
)

// inBubble runs a test with virtual time.
func inBubble(t *testing.T, test func(w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		test(w)
		w.kill()
	})
}

func TestPicturesAreLookedAtOnce(t *testing.T) {
	inBubble(t, func(w *world) {
		w.post("a", "http://x/1")
		w.want(2*time.Second, "a@2: http://x/1=gray 1 9", "http://x/1")
		w.post("b", "http://x/1")
		w.post("tweet", "http://x/2")
		w.post("c", "http://y/1") // the same file at another URL
		w.want(2*time.Second, "a@2: http://x/1=gray 1 9; b@4 c@6: http://x/1=gray 1 9, http://y/1=gray 1 9", "http://x/1 http://y/1")
		if w.seen != 1 {
			t.Errorf("the model has seen %d images, want 1", w.seen)
		}
		if last, _ := w.Journal.Last(w.t.Context()); w.Done() != last || w.cursor != last {
			t.Errorf("done up to %d, cursor %d, want %d", w.Done(), w.cursor, last)
		}
		if st := w.Stats(); st.Waiting != 0 || st.Looked != 1 || st.Fetched != 2 || st.Cached != 2 || st.Failed != 0 || st.Thumbnails != 1 {
			t.Errorf("got %+v", st)
		}
	})
}

func TestAPostDoesNotWaitForItsSlowestPicture(t *testing.T) {
	inBubble(t, func(w *world) {
		w.set(func() {
			w.answer = func(url string, _ int) ([]byte, error) {
				if strings.HasPrefix(url, "http://slow") {
					time.Sleep(8 * time.Second)
				}
				return file(9), nil
			}
		})
		w.post("a", "http://x/1 http://slow/1")
		w.post("b", "http://x/2")
		w.want(500*time.Millisecond, "b@3: http://x/2=gray 1 9", "http://slow/1 http://x/1 http://x/2")
		w.want(time.Second, "b@3: http://x/2=gray 1 9; a@2: http://x/1=gray 1 9", "http://slow/1 http://x/1 http://x/2")
		if w.Done() != 1 {
			t.Errorf("done up to %d, want 1: the slow picture is missing", w.Done())
		}
		w.want(8*time.Second, "b@3: http://x/2=gray 1 9; a@2: http://x/1=gray 1 9; a@2: http://slow/1=gray 1 9", "http://slow/1 http://x/1 http://x/2")
	})
}

// The process loses its role while a picture is being fetched, and gets it back.
func TestRunAgain(t *testing.T) {
	inBubble(t, func(w *world) {
		w.set(func() {
			w.answer = func(_ string, attempt int) ([]byte, error) {
				if attempt == 1 {
					time.Sleep(time.Minute)
				}
				return file(9), nil
			}
		})
		w.post("a", "http://x/1 http://x/2")
		time.Sleep(time.Second)
		w.kill()
		w.run()
		w.want(2*time.Minute, "a@2: http://x/1=gray 1 9; a@2: http://x/2=gray 1 9", "http://x/1 http://x/1 http://x/2")
		if st := w.Stats(); st.Waiting != 0 {
			t.Errorf("%d pictures wait", st.Waiting)
		}
	})
}

func TestKilledServiceContinues(t *testing.T) {
	inBubble(t, func(w *world) {
		w.set(func() {
			w.answer = func(url string, attempt int) ([]byte, error) {
				if url == "http://x/2" && attempt == 1 {
					time.Sleep(time.Hour)
				}
				return file(9), nil
			}
		})
		w.post("a", "http://x/1")
		w.want(2*time.Second, "a@2: http://x/1=gray 1 9", "http://x/1")
		w.post("b", "http://x/2")
		w.post("c", "http://y/1")
		w.want(2*time.Second, "a@2: http://x/1=gray 1 9; c@5: http://y/1=gray 1 9", "http://x/1 http://x/2 http://y/1")
		w.kill()
		w.post("d", "http://x/1")
		w.start("1")
		// The store of this test never has results, so the one of c is repeated, from the cache.
		w.want(3*time.Second, "a@2: http://x/1=gray 1 9; c@5: http://y/1=gray 1 9; b@4 c@5 d@7: http://x/1=gray 1 9, http://x/2=gray 1 9, http://y/1=gray 1 9",
			"http://x/1 http://x/2 http://x/2 http://y/1")
	})
}

// TestPostsBeforeTheFirstRunAreNotSkipped appends posts after Begin, while no service runs: one that
// was never run, and one that was killed before it saved its cursor.
func TestPostsBeforeTheFirstRunAreNotSkipped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.kill()
		w.set(func() { w.fresh, w.cursor = true, 0 })
		w.post("before", "http://x/1")
		if err := w.Begin(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.post("after", "http://x/2")
		if err := w.Begin(t.Context()); err != nil { // the next start
			t.Fatal(err)
		}
		w.start("1")
		w.want(2*time.Second, "after@3: http://x/2=gray 1 9", "http://x/2")
		w.kill()
	})
}

func TestForgottenPositionStartsAtTheEnd(t *testing.T) {
	w := newWorld(t)
	if _, ok, err := w.PictureCursor(t.Context()); !ok || err != nil {
		t.Fatalf("got %v, %v, want a position", ok, err)
	}
	for range 2 { // a repeat is harmless
		w.Forget(t.Context())
		if at, ok, err := w.PictureCursor(t.Context()); ok || err != nil {
			t.Errorf("got position %d, %v, want none", at, err)
		}
	}
}

func TestFailuresThatPassAreRetried(t *testing.T) {
	inBubble(t, func(w *world) {
		w.set(func() {
			w.answer = func(url string, attempt int) ([]byte, error) {
				switch {
				case url == "http://x/busy" && attempt < 3:
					return nil, &fetch.StatusError{Code: 503}
				case url == "http://y/gone":
					return nil, &fetch.StatusError{Code: 404}
				case url == "http://z/inside":
					return nil, fetch.ErrRefused
				case url == "http://v/text":
					return []byte("<html>"), nil
				case url == "http://u/model":
					return file(66), nil
				case url == "http://w/model":
					return file(77), nil
				}
				return file(9), nil
			}
		})
		w.post("a", "http://x/busy")
		w.post("b", "http://y/gone http://z/inside http://v/text")
		w.post("c", "http://w/model http://u/model")
		const all = "http://u/model http://v/text http://w/model http://x/busy http://x/busy http://x/busy http://y/gone http://z/inside"
		w.want(time.Minute, "a@2: http://x/busy=gray 1 9", all)
		if last, _ := w.Journal.Last(w.t.Context()); w.Done() != last {
			t.Errorf("done up to %d, want %d", w.Done(), last)
		}
		w.post("d", "http://y/gone http://z/inside http://v/text")
		w.want(time.Minute, "a@2: http://x/busy=gray 1 9", all) // remembered
		if failed := w.Stats().Failed; failed != 5 {
			t.Errorf("%d failed, want 5", failed)
		}
	})
}

func TestHostsGetOneRequestAtATime(t *testing.T) {
	inBubble(t, func(w *world) {
		open := map[string]int{}
		w.set(func() {
			w.answer = func(url string, _ int) ([]byte, error) {
				w.set(func() { open[hostOf(url)]++ })
				time.Sleep(50 * time.Millisecond)
				w.mu.Lock()
				defer w.mu.Unlock()
				if open[hostOf(url)]--; open[hostOf(url)] > 0 {
					t.Errorf("%s: another request at the same time", url)
				}
				return file(9), nil
			}
		})
		began := time.Now()
		for i := range 20 {
			w.post(fmt.Sprint(i), fmt.Sprintf("http://x/%d http://y/%d", i, i))
		}
		for w.Stats().Fetched < 40 {
			time.Sleep(10 * time.Millisecond)
		}
		if took := time.Since(began); took < 19*150*time.Millisecond || took > 4*time.Second {
			t.Errorf("took %v, want about 3 s: 150 ms per request, both hosts at the same time", took)
		}
	})
}

func TestPicturesOfAHostThatIsDownAreGivenUp(t *testing.T) {
	inBubble(t, func(w *world) {
		w.set(func() {
			w.answer = func(url string, _ int) ([]byte, error) {
				if hostOf(url) == "down" {
					return nil, errors.New("no connection")
				}
				return file(9), nil
			}
		})
		for i := range 100 {
			w.post(fmt.Sprint(i), fmt.Sprintf("http://down/%d", i))
		}
		w.post("last", "http://up/1")
		time.Sleep(5 * time.Minute)
		synctest.Wait()
		if n := len(w.requests); n > 20 {
			t.Errorf("%d requests, want few", n)
		}
		if last, _ := w.Journal.Last(w.t.Context()); w.Done() != last || w.results() != "last@102: http://up/1=gray 1 9" {
			t.Errorf("done up to %d of %d: %s", w.Done(), last, w.results())
		}
	})
}

func TestFullDisk(t *testing.T) {
	inBubble(t, func(w *world) {
		w.set(func() { w.free, w.full = 0, true })
		w.post("a", "http://x/1")
		w.want(time.Minute, "", "http://x/1")
		if w.Done() != 1 {
			t.Errorf("done up to %d, want 1: the journal lacks the result", w.Done())
		}
		w.set(func() { w.full = false })
		w.want(10*time.Second, "a@2: http://x/1=gray 1 9", "http://x/1") // though the cache has no space
		if _, err := w.Cache.Thumbnail(HashOf(file(9))); !errors.Is(err, ErrNoThumbnail) {
			t.Errorf("got %v, want no thumbnail", err)
		}
		if _, _, err := w.Add(w.t.Context(), file(8)); !earshot.IsKind(err, earshot.StorageFull) {
			t.Errorf("upload: got %v, want StorageFull", err)
		}
	})
}

func TestRefresh(t *testing.T) {
	inBubble(t, func(w *world) {
		w.post("a", "http://x/1")
		w.want(2*time.Second, "a@2: http://x/1=gray 1 9", "http://x/1")
		w.kill()
		w.start("2")
		known, _ := w.Cache.Result(HashOf(file(9)))
		lost := &earshot.Picture{Hash: HashOf(file(5)), Model: "1"}
		posts := []earshot.Post{
			{Source: earshot.News, GUID: "a", Images: []earshot.Image{{URL: "http://x/1", Picture: known}}},
			{Source: earshot.News, GUID: "b", Images: []earshot.Image{{URL: "http://x/2", Picture: lost}}},
			{Source: earshot.News, GUID: "c"},
			{Source: earshot.Twitter, GUID: "d", Images: []earshot.Image{{URL: "http://x/3", Picture: known}}},
		}
		w.Refresh(w.t.Context(), posts)
		if got := posts[0].Images[0].Picture; got.Model != "2" || got.Objects[0].ClassName != "gray 2" {
			t.Errorf("got %+v, want a result of the new model", got)
		}
		if posts[1].Images[0].Picture != lost || posts[3].Images[0].Picture != known {
			t.Error("pictures without a thumbnail and those of restricted sources must stay")
		}
		last, _ := w.Journal.Last(w.t.Context())
		var request *journal.Pictures
		for b, err := range w.Journal.Batches(w.t.Context(), 0) {
			if err != nil {
				t.Fatal(err)
			}
			if request = b.Pictures; b.Position == last {
				break
			}
		}
		if request == nil || len(request.Found) > 0 || len(request.Posts) != 1 || request.Posts[0].Key.GUID != "b" {
			t.Errorf("got %+v, want a request for b", request)
		}
	})
}

func TestUploadedPictures(t *testing.T) {
	inBubble(t, func(w *world) {
		url, p, err := w.Add(w.t.Context(), file(3))
		if err != nil || url != earshot.PictureScheme+HashOf(file(3)) || p.Width != 4 || p.Height != 3 || p.Similar != 7 {
			t.Fatalf("got %q %+v %v", url, p, err)
		}
		w.post("a", url)
		w.post("b", earshot.PictureScheme+HashOf(file(4))) // never uploaded
		w.want(2*time.Second, "a@2: "+url+"=gray 1 3", "")
		if _, _, err := w.Add(w.t.Context(), []byte("text")); !earshot.IsKind(err, earshot.Invalid) {
			t.Errorf("got %v, want Invalid", err)
		}
	})
}
