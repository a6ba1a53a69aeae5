package insight

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
	"earshot/internal/query"
)

// Drivers are over-represented among posts, compared with other posts, most over-represented
// first.
type Drivers struct {
	Words, Phrases, Hashtags, Links, Sites, Authors, Languages, Countries, Sources, Sentiments []Driver
}

// A Driver is a word or another attribute that is over-represented.
type Driver struct {
	Name     string
	Posts    int64
	Expected float64 // posts, going by those it is compared with
	Score    float64 // weighted log-odds, in standard deviations
}

// Limits of drivers. Attributes with fewer posts are often over-represented by chance.
const (
	maxDrivers      = 20
	minDriverPosts  = 5
	minDriverShare  = 0.02 // of all authors
	minDriverScore  = 3.5  // thousands of words are compared
	minStoryScore   = 4.0
	minStoryLift    = 2.0
	contrastedNames = 50  // no more can have the minimum share
	contrastedWords = 100 // of a text; a sample of long texts must fit in memory

	maxContrastBytes = 32 << 20 // of all words, phrases and links; rare ones beyond that do not matter
	maxContrasts     = 2        // at the same time
)

// logOdds returns how over-represented an attribute is that y of n posts and y0 of n0 other posts
// have: the weighted log-odds ratio with an informative Dirichlet prior (Monroe, Colaresi & Quinn
// 2008), in standard deviations. The prior is the share among all posts. Unlike in that paper,
// attributes may be frequent, so the variance includes the posts that do not have them.
func logOdds(y, n, y0, n0 float64) float64 {
	if y+y0 <= 0 || n <= 0 || n0 <= 0 {
		return 0
	}
	share := (y + y0) / (n + n0)
	if share >= 1 {
		return 0
	}
	prior := min(1000, n, n0) // more would outweigh the smaller side
	a, b := prior*share, prior*(1-share)
	with, without, with0, without0 := max(y+a, 0.5), n-y+b, max(y0+a, 0.5), n0-y0+b // even 0 of many is known to half a post
	delta := math.Log(with/without) - math.Log(with0/without0)
	return delta / math.Sqrt(1/with+1/without+1/with0+1/without0)
}

// isQuiet reports whether n0 other posts are too few for shares, and not because little of their time
// is covered. What none of them has is new.
func isQuiet(n0, scale float64) bool { return n0*max(scale, 1) < minDriverPosts }

// newness is the score of an attribute that y posts and none of few others have: the standard
// deviations between y and 0 in a Poisson distribution.
func newness(y float64) float64 { return 2 * math.Sqrt(y) }

// A contrast compares posts with others.
type contrast struct {
	scale    float64     // posts of the other side times this is the expectation
	sides    [2]textSide // the posts, and the others
	words    features
	phrases  features
	links    features
	stop     stopWords
	searched map[string]bool
	names    map[poststore.Dim][]Driver
	sample   int64 // maximum number of texts per side

	languages  map[string]int32 // numbers of the languages of texts
	byLanguage bool             // whether words and phrases are compared among posts in their language
	estimated  bool             // whether only a sample was read
	units      int32            // authors of all selections so far
	bytes      int              // of the names of all features
}

// A textSide is a sample of the posts of one side.
type textSide struct {
	posts []sampledText
	total int64   // posts that the sample is from
	units float64 // authors in the sample; posts without an author count as one each
}

// A sampledText has the features of a sampled post.
type sampledText struct {
	author   string
	language int32 // number of its language
	unit     int32 // number of the author in the selection; never 0
	words    []int32
	others   [2][]int32 // phrases, links
}

// features counts in how many posts, and by how many authors, features occur on each side.
type features struct {
	wordIndex
	posts   [2][]int32
	authors [2][]int32
	within  map[int32]shareTally // of features that are compared among posts in their language
}

func newContrast(m *earshot.Monitor, scale float64) *contrast {
	return &contrast{scale: scale, sample: explainSample, searched: searchWords(m.Criteria.Keywords), names: map[poststore.Dim][]Driver{}, languages: map[string]int32{}}
}

// fillContrast compares the posts of selections with those of others. Each author counts once per
// selection, so a spammer does not explain anything. The caller has entered s.contrasts.
func (s *Service) fillContrast(ctx context.Context, c *contrast, of, others []poststore.Selection) error {
	if err := s.readContrast(ctx, c, of, others); err != nil {
		return err
	}
	return s.contrastNames(ctx, c, of, others, c.scale)
}

// readContrast is fillContrast for words, phrases and links only.
func (s *Service) readContrast(ctx context.Context, c *contrast, of, others []poststore.Selection) (err error) {
	var posts int64
	for _, sel := range of {
		n, err := s.countSelected(ctx, sel)
		if err != nil {
			return err
		}
		posts += n
	}
	if c.stop, err = s.stopWords(ctx, of[0], max(posts, 1)); err != nil {
		return err
	}
	for side, list := range [][]poststore.Selection{of, others} {
		if err := s.sampleTexts(ctx, c, side, list); err != nil {
			return err
		}
	}
	c.words.count(c, func(t *sampledText) []int32 { return t.words })
	c.phrases.count(c, func(t *sampledText) []int32 { return t.others[0] })
	c.links.count(c, func(t *sampledText) []int32 { return t.others[1] })
	if c.byLanguage {
		c.words.countByLanguage(c, func(t *sampledText) []int32 { return t.words })
		c.phrases.countByLanguage(c, func(t *sampledText) []int32 { return t.others[0] })
	}
	return nil
}

// sampleTexts reads the texts of one side. All posts of the side have the same chance to be read.
func (s *Service) sampleTexts(ctx context.Context, c *contrast, side int, list []poststore.Selection) error {
	counts, total := make([]int64, len(list)), int64(0)
	for i, sel := range list {
		var err error
		if counts[i], err = s.countSelected(ctx, sel); err != nil {
			return err
		}
		total += counts[i]
	}
	t := &c.sides[side]
	t.total = total
	var doc query.Document
	for i, sel := range list {
		sample := counts[i]
		if total > c.sample {
			sample = counts[i] * c.sample / total
			c.estimated = true
		}
		first := len(t.posts)
		_, err := s.Store.Sample(ctx, sel, int(sample), func(p *earshot.Post) { t.posts = append(t.posts, c.read(p, side, &doc)) })
		if err != nil {
			return err
		}
		c.numberAuthors(t.posts[first:])
	}
	if n := len(t.posts); n > 0 {
		t.units = float64(t.posts[n-1].unit - t.posts[0].unit + 1)
	}
	return nil
}

// numberAuthors sorts the posts of a selection by author and numbers the authors.
func (c *contrast) numberAuthors(posts []sampledText) {
	slices.SortFunc(posts, func(a, b sampledText) int { return strings.Compare(a.author, b.author) })
	for i := range posts {
		if i == 0 || posts[i].author == "" || posts[i].author != posts[i-1].author {
			c.units++
		}
		posts[i].unit = c.units
	}
}

// read returns the words, phrases and links of a post of one side.
func (c *contrast) read(p *earshot.Post, side int, doc *query.Document) (t sampledText) {
	t.author, t.language = strings.Clone(enginekit.AuthorKey(p)), c.languageNumber(p.Language)
	doc.Reset(p)
	before, last, n := "", 0, 0
	enginekit.WalkKeysAt(doc, func(position int, k query.KeyToken) {
		if position != last+1 { // after a URL, or at the start of the contents
			before = ""
		}
		last = position
		if n++; n > contrastedWords || len(k.Text) > maxWordBytes {
			before = ""
			return
		}
		word := string(k.Text)
		if c.stop.always.Has(word) || !c.stop.isMeaningful(word, math.MaxInt64) {
			before = ""
			return
		}
		t.words = c.appendNumber(t.words, &c.words, side, word)
		if before != "" && k.Sigil == 0 {
			t.others[0] = c.appendNumber(t.others[0], &c.phrases, side, before+" "+word)
		}
		if before = ""; k.Sigil == 0 {
			before = word
		}
	})
	for _, link := range p.Links {
		if link = earshot.CanonicalLink(link); link != "" && len(link) <= maxWordBytes {
			t.others[1] = c.appendNumber(t.others[1], &c.links, side, link)
		}
	}
	return t
}

// appendNumber appends the number of a feature. It leaves out features that only the other side has,
// because they are not over-represented.
func (c *contrast) appendNumber(to []int32, f *features, side int, name string) []int32 {
	if !f.has(name) {
		if side != 0 || c.bytes+len(name) > maxContrastBytes {
			return to
		}
		c.bytes += len(name)
	}
	return append(to, int32(f.number(name)))
}

func (f *features) count(c *contrast, of func(*sampledText) []int32) {
	n := len(f.words)
	lastUnit, lastPost, post := make([]int32, n), make([]int32, n), int32(0)
	for side := range c.sides {
		t := &c.sides[side]
		f.posts[side], f.authors[side] = make([]int32, n), make([]int32, n)
		for i := range t.posts {
			unit := t.posts[i].unit
			post++
			for _, k := range of(&t.posts[i]) {
				if lastPost[k] != post {
					lastPost[k] = post
					f.posts[side][k]++
				}
				if lastUnit[k] != unit {
					lastUnit[k] = unit
					f.authors[side][k]++
				}
			}
		}
	}
}

// score returns the log-odds of a feature by authors.
func (c *contrast) score(f *features, k int) float64 {
	if c.isNew(f, k) {
		return newness(float64(f.authors[0][k]))
	}
	t := c.tally(f, k)
	return logOdds(t.y, t.n, t.y0, t.n0)
}

// tally returns the authors that the score of a feature is based on.
func (c *contrast) tally(f *features, k int) shareTally {
	if t, ok := f.within[int32(k)]; ok {
		return t
	}
	return shareTally{float64(f.authors[0][k]), c.sides[0].units, float64(f.authors[1][k]), c.sides[1].units}
}

// isNew reports whether a feature is new because there are hardly any other posts.
func (c *contrast) isNew(f *features, k int) bool {
	return f.authors[1][k] == 0 && isQuiet(float64(c.sides[1].total), c.scale)
}

// driver returns a feature with its number of posts, extrapolated from the samples.
func (c *contrast) driver(f *features, k int, score float64) Driver {
	extrapolate := func(side int) float64 {
		t := &c.sides[side]
		if len(t.posts) == 0 {
			return 0
		}
		return float64(f.posts[side][k]) * float64(t.total) / float64(len(t.posts))
	}
	return Driver{
		Name: strings.Clone(f.wordIndex.words[k]), Posts: int64(math.Round(extrapolate(0))), Expected: extrapolate(1) * c.scale, Score: score,
	}
}

// minAuthors returns the minimum number of authors that must use a feature.
func (c *contrast) minAuthors() int32 {
	return int32(max(minDriverPosts, math.Ceil(minDriverShare*c.sides[0].units)))
}

// numbers returns the over-represented features, most over-represented first.
func (c *contrast) numbers(f *features, accept func(name string, authors int32) bool) (numbers []int32) {
	scores := map[int32]float64{}
	for k, n := range f.authors[0] {
		if n < c.minAuthors() || !accept(f.words[k], n) {
			continue
		}
		if score := c.score(f, k); score >= minDriverScore {
			scores[int32(k)] = score
			numbers = append(numbers, int32(k))
		}
	}
	slices.SortFunc(numbers, func(a, b int32) int {
		return cmp.Or(cmp.Compare(scores[b], scores[a]), strings.Compare(f.words[a], f.words[b]))
	})
	return numbers
}

// isTopical reports whether a word may say what posts are about. All posts of a monitor have the
// words that it searches for.
func (c *contrast) isTopical(word string, authors int32) bool {
	return !c.searched[word] && strings.Trim(word, "_") == word && c.stop.isMeaningful(word, int64(authors))
}

// drivers returns what is over-represented in selections of the posts of m that fillContrast has
// compared. If all of them were read, it counts words and phrases again, so that a query for them
// finds as many posts: it also finds words with accents or a sigil, and those at the end of long texts.
func (s *Service) drivers(ctx context.Context, m *earshot.Monitor, c *contrast, of []poststore.Selection) (Drivers, error) {
	d := c.drivers()
	if c.estimated {
		return d, nil
	}
	for _, list := range [][]Driver{d.Words, d.Phrases} {
		for i := range list {
			list[i].Posts = 0
			for _, sel := range of {
				sel, err := withKeywords(m, sel, `"`+list[i].Name+`"`)
				if err != nil {
					return d, err
				}
				n, err := s.countSelected(ctx, sel)
				if err != nil {
					return d, err
				}
				list[i].Posts += n
			}
		}
	}
	return d, nil
}

func (c *contrast) drivers() Drivers {
	list := func(f *features, accept func(string, int32) bool) (drivers []Driver) {
		for _, k := range c.numbers(f, accept) {
			if drivers = append(drivers, c.driver(f, int(k), c.score(f, int(k)))); len(drivers) == maxDrivers {
				break
			}
		}
		return drivers
	}
	all := func(string, int32) bool { return true }
	return Drivers{
		Words:      list(&c.words, c.isTopical),
		Phrases:    list(&c.phrases, all),
		Links:      list(&c.links, all),
		Hashtags:   c.names[poststore.ByHashtag],
		Sites:      c.names[poststore.BySite],
		Authors:    c.names[poststore.ByAuthor],
		Languages:  c.names[poststore.ByLanguage],
		Countries:  c.names[poststore.ByCountry],
		Sources:    c.names[poststore.BySource],
		Sentiments: c.names[poststore.BySentiment],
	}
}

// contrastDims are the dimensions whose keys are compared. All posts are counted.
var contrastDims = []poststore.Dim{
	poststore.ByHashtag, poststore.BySite, poststore.ByAuthor, poststore.ByLanguage, poststore.ByCountry, poststore.BySource, poststore.BySentiment,
}

// contrastNames compares the keys of dimensions. Posts of others times scale are the expectation.
func (s *Service) contrastNames(ctx context.Context, c *contrast, of, others []poststore.Selection, scale float64) error {
	counts := [2][]map[string]int64{}
	var totals [2]int64
	for side, list := range [][]poststore.Selection{of, others} {
		counts[side] = make([]map[string]int64, len(contrastDims))
		ts := []poststore.Tally{{}}
		for i, d := range contrastDims {
			counts[side][i] = map[string]int64{}
			t := topBy(d, contrastedNames)
			if side == 1 {
				for key, posts := range counts[0][i] {
					if mayDrive(posts, float64(totals[0])) {
						t.IncludeKeys = append(t.IncludeKeys, key)
					}
				}
				t.Top = 1
			}
			ts = append(ts, t)
		}
		for _, sel := range list {
			rows, err := s.Store.Tallies(ctx, sel, ts)
			if err != nil {
				return err
			}
			totals[side] += rows[0][0].Posts
			for i := range contrastDims {
				for _, row := range rows[i+1] {
					counts[side][i][row.Key[0]] += row.Posts
				}
			}
		}
	}
	for i, d := range contrastDims {
		c.names[d] = contrastKeys(counts[0][i], counts[1][i], float64(totals[0]), float64(totals[1]), scale)
	}
	return nil
}

// contrastKeys returns the over-represented keys.
func contrastKeys(y, y0 map[string]int64, n, n0, scale float64) (drivers []Driver) {
	for name, posts := range y {
		score := logOdds(float64(posts), n, float64(y0[name]), n0)
		if y0[name] == 0 && isQuiet(n0, scale) {
			score = newness(float64(posts))
		}
		if mayDrive(posts, n) && score >= minDriverScore {
			drivers = append(drivers, Driver{Name: name, Posts: posts, Expected: float64(y0[name]) * scale, Score: score})
		}
	}
	slices.SortFunc(drivers, func(a, b Driver) int { return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.Name, b.Name)) })
	return drivers[:min(len(drivers), maxDrivers)]
}

// mayDrive reports whether posts of n are enough for a driver.
func mayDrive(posts int64, n float64) bool {
	return posts >= minDriverPosts && float64(posts) >= minDriverShare*n
}
