package storetest

import (
	"fmt"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/poststore"
)

// positive, neutral, negative, joy and anger are values of a [poststore.Correction].
const (
	positive, neutral, negative = earshot.Positive + 1, earshot.Neutral + 1, earshot.Negative + 1
	joy, anger                  = earshot.Joy + 1, earshot.Anger + 1
)

var correctionCases = []testCase{
	{"a correction replaces the sentiment and the emotion of a returned post", func(s *subject) {
		s.addFelt()
		of := corrected(map[string]poststore.Correction{"a": {Sentiment: negative}, "c": {Emotion: anger, Sentiment: neutral}, "unknown": {Sentiment: negative}})
		s.wantFeelings(of, "a Negative/Joy", "b Positive/", "c Neutral/Anger", "d /")
		s.wantFeelings(poststore.Selection{}, "a Positive/Joy", "b Positive/", "c Negative/Joy", "d /")
	}},
	{"corrections count in tallies, in one pass or by day", func(s *subject) {
		s.addFelt()
		of := corrected(map[string]poststore.Correction{"a": {Sentiment: negative}, "d": {Sentiment: negative, Emotion: joy}})
		of.Set = 1
		days := s.marchDays(1, 3)
		sentiments, emotions := tallyBy(poststore.BySentiment), tallyBy(poststore.ByEmotion)
		for range 2 {
			s.wantRowsOf(of, sentiments, "Basic Negative 3", "Basic Positive 1")
			s.wantRowsOf(of, emotions, "Joy 3")
			s.wantTallies(of, []poststore.Tally{tallyBy(poststore.ByDay, poststore.BySentiment), sentiments},
				[]string{"2024-03-02,Basic Negative 2", "2024-03-01,Basic Negative 1", "2024-03-01,Basic Positive 1"}, []string{"Basic Negative 3", "Basic Positive 1"})
			s.wantDays(of, days, []poststore.Tally{sentiments, emotions, {}},
				"[Basic Negative 1 Basic Positive 1] [Basic Negative 2]", "[Joy 1] [Joy 2]", "[ 2] [ 2]")
			of.From, of.To = days[0], days[2]
			s.wantRowsOf(of, sentiments, "Basic Negative 3", "Basic Positive 1")
			s.wantRowsOf(poststore.Selection{Set: 1, From: days[0], To: days[2]}, sentiments, "Basic Positive 2", "Basic Negative 1")
			s.wantDays(poststore.Selection{Set: 1}, days, []poststore.Tally{sentiments}, "[Basic Positive 2] [Basic Negative 1]")
		}
	}},
	{"a corrected post is in a certain cell", func(s *subject) {
		s.addFelt()
		of := corrected(map[string]poststore.Correction{"a": {Sentiment: negative}, "d": {Sentiment: neutral, Emotion: joy}})
		of.Set = 1
		days, ts := s.marchDays(1, 3), []poststore.Tally{tallyBy(poststore.BySentimentCell), tallyBy(poststore.ByEmotionCell)}
		s.wantDays(of, days, ts, "[1 1 3 1] [11 1 2 1]", "[1 1] [1 2]")
		s.wantDays(poststore.Selection{Set: 1}, days, ts, "[1 1 46 1] [11 1]", "[1 1] [1 1]")
		of.Having = having(poststore.BySentimentCell, "3", "11").Having
		s.wantPosts(of, "c", "a")
		of.Having = having(poststore.ByEmotionCell, "1").Having
		s.wantPosts(of, "c", "d", "a")
	}},
	{"sums and authors of corrected posts count under the corrected value", func(s *subject) {
		for guid, likes := range map[string]int64{"a": 1, "b": 10, "c": 100} {
			s.add(post(guid, func(p *earshot.Post) {
				p.Likes, p.AuthorUsername, p.Sentiment = earshot.Counted(likes), "ann", earshot.Sentiment{100, 0, 0}
			}))
		}
		t := poststore.Tally{By: []poststore.Dim{poststore.BySentiment}, Sum: []poststore.Measure{poststore.Likes, poststore.Authors}}
		s.wantRowsOf(corrected(map[string]poststore.Correction{"b": {Sentiment: negative}}), t, "Basic Positive 2 101 1", "Basic Negative 1 10 1")
		s.wantRowsOf(corrected(map[string]poststore.Correction{"b": {Emotion: joy}}), poststore.Tally{Sum: t.Sum}, " 3 111 1")
	}},
	{"a changed correction counts at once", func(s *subject) {
		s.addFelt()
		days := s.marchDays(1, 3)
		for _, c := range []struct {
			sentiment uint8
			want      string
		}{{negative, "[Basic Negative 1 Basic Positive 1] [Basic Negative 1]"}, {neutral, "[Basic Neutral 1 Basic Positive 1] [Basic Negative 1]"}, {0, "[Basic Positive 2] [Basic Negative 1]"}} {
			of := corrected(map[string]poststore.Correction{"a": {Sentiment: c.sentiment}})
			of.Set = 1
			s.wantDays(of, days, []poststore.Tally{tallyBy(poststore.BySentiment)}, c.want)
		}
	}},
	{"conditions see corrected values", func(s *subject) {
		s.addFelt()
		of := corrected(map[string]poststore.Correction{"a": {Sentiment: negative, Emotion: anger}, "d": {Sentiment: positive}})
		of.Categories = poststore.CategoryFilter{Sentiments: 1 << earshot.Positive}
		s.wantPosts(of, "d", "b")
		of.Categories = poststore.CategoryFilter{Sentiments: 1 << earshot.Negative, Emotions: 1 << earshot.Joy}
		s.wantPosts(of, "c", "a")
		of.Set, of.Categories = 1, poststore.CategoryFilter{Emotions: 1 << earshot.Anger}
		s.wantPosts(of, "a")
		of.Categories, of.Having = poststore.CategoryFilter{}, having(poststore.BySentiment, "Basic Negative").Having
		s.wantPosts(of, "c", "a")
		of.Having = append(of.Having, having(poststore.ByEmotion, "Joy").Having...)
		s.wantPosts(of, "c")
		of.Having, of.Except = nil, []poststore.Selection{having(poststore.BySentiment, "Basic Negative")}
		s.wantPosts(of, "d", "b")
		of.Except = []poststore.Selection{{Categories: poststore.CategoryFilter{Sentiments: 1 << earshot.Positive}}}
		s.wantPosts(of, "c", "a")
		s.wantRowsOf(of, tallyBy(poststore.BySentiment), "Basic Negative 2")
	}},
	{"a corrected category replaces those that a model assigned", func(s *subject) {
		x, y := earshot.CategoryID(1), earshot.CategoryID(2)
		first, second, bit := poststore.CategorySet(x, 0), poststore.CategorySet(y, 0), poststore.ScoreBitSet(x, 0, 1)
		s.add(
			poststore.MatchedPost{Post: post("p", nil).Post, Sets: []poststore.SetID{9, first, bit}},
			poststore.MatchedPost{Post: post("q", nil).Post, Sets: []poststore.SetID{9, first}},
			poststore.MatchedPost{Post: post("r", nil).Post, Sets: []poststore.SetID{9}},
		)
		of := corrected(map[string]poststore.Correction{"p": {Category: y}, "r": {Category: y}, "q": {Sentiment: negative}})
		of.Set = 9
		t := bySets(first, second, poststore.CategorySet(y, 1), bit, poststore.CorrectedSet(y))
		for range 2 {
			s.wantRowsOf(of, t, "\x01 1", "\x16 1", "\x1e 1")
			s.wantDays(of, s.marchDays(1, 2), []poststore.Tally{t}, "[\x01 1 \x16 1 \x1e 1]")
			s.wantRowsOf(poststore.Selection{Set: 9}, t, "\x00 1", "\x01 1", "\x09 1")
		}
		of.Categories = inSets(second)
		s.wantPosts(of, "p", "r")
		of.Categories = inSets(first)
		s.wantPosts(of, "q")
		of.Categories = inSets(poststore.CorrectedSet(y))
		s.wantPosts(of, "p", "r")
		of.Categories, of.Except = poststore.CategoryFilter{}, []poststore.Selection{{Set: second}}
		s.wantPosts(of, "q")
	}},
	{"a correction applies to every version of its post", func(s *subject) {
		s.addFelt()
		of := corrected(map[string]poststore.Correction{"a": {Sentiment: negative}})
		of.Set = 1
		days, ts := s.marchDays(1, 4), []poststore.Tally{tallyBy(poststore.BySentiment)}
		s.wantDays(of, days, ts, "[Basic Negative 1 Basic Positive 1] [Basic Negative 1] []")
		s.add(poststore.MatchedPost{Post: felt("a", "2024-03-03T12:00:00Z", earshot.Sentiment{0, 100, 0}, earshot.Emotion{}), Sets: []poststore.SetID{1}})
		s.wantDays(of, days, ts, "[Basic Positive 1] [Basic Negative 1] [Basic Negative 1]")
		s.check(s.Reinfer(s.ctx(), poststore.Reinfer{Models: 9, Infer: func(posts []earshot.Post) {
			for i := range posts {
				posts[i].Sentiment, posts[i].InferredBy = earshot.Sentiment{100, 0, 0}, 9
			}
		}}))
		s.wantDays(of, days, ts, "[Basic Positive 1] [Basic Positive 2] [Basic Negative 1]")
		s.remove(earshot.Deletion{Source: earshot.Twitter, GUIDs: []string{"a"}})
		s.wantDays(of, days, ts, "[Basic Positive 1] [Basic Positive 2] []")
	}},
	{"rankings and samples return corrected posts", func(s *subject) {
		s.addFelt()
		of := corrected(map[string]poststore.Correction{"a": {Sentiment: negative}})
		of.Having = having(poststore.BySentiment, "Basic Negative").Having
		ranked, err := s.Rank(s.ctx(), of, poststore.Ranking{Limit: 10, Order: poststore.OldestFirst})
		s.check(err)
		var got []string
		for i := range ranked.Posts {
			got = append(got, feeling(&ranked.Posts[i].Post))
		}
		sampled := 0
		_, err = s.Sample(s.ctx(), of, 10, func(p *earshot.Post) {
			if sampled++; p.Sentiment.Assigned() != earshot.Negative {
				s.Errorf("got a sampled post with %s", feeling(p))
			}
		})
		s.check(err)
		if want := "[a Negative/Joy c Negative/Joy]"; fmt.Sprint(got) != want || sampled != 2 {
			s.Errorf("got ranking %s and a sample of %d, want %s and 2", got, sampled, want)
		}
	}},
}

// corrected selects all posts, with corrections by guid.
func corrected(of map[string]poststore.Correction) poststore.Selection {
	byKey := map[earshot.PostKey]poststore.Correction{}
	for guid, c := range of {
		byKey[twitter(guid)] = c
	}
	return poststore.Selection{Corrections: poststore.NewCorrections(byKey)}
}

// addFelt appends four posts in monitor 1: two positive ones, a negative one, and one without a
// sentiment. The first two are from March 1, the others from March 2.
func (s *subject) addFelt() {
	s.Helper()
	happy := earshot.Emotion{earshot.Joy: 100}
	for _, p := range []earshot.Post{
		felt("a", "2024-03-01T12:00:02Z", earshot.Sentiment{60, 20, 20}, happy),
		felt("b", "2024-03-01T12:00:01Z", earshot.Sentiment{100, 0, 0}, earshot.Emotion{}),
		felt("c", "2024-03-02T12:00:01Z", earshot.Sentiment{0, 10, 90}, happy),
		felt("d", "2024-03-02T12:00:00Z", earshot.Sentiment{}, earshot.Emotion{}),
	} {
		s.add(poststore.MatchedPost{Post: p, Sets: []poststore.SetID{1}})
	}
}

func felt(guid, at string, sentiment earshot.Sentiment, emotion earshot.Emotion) earshot.Post {
	return post(guid, func(p *earshot.Post) { p.Time, p.Sentiment, p.Emotion = parseTime(at), sentiment, emotion }).Post
}

// wantFeelings checks the sentiments and emotions of the selected posts, sorted by guid.
func (s *subject) wantFeelings(of poststore.Selection, want ...string) {
	s.Helper()
	posts, _, err := s.Posts(s.ctx(), of, 100)
	s.check(err)
	var got []string
	for i := range posts {
		got = append(got, feeling(&posts[i]))
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		s.Errorf("got %q, want %q", got, want)
	}
}

// feeling describes a post by its guid, sentiment and emotion.
func feeling(p *earshot.Post) string {
	text := p.GUID + " "
	if i := p.Sentiment.Assigned(); i >= 0 {
		text += strings.TrimPrefix(earshot.BasicCategories[i], "Basic ")
	}
	text += "/"
	if i := p.Emotion.Assigned(); i >= 0 {
		text += earshot.BasicEmotions[i]
	}
	return text
}

func tallyBy(dims ...poststore.Dim) poststore.Tally { return poststore.Tally{By: dims} }
