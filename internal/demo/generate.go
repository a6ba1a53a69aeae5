// Package demo makes the world that the demonstration shows: some months of
// posts about three invented makers of coffee machines and about everyday life,
// in ten languages and on thirteen networks. Nothing in it comes from real
// posts, companies or people, and the same Generator always tells the same story:
// a calm start, the launch of a new machine, and later a recall that goes badly.
//
// Sentences are built from the templates in text/, one file a language.
package demo

import (
	"iter"
	"math/rand/v2"
	"slices"
	"time"

	"earshot"
)

// The brands that posts are about. Brand owns the accounts below.
const (
	Brand       = "Morvessa"
	FirstRival  = "Kelvarro"
	SecondRival = "Ostrinde"
)

// The brand's own accounts.
const (
	TwitterHandle   = "MorvessaCoffee"
	InstagramHandle = "morvessacoffee"
	FacebookPageID  = "108842215550199"
)

// DefaultPerDay is how many posts an ordinary day has unless a Generator says
// otherwise.
const DefaultPerDay = 600

// A Generator describes the posts to make. Equal Generators make equal posts.
type Generator struct {
	Seed   uint64
	Days   int
	End    time.Time // exclusive; posts lie in the Days times 24 hours before it
	PerDay int       // of an ordinary day; 0 means DefaultPerDay
}

// Posts returns the posts in the order of their times. Guids are unique; what a
// post replies to or repeats has come before it. One day of posts is held in
// memory at a time, and the sequence may be walked more than once.
func (g Generator) Posts() iter.Seq[earshot.Post] {
	return func(yield func(earshot.Post) bool) {
		c := g.calendar()
		w := &writer{
			people:  newPopulation(g.random(populationStream)),
			recent:  map[earshot.Source]*recentPosts{},
			numbers: sequence{},
		}
		for day := range g.Days {
			w.r = g.random(uint64(day))
			for _, d := range w.plan(c, day) {
				if !yield(w.write(d)) {
					return
				}
			}
		}
	}
}

// populationStream is the random stream of the authors; the days have theirs
// from 0 on.
const populationStream = 1 << 63

// random returns the stream of random numbers that belongs to a part of the
// story, so that what one part draws does not change another.
func (g Generator) random(stream uint64) *rand.Rand {
	return rand.New(rand.NewPCG(g.Seed, stream))
}

// A draft is a post that is planned but not yet written.
type draft struct {
	at     time.Time
	source earshot.Source
	by     *author
	topic  topic
	// section is where the brand's own words for the day are; others find theirs
	// by topic.
	section string
}

// topic is what a post is about.
type topic int

const (
	chatter topic = iota // everyday life
	machines
	launch
	crisis
	ownVoice // the brand's own accounts
)

// plan decides who posts what and when on a day, in the order of time.
func (w *writer) plan(c calendar, day int) []draft {
	var drafts []draft
	for range c.ordinary(w.r, day) {
		drafts = append(drafts, w.draft(c, day, w.ordinaryTopic))
	}
	for t, extra := range c.extra(day) {
		for range extra {
			drafts = append(drafts, w.draft(c, day, func(earshot.Source) topic { return t }))
		}
	}
	drafts = append(drafts, w.ownDrafts(c, day)...)
	slices.SortStableFunc(drafts, func(a, b draft) int { return a.at.Compare(b.at) })
	return drafts
}

func (w *writer) draft(c calendar, day int, topicOn func(earshot.Source) topic) draft {
	source := c.source(w.r, day)
	by := w.people.pick(w.r, source)
	return draft{
		at:     c.postTime(w.r, day, source, by.home),
		source: source,
		by:     by,
		topic:  topicOn(source),
	}
}

// ordinaryTopic says what a post of an ordinary day is about. Reviews are always
// of machines.
func (w *writer) ordinaryTopic(s earshot.Source) topic {
	if s == earshot.Reviews || w.r.Float64() < 0.62 {
		return machines
	}
	return chatter
}
