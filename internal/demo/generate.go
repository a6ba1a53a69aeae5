// Package demo generates the data of the demo: months of posts about three fictional makers of
// coffee machines and about everyday life, in ten languages and on thirteen networks. No data comes
// from real posts, companies or people, and equal Generators generate equal posts. They tell a
// story: a quiet start, the launch of a new machine, a recall that goes badly, and in the last
// complete week an update that makes people pay for what their machines could do before.
//
// Sentences are built from the templates in text/, which has one file per language. Posts are generated
// rather than shipped: docs/decisions/0076-demo-posts.md.
package demo

import (
	"iter"
	"math/rand/v2"
	"slices"
	"time"

	"earshot"
)

// The brands that posts mention. Brand owns the accounts below.
const (
	Brand       = "Morvessa"
	FirstRival  = "Kelvarro"
	SecondRival = "Ostrinde"
)

// The accounts of the rivals.
const (
	FirstRivalHandle  = "KelvarroHome"
	SecondRivalHandle = "OstrindeNord"
)

// The brand's own accounts.
const (
	TwitterHandle   = "MorvessaCoffee"
	InstagramHandle = "morvessacoffee"
	FacebookPageID  = "108842215550199"
)

// DefaultPerDay is the number of posts on a normal day if Generator.PerDay is 0.
const DefaultPerDay = 600

// A Generator describes the posts to generate. Equal Generators generate equal posts.
type Generator struct {
	Seed   uint64
	Days   int
	End    time.Time // exclusive; posts are in the Days times 24 hours before it
	PerDay int       // posts on a normal day; 0 means DefaultPerDay

	// Pictures makes images refer to pictures that [Picture] serves, and leaves it to Earshot to find
	// out what they show. Otherwise posts state what images show, and the images do not exist.
	Pictures bool
}

// Posts yields the posts in order of time. Guids are unique, and replies and reposts follow the
// post they refer to. One day of posts is in memory at a time. The sequence can be iterated more
// than once.
func (g Generator) Posts() iter.Seq[earshot.Post] {
	return func(yield func(earshot.Post) bool) {
		c := g.calendar()
		w := &writer{
			people:    newPopulation(g.random(populationStream)),
			recent:    map[earshot.Source]*recentPosts{},
			published: map[*plantedPost]*earshot.Post{},
			numbers:   sequence{},
			pictures:  g.Pictures,
		}
		w.story = w.planPaywall(g.random(paywallStream), c)
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

// populationStream is the random stream for authors. Days use streams from 0 on.
const populationStream = 1 << 63

// random returns the random stream of a part of the story. Separate streams keep the parts
// independent of each other.
func (g Generator) random(stream uint64) *rand.Rand {
	return rand.New(rand.NewPCG(g.Seed, stream))
}

// A draft is a post that is planned but not yet written.
type draft struct {
	at     time.Time
	source earshot.Source
	by     *author
	topic  topic
	// section is the grammar section for the brand's own posts of the day. Other posts find theirs
	// by topic.
	section string

	// planted is the post of the paywall that this post is or refers to; nil if it does not.
	planted  *plantedPost
	reaction reaction
}

// topic is the subject of a post.
type topic int

const (
	chatter topic = iota // everyday life
	machines
	launch
	crisis
	paywall   // what the subscription is about
	switching // to a rival, because of it
	ownVoice  // the accounts of the brands
)

// plan decides who posts what and when on a day, in order of time.
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
	next := c.start.Add(time.Duration(day+1) * 24 * time.Hour)
	for len(w.story) > 0 && w.story[0].at.Before(next) {
		drafts, w.story = append(drafts, w.story[0]), w.story[1:]
	}
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

// ordinaryTopic picks the topic of a post on a normal day. Reviews are always about machines.
func (w *writer) ordinaryTopic(s earshot.Source) topic {
	if s == earshot.Reviews || w.r.Float64() < 0.62 {
		return machines
	}
	return chatter
}
