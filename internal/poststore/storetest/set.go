package storetest

import (
	"strings"

	"earshot"
	"earshot/internal/poststore"
)

var setCases = []testCase{
	{"by sets counts each combination, ties in key order", func(s *subject) {
		s.addCategorized()
		s.wantRows(bySets(allSets...), "\x00 3", "\x01 1", "\x03 1", "\x06 1")
		s.wantRowsOf(poststore.Selection{Set: 1}, bySets(allSets...), "\x00 2", "\x01 1", "\x03 1", "\x06 1")
	}},
	{"by sets uses the order of the tally, including duplicates", func(s *subject) {
		s.addCategorized()
		s.wantRows(bySets(setZ, setX), "\x00 3", "\x02 2", "\x01 1")
		s.wantRows(bySets(setX), "\x00 4", "\x01 2")
		s.wantRows(bySets(setX, setX), "\x00 4", "\x03 2")
	}},
	{"by sets respects all conditions of the selection", func(s *subject) {
		s.addCategorized()
		for _, c := range []struct {
			of   poststore.Selection
			want []string
		}{
			{poststore.Selection{Set: 2}, []string{"\x00 1", "\x03 1"}},
			{poststore.Selection{Set: 3}, nil},
			{poststore.Selection{Set: 1, Sources: []earshot.Source{earshot.Reddit}}, []string{"\x00 1", "\x06 1"}},
			{poststore.Selection{Set: 1, From: parseTime("2024-03-02T00:00:00Z")}, []string{"\x00 2", "\x06 1"}},
			{poststore.Selection{Categories: inSets(setY)}, []string{"\x03 1", "\x06 1"}},
		} {
			s.wantRowsOf(c.of, bySets(allSets...), c.want...)
			s.wantTallies(c.of, []poststore.Tally{bySets(allSets...)}, c.want)
		}
	}},
	{"by sets counts each day separately", func(s *subject) {
		s.addCategorized()
		days, ts := s.marchDays(1, 4), []poststore.Tally{bySets(allSets...), {}, bySets(setY)}
		s.wantDays(poststore.Selection{Set: 1}, days, ts, "[\x01 1 \x03 1] [\x06 1] [\x00 2]", "[ 2] [ 1] [ 2]", "[\x00 1 \x01 1] [\x01 1] [\x00 2]")
		s.wantDays(poststore.Selection{Set: 2}, days, ts, "[\x03 1] [] [\x00 1]", "[ 1] [ 0] [ 1]", "[\x01 1] [] [\x00 1]")
		s.wantDays(poststore.Selection{Set: 1, Sources: []earshot.Source{earshot.Reddit}}, days, ts[:1], "[] [\x06 1] [\x00 1]")
	}},
	{"counts by sets are updated after each categorization and for other sets", func(s *subject) {
		s.addCategorized()
		of, days := poststore.Selection{Set: 1}, s.marchDays(1, 4)
		t := bySets(setX, setY)
		s.wantDays(of, days, []poststore.Tally{t}, "[\x01 1 \x03 1] [\x02 1] [\x00 2]")
		s.categorize(categorized{"a": {setX}, "b": {setX}, "d": {setX, setY}})
		s.wantDays(of, days, []poststore.Tally{t}, "[\x01 2] [\x00 1] [\x00 1 \x03 1]")
		t.Sets = []poststore.SetID{setY, setX}
		s.wantDays(of, days, []poststore.Tally{t}, "[\x02 2] [\x00 1] [\x00 1 \x03 1]")
		t.Sets = []poststore.SetID{setY}
		s.wantDays(of, days, []poststore.Tally{t}, "[\x00 2] [\x00 1] [\x00 1 \x01 1]")
	}},
	{"a result by sets changes with its posts", func(s *subject) {
		s.addCategorized()
		of, days, ts := poststore.Selection{Set: 1}, s.marchDays(1, 4), []poststore.Tally{bySets(setX, setY)}
		s.wantDays(of, days, ts, "[\x01 1 \x03 1] [\x02 1] [\x00 2]")
		s.add(postAt("b", "2024-03-01T12:00:00Z", 1, setX), postAt("f", "2024-03-02T12:00:00Z", 1, setY)) // b differs only in its sets
		s.wantDays(of, days, ts, "[\x01 2] [\x02 2] [\x00 2]")
	}},
	{"many sets have long keys", func(s *subject) {
		sets := make([]poststore.SetID, poststore.MaxSets)
		for i := range sets {
			sets[i] = poststore.CategorySet(earshot.CategoryID(i+1), 1)
		}
		s.add(postAt("a", "2024-03-01T12:00:00Z", 1, sets[0], sets[40]), postAt("b", "2024-03-01T12:00:00Z", 1, sets[0], sets[40]),
			postAt("c", "2024-03-01T12:00:00Z", 1, sets[255]), postAt("d", "2024-03-01T12:00:00Z", 1, sets[40], sets[63], sets[64]))
		zeros := func(n int) string { return strings.Repeat("\x00", n) }
		s.wantRows(bySets(sets[:41]...), "\x01"+zeros(4)+"\x01 2", zeros(6)+" 1", zeros(5)+"\x01 1")
		s.wantRows(bySets(sets[32:65]...), zeros(1)+"\x01"+zeros(3)+" 2", zeros(5)+" 1", zeros(1)+"\x01"+zeros(1)+"\x80\x01 1")
		s.wantRows(bySets(sets...), "\x01"+zeros(4)+"\x01"+zeros(26)+" 2", zeros(31)+"\x80 1", zeros(5)+"\x01"+zeros(1)+"\x80\x01"+zeros(23)+" 1")
	}},
	{"a tally by sets and anything else, or by none or too many, is an error", func(s *subject) {
		for _, t := range []poststore.Tally{
			{By: []poststore.Dim{poststore.BySets}},
			bySets(make([]poststore.SetID, poststore.MaxSets+1)...),
			{By: []poststore.Dim{poststore.BySets, poststore.ByDay}, Sets: allSets},
			{By: []poststore.Dim{poststore.BySets}, Sets: allSets, Top: 3},
			{By: []poststore.Dim{poststore.BySets}, Sets: allSets, Sum: []poststore.Measure{poststore.Likes}},
		} {
			if rows, err := poststore.TallyOne(s.ctx(), s, poststore.Selection{}, t); err == nil {
				s.Errorf("%+v: got %v and no error", t, rows)
			}
			if rows, err := s.Days(s.ctx(), poststore.Selection{}, s.marchDays(1, 2), []poststore.Tally{t}); err == nil {
				s.Errorf("days of %+v: got %v and no error", t, rows)
			}
		}
	}},
	{"category sets select posts in any of them, within the selected set", func(s *subject) {
		s.addCategorized()
		s.wantPosts(poststore.Selection{Set: 1, Categories: inSets(setX, setZ)}, "c", "a", "b")
		s.wantPosts(poststore.Selection{Set: 2, Categories: inSets(setX, setZ)}, "b")
		s.wantPosts(poststore.Selection{Set: 3, Categories: inSets(setX)})
		s.wantPosts(poststore.Selection{Set: 1, Categories: inSets(setX, setZ), To: parseTime("2024-03-02T00:00:00Z")}, "a", "b")
		s.wantPosts(poststore.Selection{Set: 1, Categories: inSets(setX, setZ), Sources: []earshot.Source{earshot.Reddit}}, "c")
		s.wantPosts(poststore.Selection{Set: 1, Categories: inSets(setX, setZ), Where: s.compile(earshot.Criteria{Keywords: "apple"})}, "a")
		s.wantCount(poststore.Selection{Set: 1, Categories: inSets(setX, setZ)}, 3)
		s.wantCount(poststore.Selection{Categories: inSets(poststore.CategorySet(77, 0))}, 0)
		s.wantDays(poststore.Selection{Set: 1, Categories: inSets(setX, setZ)}, s.marchDays(1, 4), []poststore.Tally{{}}, "[ 2] [ 1] [ 0]")
	}},
	{"category sets, sentiments and emotions select posts with any of them", func(s *subject) {
		s.addCategorized()
		joyful := poststore.CategoryFilter{Emotions: 1 << earshot.Joy, Sets: []poststore.SetID{setX}}
		s.wantPosts(poststore.Selection{Set: 1, Categories: joyful}, "d", "a", "b")
		s.wantPosts(poststore.Selection{Categories: joyful}, "d", "a", "another's", "b")
		s.wantPosts(poststore.Selection{Set: 1, Categories: joyful, Sources: []earshot.Source{earshot.Reddit}}, "d")
		s.wantPosts(poststore.Selection{Set: 1, Categories: joyful, Where: s.compile(earshot.Criteria{Keywords: "apple"})}, "d", "a")
		negative := poststore.CategoryFilter{Sentiments: 1 << earshot.Negative, Sets: []poststore.SetID{setZ}}
		s.wantPosts(poststore.Selection{Set: 1, Categories: negative}, "c", "a")
		s.wantCount(poststore.Selection{Set: 1, Categories: negative}, 2)
		posts, err := s.Words(s.ctx(), poststore.Selection{Set: 1, Categories: negative}, 10, func([]poststore.Word) {})
		s.check(err)
		if posts != 2 {
			s.Errorf("got words of %d posts, want 2", posts)
		}
	}},
	{"category sets are preserved when posts are added and deleted", func(s *subject) {
		s.addCategorized()
		for range 12 {
			s.add(s.batch(5)...)
			s.remove(earshot.Deletion{ContentSource: 9})
		}
		s.wantPosts(poststore.Selection{Categories: inSets(allSets...)}, "c", "a", "b")
		s.categorize(categorized{"d": {setX}})
		for range 12 {
			s.add(s.batch(5)...)
		}
		s.wantPosts(poststore.Selection{Categories: inSets(allSets...)}, "d")
	}},
}

func bySets(sets ...poststore.SetID) poststore.Tally {
	return poststore.Tally{By: []poststore.Dim{poststore.BySets}, Sets: sets}
}

// addCategorized appends posts a to e of monitor 1, two each on March 1 and 3 and one on March 2. b
// and e are also in filter 2. It then categorizes them: a is in X, b in X and Y, c in Y and Z.
func (s *subject) addCategorized() {
	s.Helper()
	posts := []poststore.MatchedPost{
		postAt("a", "2024-03-01T13:00:00Z", 1), postAt("b", "2024-03-01T12:00:00Z", 1, 2), postAt("c", "2024-03-02T12:00:00Z", 1),
		postAt("d", "2024-03-03T12:00:00Z", 1), postAt("e", "2024-03-03T11:00:00Z", 1, 2), postAt("another's", "2024-03-01T12:30:00Z"),
	}
	posts[0].Post.Contents, posts[0].Post.Sentiment = "apple", earshot.Sentiment{earshot.Negative: 100}
	posts[2].Post.Source = earshot.Reddit
	posts[3].Post.Contents, posts[3].Post.Source, posts[3].Post.Emotion = "apple", earshot.Reddit, earshot.Emotion{earshot.Joy: 100}
	posts[5].Post.Emotion = earshot.Emotion{earshot.Joy: 100}
	for _, p := range posts {
		s.add(p)
	}
	s.categorize(categorized{"a": {setX}, "b": {setY, setX}, "c": {setY, setZ}, "another's": {setX}})
}
