package clickhouse

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/memory"
	"earshot/internal/query/watchlist"
	"earshot/internal/test/testenv"
)

// TestReadEdges compares queries with the memory engine that the random ones of storetest do not
// contain: times with nanoseconds, odd time zones, very large counts, and conditions that SQL cannot
// decide.
func TestReadEdges(t *testing.T) {
	client := openClient(t)
	if err := Migrate(t.Context(), client, Topology{}, nil); err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), Options{Client: client})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	reference := memory.New()
	for _, store := range []poststore.Store{s, reference} {
		if err := store.Append(t.Context(), 1, edgePosts()); err != nil {
			t.Fatal(err)
		}
	}
	exact, err := watchlist.Compile(7, earshot.Criteria{Keywords: "{BT}"})
	if err != nil {
		t.Fatal(err)
	}
	at := func(nanos int) time.Time { return edgeTime.Add(time.Duration(nanos)) }
	several := []poststore.Tally{
		{Sum: poststore.Measures},
		{By: []poststore.Dim{poststore.ByDay}, Sum: poststore.Measures},
		{By: []poststore.Dim{poststore.ByLanguage}}, {By: []poststore.Dim{poststore.BySite}}, {By: []poststore.Dim{poststore.ByLanguage}, Top: 1},
		{By: []poststore.Dim{poststore.BySite}, Top: 2}, {By: []poststore.Dim{poststore.ByLanguage, poststore.BySite}},
		{By: []poststore.Dim{poststore.ByHashtag, poststore.ByHashtag}}, {By: []poststore.Dim{poststore.ByHour, poststore.ByHashtag}, Top: 3},
		{By: []poststore.Dim{poststore.ByRetweeted}}, {By: []poststore.Dim{poststore.ByParent}},
		{By: []poststore.Dim{poststore.BySets}, Sets: []poststore.SetID{1, poststore.CategorySet(1, 0), 2, 1}},
	}
	for _, name := range oddZones {
		zone, err := earshot.Zone(name)
		if err != nil {
			t.Fatal(err)
		}
		several = append(several, poststore.Tally{By: []poststore.Dim{poststore.ByHour}, Zone: zone}, poststore.Tally{By: []poststore.Dim{poststore.ByDay, poststore.ByClock}, Zone: zone})
	}
	for i, of := range []poststore.Selection{
		{}, {Set: 1}, {Set: poststore.CategorySet(1, 0)},
		{From: at(1), To: at(3)}, {Set: 1, From: at(2)}, {Set: 1, FromPost: &earshot.Post{Time: at(2), GUID: "5"}},
		{Sites: []string{"MÜNCHEN.de"}}, {Set: 1, Sites: []string{"EXAMPLE.com", "münchen.de"}}, {Sites: []string{"example.com"}},
		{Where: exact}, {Set: 1, Where: exact}, {Except: []poststore.Selection{{Where: exact}}}, {Set: 1, Except: []poststore.Selection{{Set: 2, Where: exact}}},
		{Authors: []string{"\u212Aurt"}}, {Ranges: []poststore.Range{{Of: []poststore.Measure{poststore.Likes, poststore.Shares, poststore.Likes}, Min: math.MaxInt64, Max: math.MaxInt64}}},
		{Having: []poststore.Having{{By: poststore.ByDay, Keys: []string{"1969-12-31", "1970-01-01"}}}},
	} {
		if !testenv.InTurn(i, 2) {
			continue
		}
		same := func(what string, ask func(r poststore.Reader) (string, error)) {
			t.Helper()
			got, err := ask(s)
			if err != nil {
				t.Fatalf("selection %d, %s: %v", i, what, err)
			}
			if want, _ := ask(reference); got != want {
				t.Errorf("selection %d, %s:\ngot  %s\nwant %s", i, what, got, want)
			}
		}
		ctx := context.Background()
		same("tallies", func(r poststore.Reader) (string, error) {
			rows, err := r.Tallies(ctx, of, several)
			return fmt.Sprint(rows), err
		})
		starts := []time.Time{time.Unix(-90000, 0), time.Unix(0, 0), at(0), at(2), at(2), at(3), at(4).Add(40 * 24 * time.Hour)}
		same("days", func(r poststore.Reader) (string, error) {
			rows, err := r.Days(ctx, of, starts, several[:12])
			return fmt.Sprint(rows), err
		})
		same("histogram", func(r poststore.Reader) (string, error) {
			counts, err := r.Histogram(ctx, of, starts)
			return fmt.Sprint(counts), err
		})
		for _, limit := range []int{0, 1, 3, 100} {
			same("posts", func(r poststore.Reader) (string, error) {
				posts, total, err := r.Posts(ctx, of, limit)
				text := fmt.Sprint(total)
				for _, p := range posts {
					text += " " + p.GUID + p.Time.UTC().Format(time.RFC3339Nano)
				}
				return text, err
			})
		}
		for order := range poststore.MostRelevant + 1 {
			same("ranking", func(r poststore.Reader) (string, error) {
				ranked, err := r.Rank(ctx, of, poststore.Ranking{Order: order, Limit: 100, Terms: []string{"bt"}, After: &poststore.RankPosition{Score: math.MaxInt64, Time: at(2), Hash: 1 << 63}})
				text := fmt.Sprint(ranked.Total)
				for _, p := range ranked.Posts {
					text += fmt.Sprint(" ", p.Post.GUID, p.Position.Score)
				}
				return text, err
			})
		}
	}
}

// edgeTime is shortly before clocks change by half an hour on Lord Howe Island.
var edgeTime = time.Date(2024, 4, 6, 14, 59, 59, 0, time.UTC)

// edgePosts returns posts whose times differ by nanoseconds, and some around clock changes and at the
// beginning of Unix time.
func edgePosts() (posts []poststore.MatchedPost) {
	for i := range 40 {
		p := earshot.Post{
			Source: "Twitter", GUID: fmt.Sprint(i), Time: edgeTime.Add(time.Duration(i % 5)), Language: []string{"en", "fr", ""}[i%3],
			Site: []string{"Example.com", "münchen.DE", "a.MÜNCHEN.de", "news.example.com", ""}[i%5], Contents: []string{"BT is it", "bt is it", "none"}[i%3],
			AuthorUsername: []string{"kurt", "KURT", "ann"}[i%3], Likes: earshot.Counted(math.MaxInt64 - 1), Shares: earshot.Counted(int64(i)),
			Hashtags: []string{"x", "y", "z"}[:i%4], ParentGUID: []string{"", "1"}[i%2], Engagement: []earshot.Engagement{earshot.Retweet, earshot.Reply}[i/2%2],
		}
		switch {
		case i >= 30:
			p.Time = time.Unix(int64(i-35)*1800, 0)
		case i >= 20:
			p.Time = edgeTime.Add(time.Duration(i-25) * 30 * time.Minute)
		}
		m := poststore.MatchedPost{Post: p, Sets: []poststore.SetID{1}}
		if i%2 == 0 {
			m.Sets = append(m.Sets, 2, poststore.CategorySet(1, 0))
		}
		posts = append(posts, m)
	}
	return posts
}
