package insight_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/poststore"
	"earshot/internal/poststore/memory"
	"earshot/internal/query/filter"
	"earshot/internal/test/testenv"
)

// A chatter is a store with five weeks of posts about coffee that end on Sunday, April 5, 2026.
type chatter struct {
	*testing.T
	*insight.Service
	random *rand.Rand
	store  *memory.Store
	posts  []poststore.MatchedPost
}

// chatterDay is the day that tests explain, a Wednesday.
var chatterDay = time.Date(2026, time.April, 1, 0, 0, 0, 0, time.UTC)

func newChatter(t *testing.T, seed uint64) *chatter {
	c := &chatter{T: t, random: rand.New(rand.NewPCG(seed, 0)), store: memory.New()}
	c.Service = &insight.Service{Store: c.store, Now: func() time.Time { return time.Date(2026, 4, 5, 20, 30, 0, 0, time.UTC) }}
	return c
}

// vocabulary are the words of usual posts, the first of which are the most frequent.
var vocabulary = func() (words []string) {
	for _, a := range strings.Fields("ba ke li mo nu pra sto tre gla fru") {
		for _, b := range strings.Fields("ran sel tik vom dup gar hen mil pon res") {
			words = append(words, a+b, b+a)
		}
	}
	return words
}()

// usual returns a text about nothing in particular.
func (c *chatter) usual() string {
	words := []string{"coffee"}
	for range 6 + c.random.IntN(8) {
		words = append(words, vocabulary[min(c.random.IntN(len(vocabulary)), c.random.IntN(len(vocabulary)))])
	}
	return strings.Join(words, " ")
}

// add adds a post at a random time of a day.
func (c *chatter) add(day time.Time, text string, change func(p *earshot.Post)) {
	p := earshot.Post{
		Source: one(c.random, earshot.Twitter, earshot.Reddit, earshot.Facebook), GUID: fmt.Sprint(len(c.posts)),
		Time: day.Add(time.Duration(c.random.IntN(24*60)) * time.Minute), Contents: text, Language: "en",
		AuthorUsername: fmt.Sprint("user", c.random.IntN(3000)), Likes: earshot.Counted(int64(c.random.IntN(20))),
	}
	if change != nil {
		change(&p)
	}
	c.posts = append(c.posts, poststore.MatchedPost{Post: p, Sets: []poststore.SetID{poststore.MonitorSet(coffee)}})
}

func one[T any](r *rand.Rand, values ...T) T { return values[r.IntN(len(values))] }

// addWeeks adds usual posts of all days, each with about a number of posts. Weekends have half.
func (c *chatter) addWeeks(posts int) {
	for day := range 35 {
		at := chatterDay.AddDate(0, 0, day-30)
		n := posts - posts/20 + c.random.IntN(posts/10+1)
		if at.Weekday() == time.Saturday || at.Weekday() == time.Sunday {
			n /= 2
		}
		for range n {
			c.add(at, c.usual(), nil)
		}
	}
}

// monitor returns the monitor of the posts.
func (c *chatter) monitor() *earshot.Monitor {
	m := coffeeMonitor("coffee")
	m.Start = earshot.DateOf(chatterDay.AddDate(0, 0, -30))
	return m
}

// explain explains a day after storing all posts.
func (c *chatter) explain(day time.Time) *insight.Explanation {
	c.Helper()
	if err := c.store.Append(c.Context(), 1, c.posts); err != nil {
		c.Fatal(err)
	}
	e, err := c.Explain(c.Context(), c.monitor(), insight.ExplainRequest{From: day, To: day.AddDate(0, 0, 1)})
	if err != nil {
		c.Fatal(err)
	}
	return e
}

// names returns the names of drivers.
func names(drivers []insight.Driver) (list []string) {
	for _, d := range drivers {
		list = append(list, d.Name)
	}
	return list
}

func TestExplainPlantedStory(t *testing.T) {
	for _, posts := range []int{40, 200} {
		for seed := range uint64(3) {
			t.Run(fmt.Sprintf("%d posts per day, seed %d", posts, seed), func(t *testing.T) {
				c := newChatter(t, seed)
				c.addWeeks(posts)
				planted := strings.Fields("recall fire solano battery refund")
				for i := range 2 * posts {
					c.random.Shuffle(len(planted), func(i, k int) { planted[i], planted[k] = planted[k], planted[i] })
					c.add(chatterDay, strings.Join(planted[:3], " ")+" "+c.usual(), func(p *earshot.Post) {
						p.Hashtags, p.Language = []string{"solanorecall"}, "de"
						p.Links = []string{fmt.Sprintf("https://www.News.example/recall/?utm_source=x%d#top", i)}
						p.Time = chatterDay.Add(9*time.Hour + time.Duration(i)*time.Minute/2)
						p.Likes = earshot.Counted(int64(100 + i))
					})
				}
				e := c.explain(chatterDay)
				if e.Change != insight.ChangeMore || e.Cause != insight.CauseSingle {
					t.Fatalf("got change %q, cause %q, want more posts with a single cause; expected %+v of %d", e.Change, e.Cause, e.Expected, e.Posts)
				}
				if share := e.Stories[0].Share; share < 0.8 || e.Explained < 0.8 {
					t.Errorf("the story explains %.2f, all %.2f, want at least 0.8", share, e.Explained)
				}
				if want := float64(posts); math.Abs(e.Expected.Posts-want) > want/10 {
					t.Errorf("got %.0f expected posts, want about %.0f", e.Expected.Posts, want)
				}
				top := names(e.Words)
				for _, word := range planted {
					if !slices.Contains(top[:min(5, len(top))], word) {
						t.Errorf("%q is not among the top 5 words %q", word, top)
					}
					if !slices.Contains(e.Stories[0].Terms, word) {
						t.Errorf("%q is not among the terms of the story %q", word, e.Stories[0].Terms)
					}
				}
				if got := names(e.Links); !slices.Equal(got, []string{"news.example/recall"}) {
					t.Errorf("got links %q", got)
				}
				if got := names(e.Hashtags); !slices.Equal(got, []string{"solanorecall"}) || e.Hashtags[0].Posts != int64(2*posts) || e.Hashtags[0].Expected != 0 {
					t.Errorf("got hashtags %+v", e.Hashtags)
				}
				if got := names(e.Languages); !slices.Equal(got, []string{"de"}) {
					t.Errorf("got languages %q", got)
				}
				first, best := e.Stories[0].Earliest, e.Stories[0].Top
				if !first.Time.Equal(chatterDay.Add(9*time.Hour)) || best.Likes.Int() != int64(100+2*posts-1) {
					t.Errorf("got earliest %v and top with %d likes", first.Time, best.Likes.Int())
				}
			})
		}
	}
}

func TestExplainTwoStories(t *testing.T) {
	c := newChatter(t, 7)
	c.addWeeks(100)
	for range 60 {
		c.add(chatterDay, "strike at the harbor, dockers stop "+c.usual(), nil)
		c.add(chatterDay, "prices rise after frost in brazil harvest "+c.usual(), nil)
	}
	e := c.explain(chatterDay)
	if len(e.Stories) != 2 || e.Explained < 0.8 {
		t.Fatalf("got %d stories that explain %.2f, want 2 that explain 0.8: %+v", len(e.Stories), e.Explained, e.Stories)
	}
	for _, s := range e.Stories {
		if strike := slices.Contains(s.Terms, "strike"); strike == slices.Contains(s.Terms, "frost") {
			t.Errorf("got story %q, want one about a strike and one about frost", s.Terms)
		}
	}
}

// TestExplainWithoutStory checks that no story is claimed if there is none.
func TestExplainWithoutStory(t *testing.T) {
	testenv.SkipUnderRace(t)
	f := func(name string, change insight.Change, grow func(c *chatter)) {
		for seed := range uint64(6) {
			c := newChatter(t, seed)
			c.addWeeks(150)
			grow(c)
			e := c.explain(chatterDay)
			if e.Change != change || e.Cause != insight.CauseNone || len(e.Stories) > 0 {
				t.Errorf("%s, seed %d: got change %q (%d posts, expected %+v), cause %q, stories %+v", name, seed, e.Change, e.Posts, e.Expected, e.Cause, e.Stories)
			}
			if len(e.Words)+len(e.Links)+len(e.Hashtags) > 0 {
				t.Errorf("%s, seed %d: got drivers %+v", name, seed, e.Drivers)
			}
		}
	}
	f("usual day", insight.ChangeUsual, func(c *chatter) {})
	f("more of the same", insight.ChangeMore, func(c *chatter) {
		for range 300 {
			c.add(chatterDay, c.usual(), nil)
		}
	})
	f("a spammer", insight.ChangeMore, func(c *chatter) {
		for range 300 {
			c.add(chatterDay, "win a prize, click here, coffee voucher", func(p *earshot.Post) { p.AuthorUsername = "spammer" })
		}
	})
	f("a quiet day", insight.ChangeFewer, func(c *chatter) {
		c.posts = slices.DeleteFunc(c.posts, func(p poststore.MatchedPost) bool {
			return p.Post.Time.Sub(chatterDay) >= 0 && p.Post.Time.Sub(chatterDay) < 24*time.Hour && c.random.IntN(3) > 0
		})
	})
}

// TestExplainHour explains an hour of a monitor with few posts. The same hours of the weeks before have
// too few to compare words with.
func TestExplainHour(t *testing.T) {
	for seed := range uint64(6) {
		c := newChatter(t, seed)
		c.addWeeks(100)
		at := chatterDay.Add(14 * time.Hour)
		planted := strings.Fields("recall fire solano battery")
		for range 15 {
			c.random.Shuffle(len(planted), func(i, k int) { planted[i], planted[k] = planted[k], planted[i] })
			c.add(at, strings.Join(planted[:3], " ")+" "+c.usual(), func(p *earshot.Post) {
				p.Time = at.Add(time.Duration(c.random.IntN(60)) * time.Minute)
			})
		}
		c.explain(chatterDay) // stores the posts
		e, err := c.Explain(t.Context(), c.monitor(), insight.ExplainRequest{From: at, To: at.Add(time.Hour)})
		if err != nil {
			t.Fatal(err)
		}
		top := names(e.Words)
		for _, word := range planted {
			if !slices.Contains(top[:min(5, len(top))], word) {
				t.Errorf("seed %d: %q is not among the top 5 words %q of %d posts, %.1f expected", seed, word, top, e.Posts, e.Expected.Posts)
			}
		}
		if e.Cause != insight.CauseSingle || e.Explained < 0.6 {
			t.Errorf("seed %d: got cause %q, explained %.2f of %d posts, %.1f expected", seed, e.Cause, e.Explained, e.Posts, e.Expected.Posts)
		}
		for _, d := range e.Words {
			if d.Expected > e.Expected.Posts {
				t.Errorf("seed %d: %q: %.1f posts are expected of %.1f", seed, d.Name, d.Expected, e.Expected.Posts)
			}
		}
	}
}

// TestExplainLanguage checks that more posts in one language do not make its words a story.
func TestExplainLanguage(t *testing.T) {
	testenv.SkipUnderRace(t)
	foreign := strings.NewReplacer("a", "ö", "e", "ü", "i", "ä", "o", "ß")
	for seed := range uint64(6) {
		c := newChatter(t, seed)
		german := func(p *earshot.Post) { p.Language, p.Contents = "de", foreign.Replace(p.Contents) }
		c.addWeeks(150)
		for day := range 35 {
			for range 30 {
				c.add(chatterDay.AddDate(0, 0, day-30), c.usual(), german)
			}
		}
		for range 400 {
			c.add(chatterDay, c.usual(), german)
		}
		e := c.explain(chatterDay)
		if e.Change != insight.ChangeMore || e.Cause != insight.CauseNone || len(e.Stories)+len(e.Words)+len(e.Phrases) > 0 {
			t.Errorf("seed %d: got change %q, cause %q, words %q, stories %+v", seed, e.Change, e.Cause, names(e.Words), e.Stories)
		}
		if got := names(e.Languages); !slices.Equal(got, []string{"de"}) {
			t.Errorf("seed %d: got languages %q, want German", seed, got)
		}
	}
}

func TestExplainSpammerIsAnAuthor(t *testing.T) {
	c := newChatter(t, 1)
	c.addWeeks(150)
	for range 300 {
		c.add(chatterDay, "coffee voucher", func(p *earshot.Post) { p.AuthorUsername = "Spammer" })
	}
	if e := c.explain(chatterDay); !slices.Equal(names(e.Authors), []string{"spammer"}) || e.Authors[0].Posts != 300 {
		t.Errorf("got authors %+v, want the spammer", e.Authors)
	}
}

// TestExplainExpectation counts posts by hand: ten per day, at noon.
func TestExplainExpectation(t *testing.T) {
	explain := func(counts map[int]int, start int, from, to time.Time) *insight.Explanation {
		c := newChatter(t, 1)
		for day, n := range counts {
			for range n {
				c.add(chatterDay.AddDate(0, 0, day), "coffee", func(p *earshot.Post) { p.Time = chatterDay.AddDate(0, 0, day).Add(12 * time.Hour) })
			}
		}
		if err := c.store.Append(t.Context(), 1, c.posts); err != nil {
			t.Fatal(err)
		}
		m := c.monitor()
		m.Start = earshot.DateOf(chatterDay.AddDate(0, 0, start))
		e, err := c.Explain(t.Context(), m, insight.ExplainRequest{From: from, To: to})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	day := chatterDay
	f := func(name string, e *insight.Explanation, want string) {
		t.Helper()
		got := fmt.Sprintf("%d of", e.Posts)
		if e.Expected != nil {
			got += fmt.Sprintf(" %.1f", e.Expected.Posts)
		}
		for _, b := range e.Baseline {
			got += fmt.Sprintf(" %d/%.2f", b.Posts, b.Coverage)
			if !b.Used {
				got += "-"
			}
		}
		if got += " " + string(e.Change); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	even := map[int]int{0: 30, -7: 10, -14: 12, -21: 8, -28: 10, -1: 99}
	f("four weeks", explain(even, -30, day, day.AddDate(0, 0, 1)), "30 of 10.0 10/1.00 12/1.00 8/1.00 10/1.00 more")
	f("three weeks", explain(even, -21, day, day.AddDate(0, 0, 1)), "30 of 10.0 10/1.00 12/1.00 8/1.00 0/0.00- more")
	f("only part of a week", explain(even, -10, day.AddDate(0, 0, -5), day.AddDate(0, 0, 1)), "129 of 15.0 10/0.67 0/0.00- 0/0.00- 0/0.00- more")
	f("nothing before", explain(even, -3, day, day.AddDate(0, 0, 1)), "30 of 0/0.00- 0/0.00- 0/0.00- 0/0.00- unknown")
	f("a past spike", explain(map[int]int{0: 30, -7: 10, -14: 300, -21: 8, -28: 12}, -30, day, day.AddDate(0, 0, 1)), "30 of 10.0 10/1.00 300/1.00- 8/1.00 12/1.00 more")
	f("hours", explain(even, -30, day.Add(11*time.Hour), day.Add(13*time.Hour)), "30 of 10.0 10/1.00 12/1.00 8/1.00 10/1.00 more")
	f("hours without posts", explain(even, -30, day.Add(13*time.Hour), day.Add(15*time.Hour)), "0 of 0.0 0/1.00 0/1.00 0/1.00 0/1.00 usual")
	f("not over yet", explain(map[int]int{4: 5, -3: 7, -10: 7}, -10, day.AddDate(0, 0, 4), day.AddDate(0, 0, 5)), "5 of 7.0 7/1.00 7/1.00 0/0.00- 0/0.00- usual")
	f("in the future", explain(even, -30, day.AddDate(0, 0, 8), day.AddDate(0, 0, 9)), "0 of unknown")
	f("two weeks", explain(map[int]int{0: 20, -7: 20, -14: 30, -15: 10, -28: 1}, -30, day.AddDate(0, 0, -13), day.AddDate(0, 0, 1)), "40 of 40.0 40/1.00 1/0.21- 0/0.00- 0/0.00- usual")
}

func TestExplainRange(t *testing.T) {
	c := newChatter(t, 1)
	for _, to := range []time.Time{chatterDay, chatterDay.AddDate(0, 0, -1), chatterDay.AddDate(0, 0, 32)} {
		_, err := c.Explain(t.Context(), c.monitor(), insight.ExplainRequest{From: chatterDay, To: to})
		if !earshot.IsKind(err, earshot.Invalid) {
			t.Errorf("to %v: got error %v, want an invalid range", to, err)
		}
	}
}

// TestExplainSteps checks that the steps of a period and their expectations add up to those of the
// period.
func TestExplainSteps(t *testing.T) {
	c := newChatter(t, 3)
	c.addWeeks(60)
	c.explain(chatterDay) // stores the posts
	for _, p := range []struct {
		from, to time.Time
		hourly   bool
		steps    int
	}{
		{chatterDay, chatterDay.AddDate(0, 0, 1), true, 24},
		{chatterDay.Add(90 * time.Minute), chatterDay.Add(4 * time.Hour), true, 3},
		{chatterDay, chatterDay.AddDate(0, 0, 2), true, 48},
		{chatterDay.AddDate(0, 0, -2), chatterDay.AddDate(0, 0, 3), false, 5},
	} {
		e, err := c.Explain(t.Context(), c.monitor(), insight.ExplainRequest{From: p.from, To: p.to})
		if err != nil {
			t.Fatal(err)
		}
		posts, expected := int64(0), 0.0
		for _, s := range e.Steps {
			posts += s.Posts
			expected += *s.Expected
		}
		if len(e.Steps) != p.steps || e.Hourly != p.hourly || posts != e.Posts || math.Abs(expected-e.Expected.Posts) > 1e-6 {
			t.Errorf("%v to %v: got %d steps (hourly %t) with %d posts, %.2f expected; want %d (hourly %t) with %d, %.2f expected",
				p.from, p.to, len(e.Steps), e.Hourly, posts, expected, p.steps, p.hourly, e.Posts, e.Expected.Posts)
		}
	}
}

// TestExplainPhrases checks that phrases are words that are next to each other, so that a query for
// the phrase finds as many posts.
func TestExplainPhrases(t *testing.T) {
	c := newChatter(t, 2)
	c.addWeeks(40)
	for range 60 {
		c.add(chatterDay, "boiler fire https://news.example/page battery refund", func(p *earshot.Post) { p.Title = "solano recall" })
	}
	e := c.explain(chatterDay)
	got := names(e.Phrases)
	slices.Sort(got)
	if want := []string{"battery refund", "boiler fire", "solano recall"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if e.Estimated {
		t.Error("all texts were read, but the numbers are estimates")
	}
}

// TestExplainLongText checks that words and phrases at the end of long texts count, although they are
// not read to find out what is over-represented.
func TestExplainLongText(t *testing.T) {
	c := newChatter(t, 2)
	c.addWeeks(40)
	for i := range 60 {
		c.add(chatterDay, strings.Repeat("so ", 150*(i%2))+"solano recall", nil)
	}
	e := c.explain(chatterDay)
	if e.Estimated || len(e.Words) == 0 || e.Words[0].Posts != 60 || len(e.Phrases) != 1 || e.Phrases[0].Posts != 60 {
		t.Errorf("got estimated %t, words %+v, phrases %+v, want 60 posts", e.Estimated, e.Words, e.Phrases)
	}
}

// TestExplainQuietMonitor explains a story of a monitor that had hardly any posts before, so that
// there are no shares to compare with.
func TestExplainQuietMonitor(t *testing.T) {
	for _, before := range []int{0, 1, 4} {
		c := newChatter(t, 1)
		for i := range before {
			c.add(chatterDay.AddDate(0, 0, -7*(i+1)), c.usual(), nil)
		}
		for range 30 {
			c.add(chatterDay, "solano recall "+c.usual(), func(p *earshot.Post) { p.Hashtags = []string{"recall"} })
		}
		e := c.explain(chatterDay)
		if e.Change != insight.ChangeMore || e.Cause != insight.CauseSingle || e.Stories[0].Posts != 30 || !slices.Contains(e.Stories[0].Terms, "recall") {
			t.Fatalf("%d posts before: got change %q, cause %q, stories %+v, want one about a recall", before, e.Change, e.Cause, e.Stories)
		}
		if top := names(e.Words); !slices.Equal(top[:2], []string{"recall", "solano"}) || e.Words[0].Posts != 30 || e.Words[0].Expected != 0 {
			t.Errorf("%d posts before: got words %+v, want the recall first", before, e.Words)
		}
		if got := names(e.Hashtags); !slices.Equal(got, []string{"recall"}) {
			t.Errorf("%d posts before: got hashtags %q", before, got)
		}
	}
}

// TestExplainHardlyCovered checks that nothing counts as new if only a little of the earlier time is
// covered.
func TestExplainHardlyCovered(t *testing.T) {
	c := newChatter(t, 1)
	for day := range 31 {
		for range 4 {
			c.add(chatterDay.AddDate(0, 0, day-30), c.usual(), nil)
		}
	}
	if err := c.store.Append(t.Context(), 1, c.posts); err != nil {
		t.Fatal(err)
	}
	e, err := c.Explain(t.Context(), c.monitor(), insight.ExplainRequest{From: chatterDay.AddDate(0, 0, -6), To: chatterDay.AddDate(0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	m := c.monitor()
	m.Start = earshot.DateOf(chatterDay.AddDate(0, 0, -7)) // one day before the period
	if e, err = c.Explain(t.Context(), m, insight.ExplainRequest{From: e.From, To: e.To}); err != nil {
		t.Fatal(err)
	}
	if e.Change != insight.ChangeUsual || len(e.Words)+len(e.Sources)+len(e.Languages) > 0 {
		t.Errorf("got change %q of %+v, drivers %+v, want a usual week without any", e.Change, e.Expected, e.Drivers)
	}
}

// TestExplainUnfinishedHours checks that a period that is not over ends with the last full hour of
// the monitor's clocks, also where hours begin in the middle of those of UTC.
func TestExplainUnfinishedHours(t *testing.T) {
	c := newChatter(t, 1) // it is 20:30 in UTC
	for zone, want := range map[string]string{"UTC": "20:00", "Asia/Kathmandu": "02:00", "Asia/Kolkata": "02:00", "America/New_York": "16:00"} {
		m := c.monitor()
		m.Timezone = zone
		e, err := c.Explain(t.Context(), m, insight.ExplainRequest{From: c.Now().Add(-10 * time.Hour), To: c.Now().Add(10 * time.Hour)})
		if err != nil {
			t.Fatal(err)
		}
		if got := e.To.Format("15:04"); got != want {
			t.Errorf("%s: it ends at %s, want %s", zone, got, want)
		}
	}
}

// TestCachedByTimeZone changes the time zone of a monitor without changing when its range begins and
// ends. Only summer days differ.
func TestCachedByTimeZone(t *testing.T) {
	c := newChatter(t, 1)
	c.add(chatterDay, "coffee", func(p *earshot.Post) { p.Time = time.Date(2025, 7, 10, 23, 30, 0, 0, time.UTC) })
	if err := c.store.Append(t.Context(), 1, c.posts); err != nil {
		t.Fatal(err)
	}
	m := c.monitor()
	m.Start = earshot.Date{Year: 2025, Month: 3, Day: 20}
	for _, want := range []string{"UTC 2025-07-10", "Europe/London 2025-07-11"} {
		m.Timezone, _, _ = strings.Cut(want, " ")
		o, err := c.Overview(t.Context(), m, insight.OverviewRequest{Days: earshot.Days{Start: m.Start, End: earshot.Date{Year: 2026, Month: 3, Day: 20}}, Parts: []insight.Part{insight.DaysPart}})
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range o.ByDay {
			if got := m.Timezone + " " + d.Day.String(); d.Posts > 0 && got != want {
				t.Errorf("got a post on %s, want %s", got, want)
			}
		}
	}
}

// TestExplainCountsWhatQueriesFind checks that a query for a word or phrase finds as many posts as the
// explanation claims, however the word is written.
func TestExplainCountsWhatQueriesFind(t *testing.T) {
	for _, texts := range [][]string{
		{"Café recall", "cafe recall", "CAFÉ recall", "#café recall", "@cafe recall", "cafe's recall", "https://recall.example/café recall"},
		{"don't panic", "don’t panic", "dont panic", "e-mail lost", "email lost", "e mail lost", "$ACME falls", "acme falls", "#ACME falls"},
		{"3.5 percent", "3,5 percent", "snake_case name", "_snake name", "co.uk name", "a&b company", "v2.0 dots"},
		{"コーヒー 値上げ", "コーヒー値上げ", "커피가 올랐다", "กาแฟแพง", "咖啡漲價", "咖啡 漲價"},
		{"strasse voll", "straße voll", "STRASSE voll", "İstanbul açık", "istanbul açık", "ﬁre ﬂame", "fire flame", "naïve\u0301 plan", "naive plan"},
		{"😀 smile", "NOT and OR quote\"inside", "back\\slash path", "near{braces} pipe|pipe", "quote” curly“", "title:word author:word", "wild* card?"},
	} {
		c := newChatter(t, 5)
		for i := range 6 * len(texts) {
			c.add(chatterDay, texts[i%len(texts)], func(p *earshot.Post) {
				if i%4 == 0 {
					p.Title, p.Contents = p.Contents, "other"
				}
				p.AuthorUsername = fmt.Sprint("writer", i)
			})
		}
		e := c.explain(chatterDay)
		if e.Estimated || len(e.Words) == 0 {
			t.Fatalf("got words %q, estimated %t", names(e.Words), e.Estimated)
		}
		for _, d := range slices.Concat(e.Words, e.Phrases) {
			query := `"` + d.Name + `"`
			found, err := c.Explain(t.Context(), c.monitor(), insight.ExplainRequest{From: e.From, To: e.To, Filter: query,
				Refine: func(filter.Categories) (poststore.Selection, error) {
					return poststore.Selection{Where: compile(t, query)}, nil
				}})
			if err != nil {
				t.Fatal(err)
			}
			if found.Posts != d.Posts {
				t.Errorf("%s: it finds %d posts, claimed are %d", query, found.Posts, d.Posts)
			}
		}
	}
}
