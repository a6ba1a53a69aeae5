package analysis

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/state/ledger"
)

const (
	maxSites         = 100
	minAffinityPosts = 5 // posts that mention an interest
)

// A kindTally defines how posts are counted for a kind, and stores the counts.
type kindTally struct {
	kind  ledger.Kind
	tally poststore.Tally
	fill  func(a *ledger.Metrics, rows []poststore.Row)
}

// kindTallies lists the tallies of kinds. bySource is always counted in addition.
var kindTallies = []kindTally{
	{ledger.Sentiment, by(poststore.BySentiment), func(a *ledger.Metrics, rows []poststore.Row) {
		a.Sentiments = countsByKey(rows, earshot.BasicCategories)
	}},
	{ledger.Emotion, by(poststore.ByEmotion), func(a *ledger.Metrics, rows []poststore.Row) {
		a.Emotions = countsByKey(rows, earshot.BasicEmotions)
	}},
	{ledger.Gender, by(poststore.ByGender), func(a *ledger.Metrics, rows []poststore.Row) {
		posts := countsByKey(rows, []string{string(earshot.Female), string(earshot.Male)})
		a.Female, a.Male = posts[0], posts[1]
	}},
	{ledger.Age, by(poststore.ByAge), func(a *ledger.Metrics, rows []poststore.Row) {
		a.Ages = countsByKey(rows, earshot.AgeGroups)
	}},
	{ledger.Ethnicity, by(poststore.ByEthnicity), func(a *ledger.Metrics, rows []poststore.Row) {
		posts := countsByKey(rows, []string{"White", "Latino", "Black", "Asian"})
		a.Ethnicity = ledger.EthnicityCounts{White: posts[0], Latino: posts[1], Black: posts[2], Asian: posts[3]}
	}},
	{ledger.Location, by(poststore.ByCountry), func(a *ledger.Metrics, rows []poststore.Row) {
		a.Countries = namedCounts(rows)
		for _, row := range rows {
			a.Located += row.Posts
		}
	}},
	{ledger.Sites, poststore.Tally{By: []poststore.Dim{poststore.BySite}, Top: maxSites}, func(a *ledger.Metrics, rows []poststore.Row) {
		a.Sites = namedCounts(rows)
	}},
	{ledger.Affinity, poststore.Tally{By: []poststore.Dim{poststore.ByInterest}, Sources: earshot.Microblogs}, func(a *ledger.Metrics, rows []poststore.Row) {
		a.Affinities = affinities(rows)
	}},
}

var bySource = poststore.Tally{By: []poststore.Dim{poststore.BySource}, Sum: []poststore.Measure{poststore.Impressions}}

func by(d poststore.Dim) poststore.Tally { return poststore.Tally{By: []poststore.Dim{d}} }

// compute returns the metrics of a request, based on the posts that are stored now.
func (s *Service) compute(ctx context.Context, r *ledger.Request) (*ledger.Metrics, error) {
	where, err := condition(r)
	if err != nil {
		return nil, err
	}
	tallies := []poststore.Tally{bySource}
	var requested []kindTally
	for _, c := range kindTallies {
		if slices.Contains(r.Kinds, c.kind) {
			requested = append(requested, c)
			tallies = append(tallies, c.tally)
		}
	}
	counted, err := s.Store.Tallies(ctx, poststore.Selection{From: r.Start, To: r.End, Where: where}, tallies)
	if err != nil {
		return nil, err
	}
	a := &ledger.Metrics{}
	microblogs := fillSources(a, r, counted[0])
	for i, c := range requested {
		c.fill(a, counted[i+1])
	}
	s.addBaseline(a, microblogs)
	return a, nil
}

// fillSources sets the metrics by source and returns the number of microblog posts.
func fillSources(a *ledger.Metrics, r *ledger.Request, rows []poststore.Row) (microblogs int64) {
	if slices.Contains(r.Kinds, ledger.Volume) {
		a.Volume = make([]int64, len(r.Sources))
	}
	for _, row := range rows {
		source := earshot.Source(row.Key[0])
		a.Posts += row.Posts
		if i := slices.IndexFunc(r.Sources, func(s ledger.Source) bool { return s.Source == source }); i >= 0 && a.Volume != nil {
			a.Volume[i] = row.Posts
		}
		if source.IsMicroblog() {
			microblogs += row.Posts
			if slices.Contains(r.Kinds, ledger.Reach) {
				a.Reach = poststore.SaturatingAdd(a.Reach, row.Sums[0])
			}
		}
	}
	return microblogs
}

// countsByKey returns the posts of the rows with the given keys, in the order of the keys.
func countsByKey(rows []poststore.Row, keys []string) []int64 {
	posts := make([]int64, len(keys))
	for _, row := range rows {
		if i := slices.Index(keys, row.Key[0]); i >= 0 {
			posts[i] = row.Posts
		}
	}
	return posts
}

func namedCounts(rows []poststore.Row) []ledger.NamedCount {
	list := make([]ledger.NamedCount, len(rows))
	for i, row := range rows {
		list[i] = ledger.NamedCount{Name: row.Key[0], Posts: row.Posts}
	}
	return list
}

// affinities returns the interests that at least minAffinityPosts posts mention.
func affinities(rows []poststore.Row) []ledger.AffinityCount {
	var list []ledger.AffinityCount
	for _, row := range rows {
		id, err := strconv.ParseUint(row.Key[0], 10, 16)
		if err == nil && row.Posts >= minAffinityPosts {
			list = append(list, ledger.AffinityCount{Interest: earshot.InterestID(id), Posts: row.Posts})
		}
	}
	return list
}

// addBaseline sets how common each interest is in general and sorts the most relevant first.
func (s *Service) addBaseline(a *ledger.Metrics, microblogs int64) {
	if len(a.Affinities) == 0 {
		return
	}
	usual := s.Baseline()
	for i := range a.Affinities {
		c := &a.Affinities[i]
		c.RequestPosts = microblogs
		c.BaselinePosts, c.BaselineTotal = int64(math.Round(usual.Interests[c.Interest])), int64(math.Round(usual.Posts))
	}
	slices.SortFunc(a.Affinities, func(x, y ledger.AffinityCount) int {
		return cmp.Or(cmp.Compare(Relevance(y), Relevance(x)), cmp.Compare(x.Interest, y.Interest))
	})
}

// Relevance returns how many times more common an interest is than among all microblog posts. An
// interest that is missing from the baseline is treated as if it had one post.
func Relevance(c ledger.AffinityCount) float64 {
	if c.RequestPosts == 0 {
		return 0
	}
	usual := 1 / float64(c.BaselineTotal+1)
	if c.BaselineTotal > 0 {
		usual = max(usual, float64(c.BaselinePosts)/float64(c.BaselineTotal))
	}
	return float64(c.Posts) / float64(c.RequestPosts) / usual
}
