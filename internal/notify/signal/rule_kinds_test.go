package signal

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/poststore"
	"earshot/internal/state/catalog"
)

func TestThreshold(t *testing.T) {
	s := newWorld(t)
	s.rule(earshot.Rule{Kind: earshot.ThresholdRule, Name: "Busy", Threshold: earshot.Threshold{Metric: earshot.PostsMetric, Value: 10, Window: time.Hour}})
	s.add(10, s.clock.Add(-time.Minute), nil)
	s.turn()
	s.want()
	s.clock = s.clock.Add(time.Second)
	s.add(1, s.clock.Add(-time.Minute), nil)
	s.evaluatePrompt(t.Context()) // within seconds, also while the monitor is learning
	s.want("threshold firing raised")
	if got, want := s.only().Title, "Coffee: 11 posts in an hour on Mar 2, above 10"; got != want {
		t.Errorf("got title %q, want %q", got, want)
	}
	s.wait(5 * time.Hour)
	s.want("threshold resolved raised resolved")
}

func TestThresholdMetrics(t *testing.T) {
	author := 0
	fill := func(s *instance) {
		s.add(12, s.clock.Add(-time.Minute), func(p *earshot.Post) {
			p.AuthorUsername = fmt.Sprint("a", author%4)
			author++
			p.Likes, p.Retweets, p.Followers, p.Language = earshot.Counted(5), earshot.Counted(1), earshot.Counted(100), "de"
			p.Place.Country = "DEU"
			if author%3 == 0 {
				p.Sentiment = earshot.Sentiment{0, 0, 100}
			}
		})
	}
	f := func(metric earshot.Metric, of string, value float64, below bool, want bool) {
		t.Helper()
		s := newWorld(t)
		s.rule(earshot.Rule{Kind: earshot.ThresholdRule, Name: "x", Threshold: earshot.Threshold{Metric: metric, Of: of, Value: value, Below: below, Window: time.Hour, MinPosts: 10}})
		fill(s)
		s.turn()
		if got := len(s.list()) == 1; got != want {
			t.Errorf("%s %s, below %t: %g: got %t, want %t", metric, of, below, value, got, want)
		}
	}
	f(earshot.AuthorsMetric, "", 3, false, true)
	f(earshot.AuthorsMetric, "", 4, false, false)
	f(earshot.EngagementMetric, "", 71, false, true)
	f(earshot.EngagementMetric, "", 72, false, false)
	f(earshot.ReachMetric, "", 1199, false, true)
	f(earshot.ReachMetric, "", 1200, false, false)
	f(earshot.NegativeMetric, "", 0.3, false, true)
	f(earshot.NegativeMetric, "", 0.35, false, false)
	f(earshot.NegativeMetric, "", 0.35, true, true)
	f(earshot.CountryMetric, "DEU", 0.9, false, true)
	f(earshot.LanguageMetric, "de", 0.9, false, true)
	f(earshot.LanguageMetric, "en", 0.1, false, false)
	f(earshot.LanguageMetric, "en", 0.1, true, true)
	f(earshot.PostsMetric, "", 13, true, true)
	f(earshot.PostsMetric, "", 12, true, false)
}

func TestTooFewPostsAreNotReportedWhileASourceIsDown(t *testing.T) {
	s := newWorld(t)
	s.rule(earshot.Rule{Kind: earshot.ThresholdRule, Name: "Silence", Threshold: earshot.Threshold{Metric: earshot.PostsMetric, Value: 5, Below: true, Window: time.Hour}})
	s.gaps = []catalog.Gap{{From: s.clock.Add(-30 * time.Minute), To: s.clock.Add(-20 * time.Minute)}}
	s.turn()
	s.want()
	s.gaps = nil
	s.turn()
	s.want("threshold firing raised")
	if got, want := s.only().Title, "Coffee: 0 posts in an hour on Mar 1, below 5"; got != want {
		t.Errorf("got title %q, want %q", got, want)
	}
}

func famous(p *earshot.Post) { p.Followers = earshot.Counted(200_000) }

func (s *instance) postRule() earshot.RuleID {
	return s.rule(earshot.Rule{Kind: earshot.PostRule, Name: "Famous", Filter: "followers:100000..", Channels: []earshot.ChannelID{7}})
}

func TestPostRule(t *testing.T) {
	s := newWorld(t)
	s.postRule()
	s.clock = s.clock.Add(time.Minute)
	s.add(3, s.clock, nil)
	s.add(1, s.clock, famous)
	s.evaluatePrompt(t.Context())
	s.deliver(t.Context())
	s.want("post firing raised")
	sig := s.only()
	if sig.Title != "Coffee: a post matches “Famous”" || len(sig.Posts) != 1 || sig.Posts[0].GUID != fmt.Sprint(s.posts) {
		t.Errorf("got %q about %v", sig.Title, sig.Posts)
	}
	s.wantSent(fmt.Sprintf("signal.%d.1 signal.fired", sig.ID))
	// Further posts join it; people are notified when their number doubles.
	for range 3 {
		s.clock = s.clock.Add(time.Minute)
		s.add(1, s.clock, famous)
		s.evaluatePrompt(t.Context())
	}
	s.want("post firing raised updated updated")
	if sig := s.only(); sig.Observed != 4 || len(sig.Posts) != 4 || sig.Title != "Coffee: 4 posts match “Famous”" {
		t.Errorf("got %g posts, %d listed, %q", sig.Observed, len(sig.Posts), sig.Title)
	}
	s.wait(2 * time.Hour)
	s.want("post resolved raised updated updated resolved")
	s.add(1, s.clock, famous)
	s.turn()
	s.want("post resolved raised updated updated resolved", "post firing raised")
	for _, n := range s.sent {
		if n.Message.Event == "signal.resolved" {
			t.Errorf("got notification %s, although nothing has ended", n.Key)
		}
	}
}

func TestPostRuleIgnoresWhatIsNotNew(t *testing.T) {
	s := newWorld(t)
	s.add(1, s.clock.Add(-time.Hour), famous) // before the rule
	s.postRule()
	s.turn()
	s.want()
	s.clock = s.clock.Add(time.Hour)
	s.add(5, s.clock.Add(-25*time.Hour), famous) // imported
	s.turn()
	s.want()
	s.add(1, s.clock, famous)
	s.turn()
	s.want("post firing raised")
	// The same post arrives again with new counters, also after a restart and after the signal.
	again := func() {
		posts, err := s.store.Find(t.Context(), s.Catalog.Signals.List()[0].Posts)
		s.must(err)
		s.store1(poststore.MatchedPost{Post: posts[0], Sets: []poststore.SetID{poststore.MonitorSet(coffee)}})
		s.turn()
	}
	again()
	s = s.open()
	again()
	s.want("post firing raised")
	s.wait(3 * time.Hour)
	again()
	s.want("post resolved raised resolved")
	if sig := s.only(); sig.Observed != 1 {
		t.Errorf("got %g posts, want 1", sig.Observed)
	}
}

// The posts of old signals are not kept in memory.
func TestPostsOfOldSignalsAreForgotten(t *testing.T) {
	s := newWorld(t)
	s.postRule()
	s.clock = s.clock.Add(time.Minute)
	s.add(1, s.clock, famous)
	s.turn()
	s.wait(3 * time.Hour)
	s.want("post resolved raised resolved")
	indexed := func(s *instance) int {
		s.found.knows(s.Catalog, 0, &earshot.Post{}, s.clock)
		return len(s.found.recent) + len(s.found.posts)
	}
	s.clock = s.only().Resolved.Add(indexedFor - time.Minute)
	if n := indexed(s); n != 2 {
		t.Errorf("got %d entries of a recent signal, want it and its rule", n)
	}
	s.clock = s.clock.Add(expireEvery)
	if n := indexed(s); n != 0 {
		t.Errorf("got %d entries of an old signal", n)
	}
	if n := indexed(s.open()); n != 0 {
		t.Errorf("after a restart: got %d entries of an old signal", n)
	}
}

func TestPostRuleMissesNothingOverRestarts(t *testing.T) {
	s := newWorld(t)
	s.postRule()
	s.clock = s.clock.Add(time.Minute)
	for i := range 10 {
		s.add(1, s.clock.Add(time.Duration(i)*time.Second), famous)
		if i%3 == 0 {
			s = s.open() // it does not know about posts that were stored before
		}
		if i%2 == 0 {
			s.turn()
		}
	}
	s.turn()
	if sig := s.only(); sig.Observed != 10 || len(sig.Posts) != 10 {
		t.Errorf("got %g posts, %d listed, want 10", sig.Observed, len(sig.Posts))
	}
}

func TestBurstOfPostsIsOneSignal(t *testing.T) {
	s := newWorld(t)
	s.postRule()
	s.clock = s.clock.Add(time.Minute)
	s.add(3000, s.clock, famous)
	s.turn()
	s.turn()
	if sig := s.only(); sig.Observed != 3000 || len(sig.Posts) != earshot.MaxSignalPosts {
		t.Errorf("got %g posts, %d listed", sig.Observed, len(sig.Posts))
	}
}

func TestMutedPostRule(t *testing.T) {
	s := newWorld(t)
	id := s.postRule()
	mute := func(until time.Time) {
		_, err := s.Catalog.Rules.Update(t.Context(), id, func(r *earshot.Rule) error { r.MutedUntil = until; return nil })
		s.must(err)
	}
	mute(s.clock.Add(time.Hour))
	s.clock = s.clock.Add(time.Minute)
	s.add(1, s.clock, famous)
	s.turn()
	mute(time.Time{})
	s.turn()
	s.want() // what happened while it was muted is not made up for
}

func TestShares(t *testing.T) {
	s := newWorld(t)
	s.past(40, 5)
	s.turn()
	s.want()
	n := 0
	s.add(60, s.clock.Add(-3*time.Hour), func(p *earshot.Post) {
		if n++; n%2 == 0 {
			p.Sentiment = earshot.Sentiment{0, 0, 100}
		}
	})
	s.rule(earshot.Rule{Kind: earshot.UnusualRule, Unusual: earshot.Unusual{Kinds: []earshot.SignalKind{earshot.NegativeSignal}}})
	s.clock = s.clock.Add(time.Hour)
	s.turn()
	s.want("negative firing raised")
	sig := s.only()
	if !strings.HasPrefix(sig.Title, "Coffee: 17% of posts on Mar 1–2 were negative (0–") || !sig.From.Equal(start.Add(-3*time.Hour)) || sig.Filter != "sentiment:negative" || sig.Observed < 0.16 || sig.Observed > 0.18 {
		t.Errorf("got %q, filter %q, observed %g, from %v", sig.Title, sig.Filter, sig.Observed, sig.From)
	}
}

func TestNewcomers(t *testing.T) {
	s := newWorld(t)
	s.rule(earshot.Rule{Kind: earshot.UnusualRule, Unusual: earshot.Unusual{Kinds: []earshot.SignalKind{earshot.HashtagSignal, earshot.AuthorSignal}}})
	s.past(40, 5)
	s.add(3, s.clock.AddDate(0, 0, -10), func(p *earshot.Post) { p.Hashtags = []string{"latte"} })
	s.turn()
	s.clock = s.clock.Add(time.Hour)
	s.add(20, s.clock.Add(-time.Hour), func(p *earshot.Post) { p.Hashtags = []string{"recall", "latte"} })
	s.turn()
	s.want("hashtag recall firing raised")
	if sig, want := s.only(), "Coffee: new hashtag #recall in 20 posts on Mar 2"; sig.Title != want || !sig.From.Equal(start) {
		t.Errorf("got title %q, from %v, want %q, from the first post", sig.Title, sig.From, want)
	}
	s.wait(30 * time.Hour)
	s.want("hashtag recall resolved raised resolved")
}

// Hashtags and links are words of texts, which must not leave if their source is restricted.
func TestNewcomersOfRestrictedSources(t *testing.T) {
	s := newWorld(t)
	s.Restricted = []earshot.Source{earshot.Twitter}
	s.rule(earshot.Rule{Kind: earshot.UnusualRule, Unusual: earshot.Unusual{Kinds: []earshot.SignalKind{earshot.HashtagSignal, earshot.LinkSignal, earshot.AuthorSignal}}})
	s.past(40, 5)
	s.turn()
	s.clock = s.clock.Add(time.Hour)
	s.add(20, s.clock.Add(-time.Hour), func(p *earshot.Post) { p.Hashtags, p.Links = []string{"secret"}, []string{"https://secret.example/a"} })
	s.add(20, s.clock.Add(-time.Hour), func(p *earshot.Post) {
		p.Source, p.Hashtags, p.Links = earshot.Mastodon, []string{"recall"}, []string{"https://recall.example/a"}
	})
	s.turn()
	s.want("hashtag recall firing raised", "link recall.example/a firing raised")
	if got, want := s.Catalog.Signals.List()[0].Title, "Coffee: new hashtag #recall in 20 posts on Mar 2"; got != want {
		t.Errorf("got title %q, want %q", got, want)
	}
}

// A story that makes many posts is one signal, not one for each of its hashtags.
func TestNewcomersJoinTheVolume(t *testing.T) {
	s := newWorld(t)
	s.past(40, 5)
	s.turn()
	s.clock = s.clock.Add(time.Hour)
	s.add(60, s.clock.Add(-10*time.Minute), func(p *earshot.Post) { p.Hashtags = []string{"recall", "fire"} })
	s.turn()
	s.want(raised)
	if n := s.only().Newcomers; len(n) != 2 || n[0].Label != "#fire" || n[1].Label != "#recall" || n[0].Posts != 60 {
		t.Errorf("got newcomers %+v", n)
	}
	s.live(30, 5)
	s.want(resolved)
}

func TestSavedFilterWithARule(t *testing.T) {
	s := newWorld(t)
	s.rule(earshot.Rule{Monitor: machine, Kind: earshot.ThresholdRule, Name: "x", Threshold: earshot.Threshold{Metric: earshot.PostsMetric, Value: 0, Window: time.Hour}})
	s.add(5, s.clock.Add(-time.Minute), nil)
	s.turn()
	s.want()
	p := earshot.Post{Source: earshot.Twitter, GUID: "m", Time: s.clock.Add(-time.Minute)}
	s.store1(poststore.MatchedPost{Post: p, Sets: []poststore.SetID{poststore.MonitorSet(coffee), poststore.MonitorSet(machine)}})
	s.turn()
	s.want("threshold firing raised")
	if sig := s.only(); sig.Monitor != machine || !strings.HasPrefix(sig.Title, "Machines: ") {
		t.Errorf("got monitor %d, %q", sig.Monitor, sig.Title)
	}
}

func TestErasedAuthorsLeaveSignals(t *testing.T) {
	s := newWorld(t)
	var erased []string
	s.erase = func(removed, changed []string) error {
		erased = append(erased, fmt.Sprint(len(s.Catalog.Signals.List()), removed, changed))
		return nil
	}
	s.rule(earshot.Rule{Kind: earshot.UnusualRule, Unusual: earshot.Unusual{Kinds: []earshot.SignalKind{earshot.AuthorSignal}}})
	s.past(40, 5)
	s.turn()
	s.clock = s.clock.Add(time.Hour)
	s.add(20, s.clock.Add(-time.Hour), func(p *earshot.Post) { p.AuthorUsername = "ann" })
	key := earshot.PostKey{Source: earshot.Twitter, GUID: fmt.Sprint(s.posts)}
	s.turn()
	s.want("author ann firing raised")
	author := s.only().ID
	other := &earshot.Signal{
		ID: author + 1, Team: 1, Monitor: coffee, Kind: earshot.VolumeSignal, State: earshot.ResolvedSignal,
		Newcomers: []earshot.Newcomer{{Kind: earshot.AuthorSignal, Subject: "ann"}, {Kind: earshot.AuthorSignal, Subject: "bob"}},
	}
	s.must(s.Catalog.Signals.Add(t.Context(), other.ID, other))
	n, err := s.RemovePosts(t.Context(), []earshot.PostKey{key})
	s.must(err)
	if got := s.only(); n != 2 || got.ID != other.ID || len(got.Newcomers) != 1 || got.Newcomers[0].Subject != "bob" {
		t.Errorf("got %d changed signals, newcomers %+v", n, got.Newcomers)
	}
	threads := fmt.Sprintf("[signal.%d] [signal.%d]", author, other.ID)
	if want := []string{"2 " + threads, "1 " + threads}; !slices.Equal(erased, want) { // before and after
		t.Errorf("got erased messages %q, want %q", erased, want)
	}
}

func TestExplanationsOfErasedPostsAreMadeAgain(t *testing.T) {
	s := newWorld(t)
	s.past(40, 5)
	s.spike(40)
	key, calls := earshot.PostKey{Source: earshot.Twitter, GUID: fmt.Sprint(s.posts)}, 0
	s.why = func() (*insight.Explanation, error) {
		story := insight.Story{Terms: []string{"fire"}, Share: 1}
		if calls++; calls == 1 {
			story = insight.Story{Terms: []string{"Ann's words"}, Share: 1, Top: &earshot.Post{Source: key.Source, GUID: key.GUID}}
		}
		return &insight.Explanation{Change: insight.ChangeMore, Cause: insight.CauseSingle, Stories: []insight.Story{story}}, nil
	}
	s.turn()
	if got, want := s.only().Title, "Coffee: 8.8× the usual posts on Mar 1: Ann's words"; got != want {
		t.Errorf("got title %q, want %q", got, want)
	}
	_, err := s.RemovePosts(t.Context(), []earshot.PostKey{key})
	s.must(err)
	s.explainAll(t.Context())
	if sig := s.only(); sig.Explanation != nil || sig.Title != "Coffee: 8.8× the usual posts on Mar 1" {
		t.Errorf("got explanation %+v and title %q while the posts may still be stored", sig.Explanation, sig.Title)
	}
	s.clock = s.clock.Add(erasedWait)
	s.explainAll(t.Context())
	s.explainAll(t.Context())
	if x := s.only().Explanation; calls != 2 || x == nil || x.Sentence != "100% of the additional posts are about fire." {
		t.Errorf("got explanation %+v after %d attempts, want another one", x, calls)
	}
	if got, want := s.only().Title, "Coffee: 8.8× the usual posts on Mar 1: fire"; got != want {
		t.Errorf("got title %q, want %q", got, want)
	}
}

func TestErasedPostsLeaveSignals(t *testing.T) {
	s := newWorld(t)
	s.postRule()
	s.clock = s.clock.Add(time.Minute)
	s.add(2, s.clock, famous)
	s.turn()
	erased := s.only().Posts[0]
	n, err := s.RemovePosts(t.Context(), []earshot.PostKey{erased})
	s.must(err)
	if got := s.only().Posts; n != 1 || len(got) != 1 || got[0] == erased {
		t.Errorf("got %d changed signals and posts %v", n, got)
	}
}

func TestThresholdOfAShareAmongFilteredPosts(t *testing.T) {
	s := newWorld(t)
	s.rule(earshot.Rule{Kind: earshot.ThresholdRule, Name: "x", Filter: "language:de", Threshold: earshot.Threshold{Metric: earshot.LanguageMetric, Of: "en", Value: 0, Window: time.Hour, MinPosts: 1}})
	s.rule(earshot.Rule{Kind: earshot.ThresholdRule, Name: "y", Filter: "language:de", Threshold: earshot.Threshold{Metric: earshot.CountryMetric, Of: "DEU", Value: 0.4, Window: time.Hour, MinPosts: 1}})
	for i, language := range []string{"en", "de", "de"} {
		s.add(4, s.clock.Add(-time.Minute), func(p *earshot.Post) {
			p.Language = language
			if i == 1 {
				p.Place.Country = "DEU"
			}
		})
	}
	s.turn()
	s.want("threshold firing raised") // no German post is in English
	if sig := s.only(); sig.Observed != 0.5 || sig.Title != "Coffee: 50% of posts in an hour on Mar 1 were from Germany, above 40%" || sig.Filter != "language:de|geolocation:DEU" {
		t.Errorf("got %g, %q, %q", sig.Observed, sig.Title, sig.Filter)
	}
}

func TestSilenceStaysWhileASourceIsDown(t *testing.T) {
	s := newWorld(t)
	s.rule(earshot.Rule{Kind: earshot.ThresholdRule, Name: "Silence", Threshold: earshot.Threshold{Metric: earshot.PostsMetric, Value: 5, Below: true, Window: time.Hour}})
	s.turn()
	s.want("threshold firing raised")
	s.gaps = []catalog.Gap{{From: s.clock, To: s.clock.Add(5 * time.Hour)}}
	s.wait(5 * time.Hour)
	s.want("threshold firing raised")
}

func TestPostRuleThatWasDisabled(t *testing.T) {
	s := newWorld(t)
	id := s.rule(earshot.Rule{Kind: earshot.PostRule, Name: "Famous", Filter: "followers:100000.."})
	c := earshot.NewCaller(&earshot.User{Teams: []earshot.TeamID{1}})
	disable := func(disabled bool) {
		_, err := s.EditRule(t.Context(), c, id, RuleChanges{Enabled: new(!disabled)})
		s.must(err)
	}
	s.turn()
	disable(true)
	s.clock = s.clock.Add(time.Minute)
	s.add(7, s.clock, famous)
	s.turn()
	disable(false)
	s.turn()
	s.want()
	s.add(1, s.clock, famous)
	s.turn()
	if sig := s.only(); sig.Observed != 1 {
		t.Errorf("got %g posts, want 1", sig.Observed)
	}
}

func TestPostsFromBeforeTheRuleThatArriveAgain(t *testing.T) {
	s := newWorld(t)
	s.add(1, s.clock.Add(-time.Hour), famous)
	posts, _, err := s.store.Posts(t.Context(), poststore.Selection{}, 1)
	s.must(err)
	s.postRule()
	s.turn()
	s.clock = s.clock.Add(time.Minute)
	s.store1(poststore.MatchedPost{Post: posts[0], Sets: []poststore.SetID{poststore.MonitorSet(coffee)}})
	s.turn()
	s.want()
}

func TestHugeSpikeHasAChance(t *testing.T) {
	s := newWorld(t)
	s.past(40, 5)
	s.spike(3000)
	s.turn()
	if sig := s.only(); sig.Chance <= 0 || sig.High <= 0 {
		t.Errorf("got chance %g, up to %g expected", sig.Chance, sig.High)
	}
}
