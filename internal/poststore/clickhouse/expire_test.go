package clickhouse

import (
	"fmt"
	"testing"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/query/watchlist"
)

// TestExpire checks that posts that a monitor matches or once matched, and recently stored posts, are
// retained, regardless of the time of the post.
func TestExpire(t *testing.T) {
	s := openStore(t)
	clock := time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)
	s.now = func() time.Time { return clock }
	post := func(guid, contents string, monitors ...poststore.SetID) poststore.MatchedPost {
		return poststore.MatchedPost{Post: earshot.Post{Source: earshot.Twitter, GUID: guid, Contents: contents, Time: time.Unix(-1, 0)}, Sets: monitors}
	}
	add := func(at earshot.Position, posts ...poststore.MatchedPost) {
		t.Helper()
		check(t, s.Append(t.Context(), at, posts))
	}
	rematch := func(id poststore.SetID, keywords string) {
		t.Helper()
		where, err := watchlist.Compile(1, earshot.Criteria{Keywords: keywords})
		check(t, err)
		check(t, s.Rematch(t.Context(), poststore.Rematch{Rules: poststore.Rules{id: {Where: where, UpTo: earshot.EndOfJournal}}}))
	}
	want := func(when string, posts int64) {
		t.Helper()
		check(t, s.expire(t.Context(), clock.AddDate(0, 0, -30)))
		check(t, s.clean(t.Context(), clock.Add(time.Hour), 0))
		rows, err := poststore.TallyOne(t.Context(), s, poststore.Selection{}, poststore.Tally{})
		if err != nil || rows[0].Posts != posts {
			t.Errorf("%s: got %v, %v, want %d posts", when, rows, err, posts)
		}
	}
	var plain []poststore.MatchedPost
	for i := range 10 {
		plain = append(plain, post(fmt.Sprint("plain", i), "nothing"))
	}
	add(1, append(plain, post("matched", "tea", 1), post("lost", "tea", 2), post("found", "coffee"))...)
	rematch(2, "coffee")
	rematch(2, "milk") // the monitor no longer matches any posts

	want("immediately", 13)
	clock = clock.AddDate(0, 0, 20)
	add(2, post("plain0", "nothing, again"), post("new", "nothing"))
	check(t, s.Reinfer(t.Context(), poststore.Reinfer{Models: 3, Infer: func(posts []earshot.Post) {
		for i := range posts {
			posts[i].InferredBy = 3
		}
	}}))
	want("after 20 days", 14)
	clock = clock.AddDate(0, 0, 12)
	want("after 32 days", 5) // matched, lost, found, plain0 and new
	rematch(2, "tea OR coffee")
	want("after the monitor was changed back", 5)
	rows, err := poststore.TallyOne(t.Context(), s, poststore.Selection{Set: 2}, poststore.Tally{})
	if err != nil || rows[0].Posts != 3 {
		t.Errorf("monitor that was changed back: got %v, %v, want 3 posts", rows, err)
	}
	add(3, post("plain5", "nothing, again")) // its key was deleted
	want("after one was appended again", 6)
	add(4, post("plain5", "nothing, once more"))
	want("after it was replaced", 6)
	clock = clock.AddDate(0, 0, 60)
	want("after two more months", 3)
}
