package bench

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"earshot"
	"earshot/internal/model/stopword"
	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
	"earshot/internal/query"
)

// A trialKind is what happens in a trial.
type trialKind string

const (
	storyTrial    trialKind = "a story"
	usualTrial    trialKind = "no spike"
	moreTrial     trialKind = "more of the same"
	spamTrial     trialKind = "spam"
	languageTrial trialKind = "more in one language"
)

// trialsWithout are the kinds of trials without a story.
var trialsWithout = []trialKind{usualTrial, moreTrial, spamTrial, languageTrial}

// trialWeeks is the number of weeks before the period of a trial.
const trialWeeks = 4

// A trial is a monitor with the posts of a period and of the same hours of the weeks before. Other
// posts do not matter to an explanation.
type trial struct {
	kind     trialKind
	language string // of ordinary posts; "" for all languages
	perHour  float64
	hours    int
	size     float64 // posts of the period as a multiple of the usual number
	from, to time.Time
	keyword  string
	terms    []string // of the story
	planted  int      // posts that are not ordinary
	matched  []poststore.MatchedPost

	*trialLanguage
	random *rand.Rand
	write  writer
	number int // of posts
}

// A trialWorld has the texts of all trials.
type trialWorld struct {
	perHour float64 // maximum
	all     *trialLanguage
	by      map[string]*trialLanguage
	weights []string // languages with a vocabulary; the most frequent ones several times
}

// A trialLanguage is the posts of a sample in one language, or in all.
type trialLanguage struct {
	name   string
	sample *Sample
	terms  []trialTerm // that stories can have
	posts  map[string]int
}

// A trialTerm is a word that posts of a sample have.
type trialTerm struct {
	key  string
	text string // as it is written
}

const (
	minPerHour, maxPerHour = 5, 500 // usual posts

	minTrialTerms = 200  // words that a language needs to have
	maxTrialTerm  = 0.03 // share of ordinary posts that have a term
	trialKeyword  = "coffee"
	trialAuthors  = 10 // ordinary posts per author in four weeks
	botPercent    = 20 // of trials: an author always posts the same
)

func newTrialWorld(sample *Sample, perHour float64) (*trialWorld, error) {
	w := &trialWorld{perHour: perHour, by: map[string]*trialLanguage{}}
	counts := map[string]int{}
	for i := range sample.drafts {
		counts[sample.drafts[i].language]++
	}
	w.all = newTrialLanguage("", sample)
	for _, language := range slices.Sorted(maps.Keys(counts)) {
		if language == "" || counts[language] < minTrialTerms {
			continue
		}
		l := newTrialLanguage(language, sample.in(language))
		if len(l.terms) < minTrialTerms {
			continue
		}
		w.by[language] = l
		for range int(math.Sqrt(float64(counts[language])/minTrialTerms)) + 1 {
			w.weights = append(w.weights, language)
		}
	}
	if len(w.by) == 0 {
		return nil, fmt.Errorf("the sample %s has too few posts", sample.Name)
	}
	return w, nil
}

// in returns the part of a sample in a language.
func (s *Sample) in(language string) *Sample {
	part := &Sample{Name: s.Name, handles: s.handles, homes: s.homes}
	kindred := new(alternatives)
	for _, d := range s.drafts {
		if d.language == language {
			kindred.drafts = append(kindred.drafts, int32(len(part.drafts)))
			d.kindred = kindred
			part.drafts = append(part.drafts, d)
		}
	}
	return part
}

// newTrialLanguage counts the words of a sample.
func newTrialLanguage(name string, sample *Sample) *trialLanguage {
	l := &trialLanguage{name: name, sample: sample, posts: map[string]int{}}
	var doc query.Document
	for i := range sample.drafts {
		seen := map[string]bool{}
		walkWords(&doc, sample.drafts[i].contents, func(key string) {
			if !seen[key] {
				seen[key] = true
				l.posts[key]++
			}
		})
	}
	if name == "" {
		return l
	}
	stop, seen := stopword.Of("en", name), map[string]bool{trialKeyword: true}
	for i := range sample.drafts {
		d := &sample.drafts[i]
		for _, s := range d.words {
			text := s.of(d.contents)
			key := wordKey(&doc, text)
			if n := utf8.RuneCountInString(text); key == "" || seen[key] || n < 4 || n > 16 || stop.Has(key) {
				continue
			}
			seen[key] = true
			if float64(l.posts[key]) <= maxTrialTerm*float64(len(sample.drafts)) {
				l.terms = append(l.terms, trialTerm{key, text})
			}
		}
	}
	return l
}

// walkWords visits the words of a text as queries see them.
func walkWords(doc *query.Document, text string, visit func(key string)) {
	doc.Reset(&earshot.Post{Contents: text})
	enginekit.WalkKeys(doc, func(k query.KeyToken) { visit(string(k.Text)) })
}

// wordKey returns a word as queries see it, or "" if it is not a single word to them.
func wordKey(doc *query.Document, text string) (key string) {
	n := 0
	walkWords(doc, text, func(k string) { key, n = k, n+1 })
	if n != 1 {
		return ""
	}
	return key
}

// draw draws a trial of a kind.
func (w *trialWorld) draw(kind trialKind, seed, number, draw uint64) *trial {
	random := rand.New(rand.NewPCG(seed<<32+number, draw))
	t := &trial{
		kind: kind, random: random, keyword: trialKeyword, size: 1,
		perHour: logBetween(random, minPerHour, w.perHour),
		hours:   int(math.Round(logBetween(random, 1, 24))),
	}
	if kind != usualTrial {
		t.size = logBetween(random, 1.5, 10)
	}
	told := w.by[w.weights[random.IntN(len(w.weights))]] // language of the story
	t.trialLanguage = told
	if kind == languageTrial || random.IntN(3) == 0 {
		t.trialLanguage = w.all
	}
	t.language = t.trialLanguage.name
	t.from = firstDay.AddDate(0, 0, 7*trialWeeks+random.IntN(7)).Add(time.Duration(random.IntN(24)) * time.Hour)
	t.to = t.from.Add(time.Duration(t.hours) * time.Hour)

	if t.size > 1 {
		t.planted = poisson(random, (t.size-1)*t.usual(t.from, t.to))
	}
	t.write = writer{g: &Generator{Sample: t.sample, Seed: mix(seed ^ mix(number<<20+draw)), Count: t.authors(), From: firstDay, Span: time.Hour}}
	t.addUsual()
	t.addSpike(told)
	return t
}

// usual returns the usual number of posts in full hours. There are three times as many in the evening
// as in the morning.
func (t *trial) usual(from, to time.Time) (posts float64) {
	for at := from; at.Before(to); at = at.Add(time.Hour) {
		posts += t.perHour * (1 + 0.5*math.Sin(2*math.Pi*float64(at.Hour()-12)/24))
	}
	return posts
}

// addUsual adds the ordinary posts of the period and of the same hours of the weeks before. Their
// level varies by about a tenth. It adds those of the days around, too, if an explanation of so few
// posts reads them.
func (t *trial) addUsual() {
	bot, around := t.newBot(), 0
	if trialWeeks*t.usual(t.from, t.to) < 600 {
		around = 3
	}
	for week := range trialWeeks + 1 {
		from, to := t.from.AddDate(0, 0, -7*week), t.to.AddDate(0, 0, -7*week)
		level := math.Exp(0.1 * t.random.NormFloat64())
		if week > 0 {
			from, to = from.AddDate(0, 0, -around), to.AddDate(0, 0, around)
		}
		for ; from.Before(to); from = from.Add(time.Hour) {
			for range poisson(t.random, level*t.usual(from, from.Add(time.Hour))) {
				p := t.ordinary(t.sample)
				if bot != nil && t.random.IntN(20) == 0 {
					p = t.same(bot)
				}
				p.Time = from.Add(time.Duration(t.random.IntN(3600)) * time.Second)
				t.add(p)
			}
		}
	}
}

// at returns a random time of the period.
func (t *trial) at() time.Time {
	return t.from.Add(time.Duration(t.random.IntN(t.hours*3600)) * time.Second)
}

func (t *trial) add(p earshot.Post) {
	t.matched = append(t.matched, poststore.MatchedPost{Post: p, Sets: []poststore.SetID{testMonitor}})
}

// ordinary returns an ordinary post of the period in the language of a sample.
func (t *trial) ordinary(sample *Sample) (p earshot.Post) {
	t.write.g.Sample = sample
	t.write.write(&p, t.number)
	t.number++
	t.sign(&p, 0)
	p.Time = t.at()
	return p
}

// authors returns the number of authors of ordinary posts. Some post much more than others.
func (t *trial) authors() int { return int(t.perHour * 24 * 7 * trialWeeks / trialAuthors) }

// sign sets the author of a post: one of a group, some of whom post more than others.
func (t *trial) sign(p *earshot.Post, group int) {
	n := t.random.IntN(t.authors())
	if t.random.IntN(4) == 0 {
		n /= 10
	}
	by := t.write.g.person(group*t.authors() + n)
	by.sign(p)
}

// newBot returns a post that an author repeats all the time, or nil.
func (t *trial) newBot() *earshot.Post {
	if t.random.IntN(100) >= botPercent {
		return nil
	}
	p := t.ordinary(t.sample)
	p.Author, p.AuthorUsername = "dailybot", "dailybot"
	return &p
}

// same returns a copy of a post in the period.
func (t *trial) same(of *earshot.Post) earshot.Post {
	p := *of
	p.GUID, p.Time = fmt.Sprint(of.GUID, "-", len(t.matched)), t.at()
	return p
}

// addSpike adds what happens in the period.
func (t *trial) addSpike(told *trialLanguage) {
	switch t.kind {
	case storyTrial:
		t.addStory(told)
	case moreTrial:
		for range t.planted {
			t.add(t.ordinary(t.sample))
		}
	case languageTrial:
		for range t.planted {
			t.add(t.ordinary(told.sample))
		}
	case spamTrial:
		t.addSpam()
	}
}

// addSpam adds posts of one to three accounts with the same text, or with almost the same.
func (t *trial) addSpam() {
	accounts, varied := 1+t.random.IntN(3), t.random.IntN(2) == 0
	p := t.ordinary(t.sample)
	for range t.planted {
		q := p
		if varied {
			q.Contents += " " + t.ordinary(t.sample).Contents
		}
		q.Author = fmt.Sprint("offers", t.random.IntN(accounts))
		q.AuthorUsername = q.Author
		t.add(t.same(&q))
	}
}

// addStory adds posts about a story in a language.
func (t *trial) addStory(told *trialLanguage) {
	terms := t.drawTerms(told)
	often := 40 + t.random.IntN(56) // percent of posts that have a term
	retweeted, linked := t.random.IntN(50), t.random.IntN(50)
	link := fmt.Sprintf("https://news.example/%d", t.random.IntN(1e6))
	var originals []earshot.Post
	for range t.planted {
		if len(originals) > 0 && t.random.IntN(100) < retweeted {
			i := t.random.IntN(len(originals))
			if t.random.IntN(3) == 0 { // some are retweeted more than others
				i /= 5
			}
			t.addRetweet(&originals[i])
			continue
		}
		p := t.ordinary(told.sample)
		t.sign(&p, 1)
		words := strings.Fields(p.Contents)
		for _, k := range t.chosen(len(terms), often) {
			i, text := t.random.IntN(len(words)+1), terms[k].text
			switch t.random.IntN(20) {
			case 0:
				p.Hashtags = append(slices.Clone(p.Hashtags), strings.ToLower(text))
				text = "#" + text
			case 1:
				text = strings.ToUpper(text)
			case 2, 3:
				text += "."
			}
			words = slices.Insert(words, i, text)
		}
		if t.random.IntN(100) < linked {
			words = append(words, link)
			p.Links = append(slices.Clone(p.Links), link)
		}
		p.Contents = strings.Join(words, " ")
		originals = append(originals, p)
		t.add(p)
	}
}

// addRetweet adds a retweet of a post.
func (t *trial) addRetweet(of *earshot.Post) {
	p := t.same(of)
	t.sign(&p, 1)
	p.Engagement, p.EngagingWith, p.ParentGUID = earshot.Retweet, of.AuthorUsername, of.GUID
	p.Contents = "RT @" + of.AuthorUsername + ": " + of.Contents
	p.Mentions = append(slices.Clone(p.Mentions), of.AuthorUsername)
	t.add(p)
}

// chosen returns which of n terms a post has, at least two of them.
func (t *trial) chosen(n, percent int) (list []int) {
	order := t.random.Perm(n)
	for i, k := range order {
		if i < 2 || t.random.IntN(100) < percent {
			list = append(list, k)
		}
	}
	return list
}

// drawTerms draws three to six terms of a story: names that nobody used before, rare words and words
// that up to three percent of ordinary posts have.
func (t *trial) drawTerms(told *trialLanguage) (terms []trialTerm) {
	var doc query.Document
	for n := 3 + t.random.IntN(4); len(terms) < n; {
		term := told.terms[t.random.IntN(len(told.terms))]
		if t.random.IntN(5) < 2 {
			a, b := []rune(term.text), []rune(told.terms[t.random.IntN(len(told.terms))].text)
			term.text = string(a[:len(a)/2+1]) + strings.ToLower(string(b[len(b)/2:]))
			if term.key = wordKey(&doc, term.text); told.posts[term.key] > 0 || t.posts[term.key] > 0 {
				continue
			}
		}
		if term.key == "" || slices.Contains(t.terms, term.key) || stopword.Of("en", told.name).Has(term.key) {
			continue
		}
		terms, t.terms = append(terms, term), append(t.terms, term.key)
	}
	return terms
}

// logBetween draws a number whose logarithm is uniform between those of two others.
func logBetween(r *rand.Rand, low, high float64) float64 {
	return low * math.Pow(high/low, r.Float64())
}

// poisson draws from a Poisson distribution.
func poisson(r *rand.Rand, mean float64) int {
	if mean > 200 {
		return max(0, int(math.Round(mean+math.Sqrt(mean)*r.NormFloat64())))
	}
	n := 0
	for p := r.Float64(); p > math.Exp(-mean); p *= r.Float64() {
		n++
	}
	return n
}
