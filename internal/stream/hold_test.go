package stream

import (
	"testing"
	"testing/synctest"
	"time"

	"earshot"
	"earshot/internal/poststore"
)

// picturedPost returns a post of monitor 11 with an image.
func picturedPost(guid string, seen bool) poststore.MatchedPost {
	p := poststore.MatchedPost{Post: earshot.Post{GUID: guid, Images: []earshot.Image{{URL: "u"}}}, Sets: []poststore.SetID{poststore.MonitorSet(11)}}
	if seen {
		p.Post.Images[0].Picture = &earshot.Picture{Hash: "1"}
		p.Post.Title = "seen"
	}
	return p
}

func unseen(p *earshot.Post) bool { return len(p.Images) > 0 && p.Images[0].Picture == nil }

func TestPostsWaitForTheirPictures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		f.Unseen = unseen
		all := f.add("all", 11)
		at := earshot.Position(100)
		offer := func(posts ...poststore.MatchedPost) {
			t.Helper()
			at++
			if err := f.Offer(t.Context(), at, posts); err != nil {
				t.Fatal(err)
			}
		}
		plain := func(guid string) poststore.MatchedPost {
			return poststore.MatchedPost{Post: earshot.Post{GUID: guid}, Sets: []poststore.SetID{poststore.MonitorSet(11)}}
		}
		titles := func() (text string) {
			t.Helper()
			page, err := f.Take(t.Context(), all, 100)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range page.Posts {
				text += p.GUID + p.Title + " "
			}
			return text
		}

		// The pictures arrive in time. Earlier posts do not wait, later ones do.
		offer(plain("a"))
		offer(picturedPost("b", false))
		offer(plain("c"))
		f.flush(t.Context(), false)
		f.want(titles(), "a ")
		at++
		if err := f.Update(t.Context(), at, []poststore.MatchedPost{picturedPost("b", true), picturedPost("unknown", true)}); err != nil {
			t.Fatal(err)
		}
		f.flush(t.Context(), false)
		f.want(titles(), "bseen c ")
		if lag := f.Lag(); lag != 0 {
			t.Errorf("got a lag of %d, want 0", lag)
		}

		// They take too long.
		offer(picturedPost("d", false))
		f.flush(t.Context(), false)
		f.want(titles(), "")
		time.Sleep(maxHold)
		f.flush(t.Context(), false)
		f.want(titles(), "d ")
		at++
		if err := f.Update(t.Context(), at, []poststore.MatchedPost{picturedPost("d", true)}); err != nil {
			t.Fatal(err)
		}
		f.flush(t.Context(), false)
		f.want(titles(), "") // it is not sent again
		position, err := f.Position(t.Context(), 0)
		if err != nil || position != at {
			t.Errorf("got position %d, %v, want %d", position, err, at)
		}

		// The service stops.
		offer(picturedPost("e", false))
		f.flush(t.Context(), true)
		f.want(titles(), "e ")
	})
}

// TestHeldPostsSurviveACrash checks that the position does not pass a post that waits.
func TestHeldPostsSurviveACrash(t *testing.T) {
	f := newFixture(t)
	f.Unseen = unseen
	f.add("all", 11)
	if err := f.Offer(t.Context(), 101, nil); err != nil {
		t.Fatal(err)
	}
	if err := f.Offer(t.Context(), 102, []poststore.MatchedPost{picturedPost("a", false)}); err != nil {
		t.Fatal(err)
	}
	if err := f.Offer(t.Context(), 103, nil); err != nil {
		t.Fatal(err)
	}
	f.flush(t.Context(), false)
	if position, err := f.Position(t.Context(), 0); err != nil || position != 101 {
		t.Errorf("got position %d, %v, want 101", position, err)
	}
}
