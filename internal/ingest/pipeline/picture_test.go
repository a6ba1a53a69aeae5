package pipeline_test

import (
	"testing"
	"testing/synctest"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/memory"
	"earshot/internal/state/journal"
)

// pictured returns a post with an image.
func pictured(guid, contents, url string) earshot.Post {
	p := post(guid, contents)
	p.Images = []earshot.Image{{URL: url}}
	return p
}

// dog returns an entry that says that the picture at a URL shows a dog.
func dog(url string, posts ...journal.PicturedPost) journal.Entry {
	found := &earshot.Picture{Hash: "1", Model: "1", Objects: []earshot.ImageObject{{Score: 0.8, ClassID: 17, ClassName: "dog"}}}
	return journal.Entry{Pictures: &journal.Pictures{Posts: posts, Found: map[string]*earshot.Picture{url: found}}}
}

func key(guid string, at earshot.Position) journal.PicturedPost {
	return journal.PicturedPost{Key: earshot.PostKey{Source: earshot.News, GUID: guid}, Position: at}
}

// dogs returns the number of posts in a set whose images show a dog.
func (w *world) dogs(t *testing.T, set poststore.SetID) int64 {
	t.Helper()
	rows, err := poststore.TallyOne(t.Context(), w.store, poststore.Selection{Set: set, Having: []poststore.Having{{By: poststore.ByImageClass, Keys: []string{"17"}}}}, poststore.Tally{})
	if err != nil {
		t.Fatal(err)
	}
	return rows[0].Posts
}

func TestPicturesAreAppliedInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, memory.New())
		s := &streams{}
		w.crash()
		w.Streams = s
		w.start(t)
		w.monitor(t, 1, "coffee")
		w.append(t, journal.Entry{Posts: []earshot.Post{pictured("a", "coffee", "u"), pictured("b", "coffee", "v"), pictured("c", "coffee", "u")}})
		w.append(t, journal.Entry{Deletion: &earshot.Deletion{Source: earshot.News, GUIDs: []string{"c"}}})
		w.append(t, dog("u", key("a", 1), key("b", 1), key("c", 1)))
		synctest.Wait()
		if posts, dogs := w.count(t, 1), w.dogs(t, 1); posts != 2 || dogs != 1 {
			t.Errorf("got %d posts, %d with dogs, want 2 and 1", posts, dogs)
		}
		if got, want := s.saw(), "1 a[1] b[1] c[1], 2, 3 updates a[1]"; got != want {
			t.Errorf("streams: got %s, want %s", got, want)
		}
		if posts, at := w.Processed(); posts != 3 || at != 3 {
			t.Errorf("got %d posts up to %d, want 3 up to 3", posts, at)
		}

		// A newer version of the post has another picture, then the old one again.
		w.append(t, journal.Entry{Posts: []earshot.Post{pictured("a", "coffee", "w")}})
		w.append(t, dog("u", key("a", 1)))
		synctest.Wait()
		if dogs := w.dogs(t, 1); dogs != 0 {
			t.Errorf("another picture: got %d posts with dogs, want 0", dogs)
		}
		w.append(t, journal.Entry{Posts: []earshot.Post{pictured("a", "coffee", "u")}})
		w.append(t, dog("u", key("a", 6)))
		w.append(t, journal.Entry{Pictures: &journal.Pictures{Posts: []journal.PicturedPost{key("a", 0)}}}) // a request changes nothing
		synctest.Wait()
		if dogs := w.dogs(t, 1); dogs != 1 {
			t.Errorf("the old picture: got %d posts with dogs, want 1", dogs)
		}

		w.restart(t, memory.New())
		synctest.Wait()
		if posts, dogs := w.count(t, 1), w.dogs(t, 1); posts != 2 || dogs != 1 {
			t.Errorf("rebuilt store: got %d posts, %d with dogs, want 2 and 1", posts, dogs)
		}
	})
}

func TestDisabledMonitorsKeepPostsWhosePicturesComeLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, memory.New())
		w.monitor(t, 1, "coffee")
		w.append(t, journal.Entry{Posts: []earshot.Post{pictured("a", "coffee", "u")}})
		synctest.Wait()
		w.change(t, 1, func(m *earshot.Monitor) { m.Enabled, m.DisabledAt = false, 1 })
		w.append(t, journal.Entry{Posts: []earshot.Post{pictured("b", "coffee", "u")}})
		w.append(t, dog("u", key("a", 1), key("b", 2)))
		synctest.Wait()
		if posts, dogs := w.count(t, 1), w.dogs(t, 1); posts != 1 || dogs != 1 {
			t.Errorf("got %d posts, %d with dogs, want one with a dog", posts, dogs)
		}
	})
}
