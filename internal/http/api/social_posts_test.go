package api

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/poststore"
)

// yielded yields the pieces, followed by err unless it is nil.
func yielded(pieces []insight.OwnDay, err error) func(yield func(insight.OwnDay, error) bool) {
	return func(yield func(insight.OwnDay, error) bool) {
		for _, piece := range pieces {
			if !yield(piece, nil) {
				return
			}
		}
		if err != nil {
			yield(insight.OwnDay{}, err)
		}
	}
}

// TestOwnPostsMatchEncodingJSON compares the hand-written JSON of responses with random posts to
// the JSON that encoding/json produces.
func TestOwnPostsMatchEncodingJSON(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 2))
		m := randomMonitor(rng)
		var pieces []insight.OwnDay
		want := sentPostsResponse{DailyResults: []sentPosts{}}
		for day := range rng.IntN(4) {
			date := earshot.Date{Year: 2026, Month: time.March, Day: 1 + day}
			wanted := sentPosts{daySpan: newDaySpan(date), SentPostMetrics: []sentPost{}}
			for range 1 + rng.IntN(3) {
				piece := insight.OwnDay{Day: date}
				for range rng.IntN(3) {
					p := randomOwnPost(rng)
					piece.Posts = append(piece.Posts, p)
					wanted.SentPostMetrics = append(wanted.SentPostMetrics, newSentPost(m, &p))
					wanted.TotalImpressions = poststore.SaturatingAdd(wanted.TotalImpressions, p.Impressions.Int())
				}
				pieces = append(pieces, piece)
			}
			want.DailyResults = append(want.DailyResults, wanted)
		}
		list := ownList{name: "sentPostMetrics", render: func(p *insight.OwnPost) any { return newSentPost(m, p) }, total: true}
		var got bytes.Buffer
		if err := streamOwn[sentPostsResponse](yielded(pieces, nil), list).Write(&got); err != nil {
			t.Fatal(err)
		}
		if got.String() != marshalStd(t, want) {
			t.Fatalf("seed %d:\ngot  %s\nwant %s", seed, got.String(), marshalStd(t, want))
		}
	}
}

func randomOwnPost(rng *rand.Rand) insight.OwnPost {
	p := randomPost(rng)
	return insight.OwnPost{
		URL: p.URL, Time: p.Time, Contents: p.Contents, Retweets: p.Klout, Replies: p.Following,
		Impressions: pick(rng, p.Followers, earshot.Counted(math.MaxInt64-1)),
	}
}

// TestOwnPostsReadError returns an error after some days.
func TestOwnPostsReadError(t *testing.T) {
	days := []insight.OwnDay{{Day: earshot.Date{Year: 2026, Month: time.March, Day: 1}, Posts: make([]insight.OwnPost, 2)}}
	list := ownList{name: "adminPostMetrics", render: func(p *insight.OwnPost) any { return newAdminPost(&earshot.Monitor{}, p) }}
	broken := errors.New("broken")
	if err := streamOwn[adminPostsResponse](yielded(days, broken), list).Write(new(bytes.Buffer)); err != broken {
		t.Errorf("got error %v, want %v", err, broken)
	}
}
