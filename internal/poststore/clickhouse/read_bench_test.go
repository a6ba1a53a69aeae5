package clickhouse

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/clickhouse/chhttp"
	"earshot/internal/poststore/clickhouse/chtest"
	"earshot/internal/state/journal"
	"earshot/internal/test/testenv"
)

const (
	benchDay  poststore.SetID = 7 // all posts are of one day
	benchYear poststore.SetID = 8 // the posts are spread over a year
)

var benchStart = time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)

// TestReadSpeed measures queries over synthetic posts, which SQL generates. It runs only if
// EARSHOT_CLICKHOUSE_BENCH has the number of posts of the day and of the year, for example
// 5000000,3000000.
func TestReadSpeed(t *testing.T) {
	sizes := strings.Split(os.Getenv("EARSHOT_CLICKHOUSE_BENCH"), ",")
	if len(sizes) != 2 {
		testenv.SkipHelper(t, "hand, with EARSHOT_CLICKHOUSE_BENCH")
	}
	s := openBench(t)
	for i, set := range []poststore.SetID{benchDay, benchYear} {
		n, err := strconv.Atoi(sizes[i])
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		fillBench(t, s, set, n)
		t.Logf("%d posts of set %d inserted in %v", n, set, time.Since(began).Round(time.Second))
	}
	day := poststore.Selection{Set: benchDay, From: benchStart.AddDate(1, 0, 0), To: benchStart.AddDate(1, 0, 1)}
	everything := day
	everything.Set = 0
	year := poststore.Selection{Set: benchYear, From: benchStart, To: benchStart.AddDate(1, 0, 0)}
	zone, err := earshot.Zone("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range poststore.Dims {
		measure(t, fmt.Sprintf("tally of a day by dimension %d", d), func(ctx context.Context) error {
			_, err := poststore.TallyOne(ctx, s, day, poststore.Tally{By: []poststore.Dim{d}, Zone: zone, Top: 10})
			return err
		})
	}
	sums := poststore.Tally{By: []poststore.Dim{poststore.BySource}, Sum: poststore.Measures}
	measure(t, "tally of a day with all sums", func(ctx context.Context) error { _, err := poststore.TallyOne(ctx, s, day, sums); return err })
	measure(t, "posts of a day", func(ctx context.Context) error { _, _, err := s.Posts(ctx, day, 100); return err })
	measure(t, "posts of a day among all", func(ctx context.Context) error { _, _, err := s.Posts(ctx, everything, 100); return err })
	for order := range poststore.MostRelevant {
		measure(t, fmt.Sprintf("rank of a day in order %d", order), func(ctx context.Context) error {
			_, err := s.Rank(ctx, day, poststore.Ranking{Order: order, Limit: 100})
			return err
		})
	}
	measure(t, "sample of a day", func(ctx context.Context) error {
		_, err := s.Sample(ctx, day, 10000, func(*earshot.Post) {})
		return err
	})
	measure(t, "fingerprint of a day", func(ctx context.Context) error { _, err := s.Fingerprint(ctx, benchDay, day.From, day.To); return err })
	var hours []time.Time
	for h := range 25 {
		hours = append(hours, day.From.Add(time.Duration(h)*time.Hour))
	}
	measure(t, "histogram of a day", func(ctx context.Context) error { _, err := s.Histogram(ctx, day, hours); return err })
	measure(t, "similar words of a day", func(ctx context.Context) error { _, err := s.Similar(ctx, day, "word17", 1, 10); return err })
	ts := []poststore.Tally{
		{Sum: poststore.Measures}, {By: []poststore.Dim{poststore.ByDay}, Zone: zone, Sum: poststore.Measures[1:4]},
		{By: []poststore.Dim{poststore.BySource}}, {By: []poststore.Dim{poststore.ByLanguage}}, {By: []poststore.Dim{poststore.ByCountry}},
		{By: []poststore.Dim{poststore.ByGender}}, {By: []poststore.Dim{poststore.ByAge}}, {By: []poststore.Dim{poststore.BySentiment}},
		{By: []poststore.Dim{poststore.ByEmotion}}, {By: []poststore.Dim{poststore.ByEngagement}}, {By: []poststore.Dim{poststore.BySite}, Top: 10},
		{By: []poststore.Dim{poststore.ByHashtag}, Top: 10}, {By: []poststore.Dim{poststore.ByAuthor}, Top: 10}, {By: []poststore.Dim{poststore.ByClock}, Zone: zone},
	}
	measure(t, fmt.Sprintf("%d tallies of a year", len(ts)), func(ctx context.Context) error { _, err := s.Tallies(ctx, year, ts); return err })
	for i := range ts {
		measure(t, fmt.Sprintf("tally %d of a year", i), func(ctx context.Context) error { _, err := s.Tallies(ctx, year, ts[i:i+1]); return err })
	}
	var days []time.Time
	for d := range 366 {
		days = append(days, benchStart.AddDate(0, 0, d))
	}
	measure(t, "histogram of a year by day", func(ctx context.Context) error { _, err := s.Histogram(ctx, year, days); return err })
	measure(t, "days of a year by sentiment", func(ctx context.Context) error {
		_, err := s.Days(ctx, year, days, []poststore.Tally{{By: []poststore.Dim{poststore.BySentiment}, Sum: poststore.Measures[1:2]}})
		return err
	})
}

// measure logs the median time of a call.
func measure(t *testing.T, name string, call func(ctx context.Context) error) {
	t.Helper()
	var times []time.Duration
	for range 5 {
		began := time.Now()
		if err := call(t.Context()); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		times = append(times, time.Since(began))
	}
	slices.Sort(times)
	t.Logf("%-40s median %v, fastest %v", name, times[2].Round(time.Millisecond), times[0].Round(time.Millisecond))
}

func openBench(t *testing.T) *Store {
	server := chtest.Open(t)
	c, err := chhttp.New(chhttp.Options{URL: server.URL, Database: server.Database})
	if err != nil {
		t.Fatal(err)
	}
	if err := Migrate(t.Context(), c, Topology{}, nil); err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), Options{Client: c})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// fillBench inserts posts into a set, with copies in set 0.
func fillBench(t *testing.T, s *Store, set poststore.SetID, n int) {
	post := earshot.Post{Source: "Twitter", GUID: "guid", Time: benchStart, Contents: strings.Repeat("word ", 30), Author: "Ann"}
	from, seconds := benchStart, 365*daySeconds
	if set == benchDay {
		from, seconds = benchStart.AddDate(1, 0, 0), daySeconds
	}
	first := int64(set) * 100_000_000
	for _, in := range []poststore.SetID{0, set} {
		a := new(chhttp.Args)
		full := "'', '', '', ''"
		if in == 0 {
			full = "concat('guid', toString(r)), concat(' ', arrayStringConcat(arrayMap(x -> concat('word', toString(intDiv(cityHash64(r, x) % 1000 * (cityHash64(x, r) % 1000), 100))), range(20)), ' '), ' '), " + a.String(string(journal.AppendPost(nil, &post))) + ", ''"
		}
		sql := "INSERT INTO posts (set, gen, sec, nanos, row, post, key, source, site, host, language, country, state, gender, age, author, hashtags, interests, engagement, parent, sentiment, emotion, sentimentCell, emotionCell, picture, clock, followers, likes, shares, comments, stated, guid, words, body, batch) " +
			"SELECT " + a.Int(int64(in)) + ", 0, " + a.Int(from.Unix()) + " + intDiv(number * " + a.Int(int64(seconds)) + ", " + a.Int(int64(n)) + ") AS t, 0, number + " + a.Int(first) + " AS r, r, " +
			"bitShiftRight(toUInt128(cityHash64(r)) * 18446744073709551557, 32), " +
			"['Twitter','Reddit','Facebook','Blogs','News'][r * 7 % 11 % 5 + 1], concat('site', toString(h % 3000), '.com') AS d, d, ['en','fr','de','es',''][h % 5 + 1], ['USA','DEU','FRA',''][h % 4 + 1], '', ['M','F',''][h % 3 + 1], ['ZERO_TO_SEVENTEEN','THIRTYFIVE_AND_OVER',''][h % 3 + 1], " +
			"concat('author', toString(intDiv(cityHash64(r, 3) % 1000000 * (cityHash64(r, 4) % 1000), 1000))), arrayMap(x -> concat('tag', toString(cityHash64(r, x) % 5000)), range(r % 3)), arrayMap(x -> toString(x * h % 300), range(r % 2)), ['POST','RETWEET','REPLY'][h % 3 + 1], " +
			"if(h % 3 = 0, '', concat('parent', toString(h % 100000))), h % 4, h % 8, h % 60, h % 50, h % 5 = 0, if(h % 3 = 0, h % 168, 255), h % 100000, h % 500, h % 50, h % 20, 15, " + full + " FROM (SELECT number, cityHash64(number) AS h FROM numbers(" + strconv.Itoa(n) + "))"
		if err := s.db.Exec(t.Context(), chhttp.Statement{SQL: sql, Args: a}); err != nil {
			t.Fatal(err)
		}
	}
	s.state = s.state.with(1000, 1000, 0, nil)
}
