package storetest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"earshot"
	"earshot/internal/model/people"
	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
	"earshot/internal/query/watchlist"
)

// A random generates posts and queries from few distinct values, so that posts replace one another,
// queries find posts and rows are tied.
type random struct {
	*rand.Rand
	conditions      []*watchlist.Condition
	categorizations int64 // number of categorizations
}

// criteria are the criteria of random conditions. They are simple because the query language has
// its own tests.
var criteria = []earshot.Criteria{
	{Keywords: "apple"},
	{Keywords: "pear"},
	{Keywords: "apple", Gender: earshot.Female},
	{Keywords: "plum", Languages: earshot.Choice{Values: []string{"EN", "FR"}}},
	{Keywords: "plum", Languages: earshot.Choice{Exclude: true, Values: []string{"EN"}}},
	{Keywords: "plum", Languages: earshot.Choice{Values: earshot.Languages}},
	{Languages: earshot.Choice{Exclude: true, Values: earshot.Languages}},
}

func one[T any](r *random, values ...T) T { return values[r.IntN(len(values))] }

// some returns up to most of the values, possibly with duplicates.
func some[T any](r *random, most int, values ...T) []T {
	var chosen []T
	for range r.IntN(most + 1) {
		chosen = append(chosen, one(r, values...))
	}
	return chosen
}

func (r *random) monitor() poststore.SetID { return one[poststore.SetID](r, 1, 2, 3) }

func (r *random) posts() []poststore.MatchedPost {
	posts := make([]poststore.MatchedPost, r.IntN(30))
	for i := range posts {
		posts[i] = poststore.MatchedPost{Post: r.post(), Sets: some[poststore.SetID](r, 3, 1, 2, 3)}
		posts[i].Received = posts[i].Post.Time.Add(time.Duration(i) * 7 * time.Hour)
		if monitors := posts[i].Sets; len(monitors) > 0 && r.IntN(2) == 0 {
			posts[i].Tracked = monitors[:1]
		}
		posts[i].Sets = append(posts[i].Sets[:len(posts[i].Sets):len(posts[i].Sets)], some(r, 2, randomSets...)...)
	}
	return posts
}

func (r *random) post() earshot.Post {
	guid := fmt.Sprint(r.IntN(60))
	p := earshot.Post{
		Source:          one(r, earshot.Twitter, earshot.Reddit, "Letters"),
		GUID:            guid,
		Time:            r.time(),
		Site:            one(r, "", "example.com", "news.example.com", "example.org"),
		Contents:        strings.Join(some(r, 3, "apple", "pear", "plum", "#plum", "www.plum.example/apple"), " "),
		Language:        one(r, "", "en", "fr", "tl"),
		Author:          one(r, "", "Ann", "bob (Bob)", "Cid", r.fullName(), r.fullName(), r.fullName(), r.fullName()),
		AuthorUsername:  one(r, "", "ann", "BOB"),
		AuthorProfileID: one(r, "", "", "4711"),
		PageID:          one(r, "", "", "", "page"),
		Gender:          one(r, "", earshot.Male, earshot.Female),
		Age:             one(r, earshot.Count{}, earshot.Counted(int64(r.IntN(60)))),
		Followers:       r.count(),
		Place:           r.place(),
		Geotagged:       r.IntN(3) == 0,
		Engagement:      one(r, "", earshot.OriginalPost, earshot.Retweet, earshot.Reply, earshot.Comment),
		ParentGUID:      one(r, "", "1", "2"),
		Likes:           r.count(),
		Shares:          r.count(),
		Comments:        r.count(),
		Replies:         r.count(),
		Retweets:        r.count(),
		Views:           r.count(),
		Hashtags:        some(r, 3, "x", "y", "z"),
		AgeGroup:        one(r, 0, earshot.UnderEighteen, earshot.ThirtyFiveAndOver),
		Sentiment:       one(r, earshot.Sentiment{}, earshot.Sentiment{50, 30, 20}, earshot.Sentiment{0, 100, 0}, earshot.Sentiment{20, 20, 60}),
		Emotion:         one(r, earshot.Emotion{}, earshot.Emotion{earshot.Joy: 100}, earshot.Emotion{earshot.Fear: 60, earshot.Anger: 40}),
		Interests:       some[earshot.InterestID](r, 2, 1, 2, 300),
		Images:          r.images(),
		InferredBy:      one[uint32](r, 0, 0, 1, 2),
	}
	for _, tag := range p.Hashtags {
		if tag != "z" {
			p.Cashtags = append(p.Cashtags, tag+tag)
		}
	}
	if len(p.Interests) == 0 {
		p.AuthorInterests = some[earshot.InterestID](r, 2, 2, 4)
	}
	if p.Source == "Letters" {
		p.ContentSource, p.Team = one[earshot.ContentSourceID](r, 3, 4), team
		p.Batch, p.URL = one(r, "one", "two"), "https://example.com/"+guid
	}
	return p
}

// fullName returns a name with a surname from the census. It chooses among slightly more surnames
// than are required to estimate ethnicity.
func (r *random) fullName() string { return "Ann " + one(r, surnames[:people.MinSurnames+6]...) }

func (r *random) images() []earshot.Image {
	return one(r, nil, nil,
		[]earshot.Image{{Alt: "not analyzed"}},
		[]earshot.Image{{Objects: []earshot.ImageObject{{ClassID: 1, ClassName: "person"}, {ClassID: 47, ClassName: "cup"}}}},
		[]earshot.Image{
			{Objects: []earshot.ImageObject{{ClassID: 47, ClassName: "cup"}}, Brands: []earshot.ImageBrand{{ID: "b1", Name: "Acme"}}},
			{Objects: []earshot.ImageObject{{ClassID: 47, ClassName: "cup"}}, Brands: []earshot.ImageBrand{{ID: "b2", Name: "Other"}, {ID: "b1", Name: "Acme"}}},
		},
	)
}

func (r *random) count() earshot.Count {
	return one(r, earshot.Count{}, earshot.Counted(0), earshot.Counted(int64(r.IntN(1000))))
}

func (r *random) place() earshot.Place {
	return one(r,
		earshot.Place{},
		earshot.Place{Country: "USA"},
		earshot.Place{Country: "USA", State: "CA"},
		earshot.Place{Country: "USA", State: "CA", City: "San Diego"},
		earshot.Place{Country: "JAM", State: "St. Elizabeth"},
	)
}

// time returns a full second in March 2024, often one that several posts share.
func (r *random) time() time.Time {
	hours := noon.Add(time.Duration(r.IntN(30*24)) * time.Hour)
	return hours.Add(time.Duration(one(r, 0, 0, 1, 1799, 1800, 3599)) * time.Second)
}

func (r *random) maybeTime() time.Time { return one(r, time.Time{}, r.time()) }

// maybeCondition returns a condition or nil.
func (r *random) maybeCondition() *watchlist.Condition {
	return one(r, nil, one(r, r.conditions...))
}

func (r *random) deletion() earshot.Deletion {
	d := earshot.Deletion{ContentSource: one[earshot.ContentSourceID](r, 0, 3, 4), Batch: one(r, "", "one", "two")}
	if r.IntN(8) == 0 {
		return earshot.Deletion{ContentSource: d.ContentSource, Source: one[earshot.Source](r, "", "", earshot.Twitter), Batch: d.Batch, Accounts: some(r, 2, "ann", "bob", "cid", "4711", "page")}
	}
	if r.IntN(4) > 0 { // otherwise all posts of the source or the batch
		d.GUIDs = some(r, 5, "1", "2", "3", "4", "5", "6")
		d.URLs = []string{"https://example.com/" + fmt.Sprint(r.IntN(60))}
	}
	return d
}

func (r *random) snapshots() []earshot.Snapshot {
	snapshots := make([]earshot.Snapshot, r.IntN(10))
	for i := range snapshots {
		snapshots[i] = earshot.Snapshot{Date: march(r.IntN(30)), Followers: r.count(), Likes: r.count()}
	}
	return snapshots
}

func (r *random) selection() poststore.Selection {
	of := r.plainSelection()
	for r.IntN(4) == 0 {
		except := r.plainSelection()
		if r.IntN(2) == 0 {
			except.From, except.To, except.FromPost = time.Time{}, time.Time{}, nil // picks more posts
		}
		if r.IntN(3) == 0 {
			except.Except = []poststore.Selection{r.plainSelection()}
		}
		of.Except = append(of.Except, except)
	}
	if r.IntN(3) == 0 {
		of.Corrections = r.corrections()
	}
	return of
}

// plainSelection returns a selection without exceptions.
func (r *random) plainSelection() poststore.Selection {
	of := poststore.Selection{From: r.maybeTime(), To: r.maybeTime()}
	if r.IntN(2) == 0 {
		of.Set = r.monitor()
	}
	if r.IntN(4) == 0 {
		p := r.post()
		of.FromPost = &p
	}
	if r.IntN(5) == 0 {
		of.Keys = r.keySet()
	}
	switch r.IntN(14) {
	case 0:
		of.Where = r.maybeCondition()
	case 1:
		of.Sites = some(r, 2, "example.com", "Example.org", "news.example.com")
	case 2:
		of.Authors = some(r, 2, "ANN", "bob", "cid", "Bob (Bob)")
	case 3:
		of.Geotagged = true
	case 4:
		of.ContentSource = one[earshot.ContentSourceID](r, 3, 4, 5)
	case 5:
		of.Categories = poststore.CategoryFilter{Sentiments: uint8(r.IntN(8)), Emotions: uint8(one(r, 0, 1<<earshot.Joy, 1<<earshot.Fear|1<<earshot.Anger))}
	case 6:
		of.Sources = some(r, 2, earshot.Twitter, earshot.Reddit, "Letters", "nowhere")
	case 7:
		of.Categories = poststore.CategoryFilter{Sentiments: uint8(one(r, 0, r.IntN(8))), Sets: some(r, 3, countedSets...)}
	case 8:
		of.After = 10
	case 9:
		of.Where, of.Having = r.maybeCondition(), append(r.having(), r.having()...)
	case 10:
		of.Accounts = some(r, 2, "ann", "bob", "cid", "4711", "page")
	case 11:
		of.Handles = some(r, 2, "@Ann", "bob", "CID", "4711")
	case 12:
		of.Ranges = append(of.Ranges, r.numbers(), r.numbers())[:1+r.IntN(2)]
	}
	return of
}

// keySet returns the keys of random posts, often of all that there may be.
func (r *random) keySet() *poststore.KeySet {
	return poststore.NewKeySet(func(yield func(earshot.PostKey) bool) {
		for range one(r, 0, 3, 100, 1000) {
			if p := r.post(); !yield(p.Key()) {
				return
			}
		}
	})
}

// corrections returns corrections of random posts, often of all that there may be.
func (r *random) corrections() *poststore.Corrections {
	all := map[earshot.PostKey]poststore.Correction{}
	for range one(r, 0, 3, 100, 1000) {
		p := r.post()
		all[p.Key()] = poststore.Correction{
			Sentiment: uint8(one(r, 0, 1+r.IntN(len(earshot.BasicCategories)))),
			Emotion:   uint8(one(r, 0, 1+r.IntN(len(earshot.BasicEmotions)))),
			Category:  one[earshot.CategoryID](r, 0, 1, 2, 3),
		}
	}
	return poststore.NewCorrections(all)
}

// numbers returns a range that contains the numbers of some posts.
func (r *random) numbers() poststore.Range {
	of := append(some(r, 4, poststore.Measures[1:]...), one(r, poststore.Measures[1:]...))
	from := one(r, 0, 1, int64(r.IntN(1000)))
	return poststore.Range{Of: of, Min: from, Max: one(r, 0, from+int64(r.IntN(500)), math.MaxInt64)}
}

// having returns a condition on a dimension with keys of random posts, or nil.
func (r *random) having() []poststore.Having {
	h := poststore.Having{By: one(r, poststore.Dims...), Zone: r.zone()}
	for range 1 + r.IntN(3) {
		p := r.post()
		h.Keys = enginekit.AppendKeys(h.Keys, h.By, &p, h.Location())
	}
	if h.ByID() {
		h.Keys = append(h.Keys, some(r, 1, "b1", "47")...)
	}
	return one(r, nil, []poststore.Having{h})
}

func (r *random) zone() *time.Location {
	return one(r, nil, time.UTC, time.FixedZone("five and a half hours east", 19800), time.FixedZone("eight hours west", -28800))
}

func (r *random) tally() poststore.Tally {
	t := poststore.Tally{
		By:   some(r, 3, poststore.Dims...),
		Zone: r.zone(),
		Sum:  some(r, 4, poststore.Measures...),
		Top:  one(r, 0, 0, 1, 5),
	}
	if r.IntN(4) == 0 {
		t.Sources = some(r, 2, earshot.Twitter, earshot.Reddit, "Letters", "nowhere")
	}
	if r.IntN(10) == 0 {
		return poststore.Tally{By: []poststore.Dim{poststore.ByEthnicity}, Sources: t.Sources}
	}
	if r.IntN(5) == 0 {
		return poststore.Tally{Sources: t.Sources, By: []poststore.Dim{poststore.BySets}, Sets: append(some(r, 40, countedSets...), randomSets[0])}
	}
	if len(t.Sum) > 0 {
		t.TopSum = one(r, 0, 0, 1, 3)
	}
	if len(t.By) == 1 && r.IntN(2) == 0 {
		t.IncludeKeys = some(r, 3, "x", "z", "Reddit", "USA.CA", "ann", "2", "Monday 12")
	}
	return t
}

// randomSets are the sets that random posts are assigned to.
var randomSets = []poststore.SetID{
	poststore.CategorySet(1, 0), poststore.CategorySet(1, 1), poststore.CategorySet(2, 0), poststore.ScoreBitSet(2, 0, 3),
}

// countedSets are the sets that random queries refer to.
var countedSets = append(slices.Clone(randomSets), poststore.CorrectedSet(2), poststore.CorrectedSet(3))

// categorization returns a categorization of a monitor's posts. The sets of a post depend on its
// guid and its text.
func (r *random) categorization() poststore.Categorization {
	r.categorizations++
	salt, sets := r.IntN(16), some(r, 3, randomSets...)
	sorting := poststore.Categorization{Posts: r.monitor(), Sets: sets}
	if r.IntN(4) == 0 {
		sorting.Retained = some(r, 2, randomSets...)
	}
	if r.IntN(4) > 0 {
		sorting.Categorize = func(in []poststore.SetID, p *earshot.Post) []poststore.SetID {
			for i, id := range sets {
				if n := len(p.Contents) + len(p.GUID) + int(p.GUID[0]) + salt; n>>(i%3)&1 != 0 {
					in = append(in, id)
				}
			}
			return in
		}
	}
	return sorting
}

// starts returns the starts of consecutive intervals, most of them days.
func (r *random) starts() []time.Time {
	starts := []time.Time{march(r.IntN(20) - 5).Start(time.UTC).Add(time.Duration(one(r, 0, 0, 5, -8)) * time.Hour)}
	for range r.IntN(30) {
		starts = append(starts, starts[len(starts)-1].Add(time.Duration(one(r, 24, 24, 24, 23, 0))*time.Hour))
	}
	return starts
}
