package insight_test

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/poststore"
	"earshot/internal/poststore/memory"
)

// An accountWorld is a store with a SOCIAL monitor, 7, and its filter, 8, at a time that tests set.
// Clocks in its time zone change on 2026-03-29.
type accountWorld struct {
	*testing.T
	*insight.Service
	store   *memory.Store
	monitor *earshot.Monitor
	now     time.Time
	at      earshot.Position
}

func newAccountWorld(t *testing.T) *accountWorld {
	w := &accountWorld{T: t, now: instant("2026-03-31T12:00:00Z")}
	clock := func() time.Time { return w.now }
	w.store = memory.NewAt(clock)
	w.Service = &insight.Service{Store: w.store, Now: clock}
	w.monitor = &earshot.Monitor{ID: 7, Type: earshot.Social, Enabled: true, Start: date(2), Timezone: "Europe/Berlin"}
	return w
}

func (w *accountWorld) filter() *earshot.Monitor {
	view := *w.monitor
	view.ID, view.Parent = 8, 7
	return &view
}

func instant(text string) time.Time {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err)
	}
	return at
}

// add stores a post of the monitor, written by the account itself or by others.
func (w *accountWorld) add(own bool, p earshot.Post) {
	w.Helper()
	sets := []poststore.SetID{poststore.MonitorSet(7)}
	if own {
		sets = append(sets, poststore.OwnSet(7))
	}
	w.at++
	p.Source = earshot.Facebook
	if err := w.store.Append(w.Context(), w.at, []poststore.MatchedPost{{Post: p, Sets: sets, Tracked: sets}}); err != nil {
		w.Fatal(err)
	}
}

func (w *accountWorld) snapshots(list ...earshot.Snapshot) {
	w.Helper()
	w.at++
	if err := w.store.AddSnapshots(w.Context(), w.at, 7, list); err != nil {
		w.Fatal(err)
	}
}

// wantList compares the printed elements of a list.
func wantList[E any](t *testing.T, list []E, err error, want ...string) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range list {
		got = append(got, fmt.Sprint(e))
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestFollowersCarryForward(t *testing.T) {
	w := newAccountWorld(t)
	w.now = instant("2026-03-09T23:30:00Z") // March 10 in Berlin
	w.snapshots(
		earshot.Snapshot{Date: date(5), Followers: earshot.Counted(100)},
		earshot.Snapshot{Date: date(7), Followers: earshot.Counted(90), Likes: earshot.Counted(3)},
		earshot.Snapshot{Date: date(8), Likes: earshot.Counted(0)},
		earshot.Snapshot{Date: date(11), Followers: earshot.Counted(1)},
	)
	f := func(from, to int, want ...string) {
		t.Helper()
		got, err := w.Followers(t.Context(), w.monitor, earshot.Days{Start: date(from), End: date(to)})
		wantList(t, got, err, want...)
	}
	f(1, 5)
	f(3, 9, "{2026-03-05 100}", "{2026-03-06 100}", "{2026-03-07 90}", "{2026-03-08 90}")
	f(9, 20, "{2026-03-09 90}", "{2026-03-10 90}")
	f(11, 20)

	got, err := w.PageLikes(t.Context(), w.monitor, earshot.Days{Start: date(1), End: date(10)})
	wantList(t, got, err, "{2026-03-07 3}", "{2026-03-08 0}", "{2026-03-09 0}")
	got, err = w.Followers(t.Context(), w.filter(), earshot.Days{Start: date(7), End: date(8)})
	wantList(t, got, err, "{2026-03-07 90}")
}

// sent prints days of posts in a short form.
func sent(days []insight.OwnDay) (list []string) {
	for _, d := range days {
		text := d.Day.String()[8:]
		for _, p := range d.Posts {
			text += fmt.Sprintf(" %s:%d,%d,%d", p.URL, p.Retweets.Int(), p.Replies.Int(), p.Impressions.Int())
		}
		list = append(list, text)
	}
	return list
}

// gathered returns the yielded days, with pieces of the same day joined.
func gathered(days iter.Seq2[insight.OwnDay, error]) (list []insight.OwnDay, err error) {
	for piece, err := range days {
		if err != nil {
			return list, err
		}
		if last := len(list) - 1; last >= 0 && list[last].Day == piece.Day {
			list[last].Posts = append(list[last].Posts, piece.Posts...)
		} else {
			list = append(list, piece)
		}
	}
	return list, nil
}

func TestSentPosts(t *testing.T) {
	w := newAccountWorld(t)
	w.snapshots(earshot.Snapshot{Date: date(29), Followers: earshot.Counted(50)})
	own := func(guid, at string, change func(*earshot.Post)) {
		p := earshot.Post{GUID: guid, URL: guid, Time: instant(at)}
		if change != nil {
			change(&p)
		}
		w.add(true, p)
	}
	response := func(guid, at, parent string, e earshot.Engagement) {
		w.add(false, earshot.Post{GUID: guid, Time: instant(at), ParentGUID: parent, Engagement: e})
	}
	own("a", "2026-03-28T22:59:59Z", nil)
	own("b", "2026-03-28T23:00:00Z", nil)
	own("c", "2026-03-29T21:59:59Z", func(p *earshot.Post) {
		p.Retweets, p.Replies, p.Followers = earshot.Counted(0), earshot.Counted(9), earshot.Counted(60)
	})
	own("d", "2026-03-29T22:00:00Z", func(p *earshot.Post) { p.Retweets = earshot.Counted(4) })
	response("r1", "2026-03-29T08:00:00Z", "b", earshot.Retweet)
	response("r2", "2026-03-31T08:00:00Z", "b", earshot.Retweet) // after the requested days
	response("r3", "2026-03-31T08:00:00Z", "b", earshot.Reply)
	response("r4", "2026-03-31T08:00:00Z", "b", earshot.Comment)
	response("r5", "2026-03-31T08:00:00Z", "c", earshot.Retweet) // c states 0
	response("r6", "2026-03-31T08:00:00Z", "d", earshot.Reply)
	response("r7", "2026-03-28T08:00:00Z", "b", earshot.Retweet) // before its day

	f := func(from, to int, want ...string) {
		t.Helper()
		got, err := gathered(w.SentPosts(t.Context(), w.monitor, earshot.Days{Start: date(from), End: date(to)}))
		wantList(t, sent(got), err, want...)
	}
	f(28, 31, "28 a:0,0,0", "29 c:0,9,60 b:3,1,50", "30 d:4,1,50")
	f(29, 31, "29 c:0,9,60 b:2,1,50", "30 d:4,1,50")
	f(27, 28, "27")
	f(1, 2)

	w.at++
	narrowed := earshot.Post{Source: earshot.Facebook, GUID: "b", URL: "b", Time: instant("2026-03-28T23:00:00Z")}
	if err := w.store.Append(t.Context(), w.at, []poststore.MatchedPost{{Post: narrowed, Sets: []poststore.SetID{7, -7, 8, -8}}}); err != nil {
		t.Fatal(err)
	}
	got, err := gathered(w.SentPosts(t.Context(), w.filter(), earshot.Days{Start: date(28), End: date(30)}))
	wantList(t, sent(got), err, "28", "29 b:2,1,50")
}

func TestOwnPostsOverManyDays(t *testing.T) {
	w := newAccountWorld(t)
	w.now = instant("2026-06-30T12:00:00Z")
	days := earshot.Days{Start: date(2), End: date(2).AddDays(100)}
	for day := days.Start; day.Before(days.End); day = day.AddDays(1) {
		at := day.Start(w.monitor.Location())
		w.add(true, earshot.Post{GUID: day.String(), Time: at, Contents: day.String(), Likes: earshot.Counted(2)})
		w.add(false, earshot.Post{GUID: "other " + day.String(), Time: at})
	}
	got, err := gathered(w.OwnPosts(t.Context(), w.monitor, days))
	if err != nil || len(got) != 100 {
		t.Fatalf("got %d days, error %v, want 100", len(got), err)
	}
	for _, d := range got {
		if len(d.Posts) != 1 || d.Posts[0].Contents != d.Day.String() || d.Posts[0].Likes.Int() != 2 {
			t.Errorf("%s: got %+v", d.Day, d.Posts)
		}
	}
}

func TestEngagement(t *testing.T) {
	w := newAccountWorld(t)
	for i, e := range []earshot.Engagement{earshot.OriginalPost, "", earshot.Comment, earshot.Reply, earshot.Retweet, earshot.Retweet} {
		w.add(false, earshot.Post{GUID: fmt.Sprint(i), Time: instant("2026-03-28T23:00:00Z"), Engagement: e})
	}
	w.add(true, earshot.Post{GUID: "own", Time: instant("2026-03-28T23:00:00Z"), Engagement: earshot.Retweet})
	w.add(true, earshot.Post{GUID: "own 2", Time: instant("2026-03-29T21:59:59Z"), Engagement: earshot.OriginalPost})
	w.add(false, earshot.Post{GUID: "later", Time: instant("2026-03-29T22:00:00Z"), Engagement: earshot.Reply})
	got, err := w.Engagement(t.Context(), w.monitor, earshot.Days{Start: date(28), End: date(31)})
	wantList(t, got, err, "{2026-03-28 0 0 0}", "{2026-03-29 3 1 2}", "{2026-03-30 0 1 0}")
	got, err = w.Engagement(t.Context(), w.monitor, earshot.Days{Start: date(1), End: date(2)})
	wantList(t, got, err)
}

func withCounters(guid, at string, likes, comments, shares int64) earshot.Post {
	return earshot.Post{GUID: guid, Time: instant(at), Engagement: earshot.OriginalPost,
		Likes: earshot.Counted(likes), Comments: earshot.Counted(comments), Shares: earshot.Counted(shares)}
}

func TestActivityCountsDifferences(t *testing.T) {
	w := newAccountWorld(t)
	own := func(now string, p earshot.Post) { w.now = instant(now); w.add(true, p) }
	others := func(now string, p earshot.Post) { w.now = instant(now); w.add(false, p) }
	own("2026-03-28T10:00:00Z", withCounters("a", "2026-03-28T09:00:00Z", 10, 1, 2))
	others("2026-03-28T10:00:00Z", withCounters("u", "2026-03-28T09:00:00Z", 5, 0, 0))
	comment := withCounters("c", "2026-03-28T11:00:00Z", 1, 0, 0)
	comment.Engagement = earshot.Comment
	others("2026-03-28T11:00:00Z", comment)
	own("2026-03-28T22:59:59Z", withCounters("a", "2026-03-28T09:00:00Z", 12, 1, 2)) // still the 28th
	own("2026-03-28T23:00:00Z", withCounters("a", "2026-03-28T09:00:00Z", 20, 4, 2))
	own("2026-03-29T22:00:00Z", withCounters("a", "2026-03-28T09:00:00Z", 3, 4, 1)) // fewer
	others("2026-03-29T22:00:00Z", withCounters("u", "2026-03-28T09:00:00Z", 6, 2, 1))
	w.now = instant("2026-03-31T12:00:00Z")

	got, err := w.Activity(t.Context(), w.monitor, earshot.Days{Start: date(28), End: date(31)})
	wantList(t, got, err,
		"{2026-03-28 {1 12 1 2} {1 6 0 0}}",
		"{2026-03-29 {0 8 3 0} {0 0 0 0}}",
		"{2026-03-30 {0 -17 0 -1} {0 1 2 1}}")
	got, err = w.Activity(t.Context(), w.monitor, earshot.Days{Start: date(1), End: date(2)})
	wantList(t, got, err)
}

// TestActivityWithoutCounters omits a counter once, which means that it has not changed.
func TestActivityWithoutCounters(t *testing.T) {
	w := newAccountWorld(t)
	p := earshot.Post{GUID: "p", Time: instant("2026-03-10T10:00:00Z"), Engagement: earshot.OriginalPost}
	for i, likes := range []earshot.Count{earshot.Counted(10), {}, earshot.Counted(12)} {
		w.now = instant("2026-03-10T12:00:00Z").AddDate(0, 0, i)
		p.Likes = likes
		w.add(true, p)
	}
	got, err := w.Activity(t.Context(), w.monitor, between(10, 13))
	wantList(t, got, err,
		"{2026-03-10 {1 10 0 0} {0 0 0 0}}",
		"{2026-03-11 {0 0 0 0} {0 0 0 0}}",
		"{2026-03-12 {0 2 0 0} {0 0 0 0}}")
}

// TestActivitySumsToCurrentCounters stores posts repeatedly, some of them dated in the future, and
// compares the result with records of each difference on the day it arrived. The values of a day
// must not depend on the other requested days.
func TestActivitySumsToCurrentCounters(t *testing.T) {
	for seed := range uint64(10) {
		r := rand.New(rand.NewPCG(seed, 1))
		w := newAccountWorld(t)
		books := map[earshot.Date]*insight.Activity{}
		zone := w.monitor.Location()
		last := map[string]earshot.Post{}
		for w.now = instant("2026-03-27T00:00:00Z"); w.now.Before(instant("2026-03-31T12:00:00Z")); w.now = w.now.Add(time.Duration(r.IntN(3600)) * time.Second) {
			guid := fmt.Sprint(r.IntN(40))
			own := len(guid) == 1
			before, known := last[guid]
			p := withCounters(guid, "2026-03-27T00:00:00Z", r.Int64N(50), r.Int64N(5), r.Int64N(5))
			p.Time = w.now.Add(time.Duration(r.IntN(48)-24) * time.Hour)
			if known {
				p.Time = before.Time
			}
			w.add(own, p)
			last[guid] = p
			on := earshot.DateOf(p.Time.In(zone))
			if known && w.now.After(p.Time) {
				on = earshot.DateOf(w.now.In(zone))
			}
			if books[on] == nil {
				books[on] = &insight.Activity{Day: on}
			}
			entry := &books[on].User
			if own {
				entry = &books[on].Own
			}
			if !known {
				entry.Posts++
			}
			entry.Likes += p.Likes.Int() - before.Likes.Int()
			entry.Comments += p.Comments.Int() - before.Comments.Int()
			entry.Shares += p.Shares.Int() - before.Shares.Int()
		}
		days := earshot.Days{Start: date(25), End: date(32)}
		all, err := w.Activity(t.Context(), w.monitor, days)
		if err != nil || len(all) != 7 {
			t.Fatalf("got %d days, error %v, want 7", len(all), err)
		}
		for _, got := range all {
			want := insight.Activity{Day: got.Day}
			if books[got.Day] != nil {
				want = *books[got.Day]
			}
			alone, err := w.Activity(t.Context(), w.monitor, earshot.Days{Start: got.Day, End: got.Day.AddDays(1)})
			if err != nil || got != want || len(alone) != 1 || alone[0] != want {
				t.Errorf("seed %d: got %+v, alone %+v %v\nwant %+v", seed, got, alone, err, want)
			}
		}
	}
}
