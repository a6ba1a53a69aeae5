package source

import (
	"testing"
	"time"

	"earshot"
	journalmemory "earshot/internal/state/journal/memory"
)

// Ten thousand sources may each have delivered ten thousand posts.
func TestOnlySourcesThatSelectPostsRememberThem(t *testing.T) {
	for keep, want := range map[earshot.Keep]int{earshot.KeepAll: 0, earshot.KeepMatched: 1} {
		r := &runner{service: &Service{Journal: journalmemory.New()}}
		k := &sink{runner: r, src: &earshot.LiveSource{ID: 1, Keep: keep}}
		post := earshot.Post{Source: earshot.Blogs, GUID: "a", Time: time.Now(), Contents: "tea"}
		if err := k.appendPosts(t.Context(), []earshot.Post{post}, "1", true); err != nil {
			t.Fatal(err)
		}
		if got := len(r.lately.keys); got != want {
			t.Errorf("keep %s: %d keys are remembered, want %d", keep, got, want)
		}
	}
}
