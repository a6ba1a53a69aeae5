package insight

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
	"earshot/internal/query/filter"
)

// Voices are the authors who drove the posts of a period. docs/management.md describes how they are
// found.
type Voices struct {
	From, To   time.Time // the part of the requested period that is over and has results
	Story      *Story    // the subject that First is about; nil: all posts
	First      []Voice   // earliest post first, without authors who only repeat others
	Engagement []Voice   // most interactions with their posts of the period first
	Reach      []Voice   // most followers first
	Copied     []Voice   // most copied first: posts of others with the same text, or that share or retweet theirs
	Estimated  bool      // whether Copied is extrapolated from a sample
}

// A Voice is an author of posts in a period. An author of several networks is several voices.
type Voice struct {
	Name       string // as shown, or the site of posts that state no author
	Username   string // as the author's page has it; empty if posts state no author
	Source     earshot.Source
	Role       VoiceRole
	Posts      int64
	Engagement int64         // likes, shares, comments, replies and retweets of all posts but retweets
	Copies     int64         // posts of others
	Followers  earshot.Count // as of the newest post that states it
	First      time.Time     // of the first post in the period or, in Voices.First, of the first about the story
	Top        *earshot.Post // with the most engagement
}

// A VoiceRole is what an author has to do with the brand.
type VoiceRole string

const (
	RoleUnknown  VoiceRole = ""
	RoleOwn      VoiceRole = "own"      // one of the brand's own accounts
	RolePress    VoiceRole = "press"    // a news site, or an account with the name of one
	RoleCustomer VoiceRole = "customer" // the author of a review or of an answer in a survey
)

// Limits of voices.
const (
	maxVoices     = 10     // of each list
	voiceSample   = 20_000 // posts that are read; of a period with more, copies are extrapolated
	voiceRows     = 30     // authors with the most of each kind of interaction, in a period with more posts
	firstPosts    = 300    // whose authors may be in First
	minStartPosts = 3      // of an hour before an incident in which its story may have begun
	minCopyWords  = 4      // of a text that others copy; shorter ones are alike by chance
	newsSites     = 500    // whose names make an account one of the press
)

// A VoicesRequest selects the posts.
type VoicesRequest struct {
	From, To time.Time // To is exclusive

	// Incident is set if the period is one, as in [ExplainRequest].
	Incident *Incident

	// Before is how long before From the first posts about the story may be. The first hour of an
	// incident can be too quiet to be unusual.
	Before time.Duration

	// Refine resolves the refinement for the current categorization. Filter identifies the
	// refinement; it is empty if there is none.
	Filter string
	Refine func(filter.Categories) (poststore.Selection, error)
}

// Voices returns the authors who drove the posts of m in a period. The result is cached, so the caller
// must not modify it.
func (s *Service) Voices(ctx context.Context, m *earshot.Monitor, r VoicesRequest) (v *Voices, err error) {
	if !r.From.Before(r.To) || r.To.Sub(r.From) > maxDays*24*time.Hour {
		return nil, earshot.Errorf(earshot.Invalid, "The selected range must have from 1 to %d days", maxDays)
	}
	var story *Story
	if r.To.Sub(r.From) <= maxPeriod {
		e, err := s.Explain(ctx, m, ExplainRequest{From: r.From, To: r.To, Incident: r.Incident, Filter: r.Filter, Refine: r.Refine})
		if err != nil {
			return nil, err
		}
		if e.Cause == CauseSingle {
			story = &e.Stories[0]
		}
	}
	err = s.WithCategorization(ctx, m, func(c Categorization) error {
		var sel poststore.Selection
		if r.Filter != "" {
			if sel, err = r.Refine(c); err != nil {
				return err
			}
		}
		x := &explainer{Service: s, monitor: m, refinement: sel, result: &Explanation{}}
		x.setPeriods(r.From, r.To)
		f := &voiceFinder{Service: s, monitor: m, before: r.Before, all: x.selection(x.result.From, x.result.To), result: &Voices{From: x.result.From, To: x.result.To, Story: story}}
		if !f.all.From.Before(f.all.To) {
			v = f.result
			return nil
		}
		var own []string
		if s.OwnAccounts != nil {
			own = s.OwnAccounts(m)
		}
		f.own = map[string]bool{}
		for _, name := range own {
			f.own[earshot.AccountName(name)] = true
		}
		key := fmt.Sprintf("%d %s %q %q %q", c.ModelID, r.Before, r.Filter, m.Timezone, own)
		if story != nil {
			key += story.Query
		}
		v, err = memoize(ctx, s.Store, &s.voices, f.all, key, func() (*Voices, error) { return f.find(ctx) })
		return err
	})
	return v, err
}

func (v *Voices) size() int {
	bytes := 8 << 10
	for _, list := range [][]Voice{v.First, v.Engagement, v.Reach, v.Copied} {
		for i := range list {
			if bytes += 256; list[i].Top != nil {
				bytes += postSize(list[i].Top)
			}
		}
	}
	return bytes
}

// A voiceKey identifies an author on a network or, of posts that state none, a site.
type voiceKey struct {
	source       earshot.Source
	author, site string // author as enginekit.AuthorKey returns it
}

func voiceOf(p *earshot.Post) voiceKey {
	k := voiceKey{source: p.Source, author: enginekit.AuthorKey(p)}
	if k.author == "" {
		k.site = p.Site
	}
	return k
}

// A voiceFinder finds voices.
type voiceFinder struct {
	*Service
	monitor *earshot.Monitor
	before  time.Duration
	all     poststore.Selection
	own     map[string]bool // as earshot.AccountName has them
	press   map[string]bool // names of news sites, as siteName returns them
	result  *Voices
	voices  map[voiceKey]*heard
	copies  map[voiceKey]float64
}

// A heard voice is the posts of an author that were read so far.
type heard struct {
	Voice
	stated time.Time // of the post that Followers is from
	top    earshot.PostKey
	most   int64 // engagement of top
}

func (f *voiceFinder) find(ctx context.Context) (*Voices, error) {
	if err := f.findPress(ctx); err != nil {
		return nil, err
	}
	first, err := f.findFirst(ctx)
	if err != nil {
		return nil, err
	}
	if err := f.read(ctx, first); err != nil {
		return nil, err
	}
	for i := range first {
		if first[i].Time.Before(f.all.From) {
			f.hear(&first[i])
		}
	}
	v := f.result
	rank := func(of func(*Voice) float64) (list []Voice) {
		for k, h := range f.voices {
			if h.Copies = int64(math.Round(f.copies[k])); of(&h.Voice) > 0 {
				list = append(list, h.Voice)
			}
		}
		slices.SortFunc(list, func(a, b Voice) int {
			return cmp.Or(cmp.Compare(of(&b), of(&a)), a.First.Compare(b.First), cmp.Compare(a.Source, b.Source), strings.Compare(a.Username, b.Username), strings.Compare(a.Name, b.Name))
		})
		return list[:min(len(list), maxVoices)]
	}
	v.Engagement = rank(func(v *Voice) float64 { return float64(v.Engagement) })
	v.Reach = rank(func(v *Voice) float64 { return float64(v.Followers.Int()) })
	v.Copied = rank(func(v *Voice) float64 { return float64(v.Copies) })
	for _, p := range first {
		if h := f.voices[voiceOf(&p)]; h != nil {
			voice := h.Voice
			voice.First = p.Time
			v.First = append(v.First, voice)
		}
	}
	return v, f.fillTop(ctx)
}

// findPress sets the names of the news sites among the posts.
func (f *voiceFinder) findPress(ctx context.Context) error {
	sel := f.all
	sel.Sources = []earshot.Source{earshot.News}
	rows, err := poststore.TallyOne(ctx, f.Store, sel, topBy(poststore.BySite, newsSites))
	f.press = map[string]bool{}
	for _, row := range rows {
		f.press[siteName(row.Key[0])] = true
	}
	delete(f.press, "")
	return err
}

// siteName returns the part of a site or of a username that names its owner: dailyledger for
// dailyledger.example and Daily_Ledger.
func siteName(site string) string {
	name, _, _ := strings.Cut(enginekit.RegisteredDomain(strings.ToLower(site)), ".")
	return strings.NewReplacer("-", "", "_", "").Replace(name)
}

// read reads the posts, or those of candidates if there are too many. It adds up what voices have.
func (f *voiceFinder) read(ctx context.Context, first []earshot.Post) error {
	f.voices, f.copies = map[voiceKey]*heard{}, map[voiceKey]float64{}
	c := newCopyCounter()
	total, err := f.Store.Sample(ctx, f.all, voiceSample, func(p *earshot.Post) {
		f.hear(p)
		c.add(p)
	})
	if err != nil {
		return err
	}
	if err := c.findOriginals(ctx, f); err != nil {
		return err
	}
	scale := max(1, float64(total)/voiceSample)
	for k, n := range c.count() {
		f.copies[k] = float64(n) * scale
	}
	if total <= voiceSample {
		return nil
	}
	f.result.Estimated = true
	return f.readCandidates(ctx, first)
}

// readCandidates replaces the voices of a sample by authors who may be among the first in a list, with
// all of their posts.
func (f *voiceFinder) readCandidates(ctx context.Context, first []earshot.Post) error {
	names := map[string]bool{}
	for i := range first {
		names[enginekit.AuthorKey(&first[i])] = true
	}
	copied := make([]voiceKey, 0, len(f.copies))
	for k := range f.copies {
		copied = append(copied, k)
	}
	slices.SortFunc(copied, func(a, b voiceKey) int {
		return cmp.Or(cmp.Compare(f.copies[b], f.copies[a]), strings.Compare(a.author, b.author))
	})
	for _, k := range copied[:min(len(copied), voiceRows)] {
		names[k.author] = true
	}
	var tallies []poststore.Tally
	for _, measure := range append([]poststore.Measure{poststore.Impressions}, enginekit.EngagementMeasures...) {
		tallies = append(tallies, poststore.Tally{By: []poststore.Dim{poststore.ByAuthor}, Sum: []poststore.Measure{measure}, Top: 1, TopSum: voiceRows})
	}
	rows, err := f.Store.Tallies(ctx, f.all, tallies)
	if err != nil {
		return err
	}
	for _, row := range slices.Concat(rows...) {
		names[row.Key[0]] = true
	}
	for _, order := range []poststore.Order{poststore.MostEngagement, poststore.MostReach} {
		ranked, err := f.Store.Rank(ctx, f.all, poststore.Ranking{Order: order, Limit: 10 * voiceRows})
		if err != nil {
			return err
		}
		for i := range ranked.Posts {
			names[enginekit.AuthorKey(&ranked.Posts[i].Post)] = true
		}
	}
	delete(names, "")
	having := poststore.Having{By: poststore.ByAuthor, Keys: slices.Sorted(maps.Keys(names))}
	sel := f.all
	sel.Having = append(slices.Clip(sel.Having), having)
	maps.DeleteFunc(f.voices, func(k voiceKey, _ *heard) bool { return k.author != "" })
	if _, err = f.Store.Sample(ctx, sel, voiceSample, f.hear); err != nil {
		return err
	}
	return f.countExactly(ctx, sel)
}

// countExactly sets the posts and the engagement of voices, of which only a sample may have been read.
func (f *voiceFinder) countExactly(ctx context.Context, sel poststore.Selection) error {
	by := []poststore.Dim{poststore.BySource, poststore.ByAuthor}
	posts, err := poststore.TallyOne(ctx, f.Store, sel, poststore.Tally{By: by})
	if err != nil {
		return err
	}
	sel.Except = append(slices.Clip(sel.Except), poststore.Selection{Having: []poststore.Having{{By: poststore.ByEngagement, Keys: []string{string(earshot.Retweet)}}}})
	engagement, err := poststore.TallyOne(ctx, f.Store, sel, poststore.Tally{By: by, Sum: enginekit.EngagementMeasures})
	if err != nil {
		return err
	}
	for _, row := range posts {
		if h := f.voices[voiceKey{source: earshot.Source(row.Key[0]), author: row.Key[1]}]; h != nil {
			h.Posts, h.Engagement = row.Posts, 0
		}
	}
	for _, row := range engagement {
		if h := f.voices[voiceKey{source: earshot.Source(row.Key[0]), author: row.Key[1]}]; h != nil {
			for _, n := range row.Sums {
				h.Engagement = poststore.SaturatingAdd(h.Engagement, n)
			}
		}
	}
	return nil
}

// hear adds a post to its voice. The interactions with a retweet belong to the original.
func (f *voiceFinder) hear(p *earshot.Post) {
	k := voiceOf(p)
	if k.author == "" && k.site == "" {
		return
	}
	h := f.voices[k]
	if h == nil {
		h = &heard{Voice: Voice{Source: p.Source}, most: -1}
		f.voices[k] = h
	}
	if h.First.IsZero() || p.Time.Before(h.First) {
		h.First, h.Name, h.Username = p.Time, strings.Clone(cmp.Or(k.site, displayName(p))), strings.Clone(cmp.Or(p.AuthorUsername, p.Author))
		h.Name = cmp.Or(h.Name, h.Username)
	}
	if !p.Followers.IsZero() && (h.Followers.IsZero() || p.Time.After(h.stated)) {
		h.Followers, h.stated = p.Followers, p.Time
	}
	if role := f.role(p); roleRanks[role] > roleRanks[h.Role] {
		h.Role = role
	}
	h.Posts++
	engagement := int64(0)
	if p.Engagement != earshot.Retweet {
		engagement = enginekit.Engagement(p)
		h.Engagement = poststore.SaturatingAdd(h.Engagement, engagement)
	}
	if key := p.Key(); engagement > h.most || engagement == h.most && key.GUID < h.top.GUID {
		h.most, h.top = engagement, cloneKey(key)
	}
}

// displayName returns the name in an author of the form "handle (Display Name)", or the author.
func displayName(p *earshot.Post) string {
	author := strings.TrimSpace(p.Author)
	handle, name, found := strings.Cut(author, " (")
	if name, closed := strings.CutSuffix(name, ")"); found && closed && name != "" && strings.EqualFold(handle, p.Handle()) {
		return name
	}
	return author
}

// roleRanks order the roles that the posts of an author suggest.
var roleRanks = map[VoiceRole]int{RoleCustomer: 1, RolePress: 2, RoleOwn: 3}

// role returns the role of the author of a post.
func (f *voiceFinder) role(p *earshot.Post) VoiceRole {
	for name := range p.AccountNames() {
		if f.own[name] {
			return RoleOwn
		}
	}
	var texts earshot.TextDomain
	if p.ContentSource != 0 && f.ContentDomain != nil {
		texts = f.ContentDomain(f.monitor.Team, p.Source)
	}
	switch {
	case p.Source == earshot.News || texts == earshot.NewsTexts || f.press[siteName(p.Handle())]:
		return RolePress
	case p.Source == earshot.Reviews || texts == earshot.ReviewTexts || texts == earshot.SurveyTexts || p.Rating != nil:
		return RoleCustomer
	}
	return RoleUnknown
}

// fillTop reads the top posts of voices in lists.
func (f *voiceFinder) fillTop(ctx context.Context) error {
	v := f.result
	lists := [][]Voice{v.First, v.Engagement, v.Reach, v.Copied}
	var keys []earshot.PostKey
	eachTop := func(visit func(v *Voice, top earshot.PostKey)) {
		for _, list := range lists {
			for i := range list {
				k := voiceKey{source: list[i].Source, author: strings.ToLower(list[i].Username)}
				if k.author == "" {
					k.site = list[i].Name
				}
				visit(&list[i], f.voices[k].top)
			}
		}
	}
	eachTop(func(_ *Voice, top earshot.PostKey) {
		if !slices.Contains(keys, top) {
			keys = append(keys, top)
		}
	})
	found, err := f.Store.Find(ctx, keys)
	if err != nil {
		return err
	}
	corrections, posts := f.corrections(f.monitor), map[earshot.PostKey]*earshot.Post{}
	for i := range found {
		corrections.Apply(&found[i])
		posts[found[i].Key()] = &found[i]
	}
	eachTop(func(v *Voice, top earshot.PostKey) { v.Top = posts[top] })
	return nil
}
