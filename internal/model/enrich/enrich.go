// Package enrich completes posts with what can be told from them: facts of their text
// (site, hashtags, mentions, cashtags, links, whom they answer), and what models tell
// (language, place, gender and age of the author, sentiment, emotion, interests, what
// images show). Each enricher fills only what the post does not already say, and the
// same post always comes out the same.
package enrich

import (
	"slices"
	"sync/atomic"

	"earshot"
)

// An Enricher completes posts. It is safe for parallel use on different posts.
type Enricher struct {
	steps        []func(*earshot.Post) // in this order: a later one may use what an earlier one filled
	custom       CustomModels
	modelVersion atomic.Uint32 // what posts note that are completed
}

// New returns an Enricher with the models that are part of the program.
func New() *Enricher { return NewWith(CustomModels{}) }

// NewWith returns an Enricher that also asks models that an operator brings.
func NewWith(custom CustomModels) *Enricher {
	m, e := builtIn(), Facts()
	custom.lastWarning = new(atomic.Int64)
	e.custom = custom
	e.modelVersion.Store(Version)
	e.steps = append(e.steps,
		m.fillLanguage,
		fillPlace,
		m.fillDemographics,
		m.fillSentiment,
		custom.fillSentiment,
		m.fillInterests,
		m.fillImages,
		e.fillInferredBy,
	)
	return e
}

// Facts returns an Enricher that asks no models: it spells out what a post says itself.
func Facts() *Enricher {
	return &Enricher{steps: []func(*earshot.Post){
		fillSite,
		fillHashtags,
		fillMentions,
		fillCashtags,
		fillLinks,
		fillUsername,
		fillEngagement,
		fillEngagingWith,
	}}
}

// Post completes a post in place. What it may have been told by models before stays.
func (e *Enricher) Post(p *earshot.Post) {
	for _, step := range e.steps {
		step(p)
	}
}

// All completes posts in place.
func (e *Enricher) All(posts []earshot.Post) {
	for i := range posts {
		e.Post(&posts[i])
	}
}

// Reinfer completes posts anew that older models have seen.
func (e *Enricher) Reinfer(posts []earshot.Post) {
	e.ClearInferred(posts)
	e.All(posts)
}

// ClearInferred takes from posts what models told, and leaves what they state.
func (e *Enricher) ClearInferred(posts []earshot.Post) {
	for i := range posts {
		clearInferred(&posts[i])
	}
}

// clearInferred takes from a post what models told.
func clearInferred(p *earshot.Post) {
	if p.Inferred&earshot.InferredLanguage != 0 {
		p.Language = ""
	}
	if p.Inferred&earshot.InferredGender != 0 {
		p.Gender = ""
	}
	if p.Inferred&earshot.InferredPlace != 0 {
		p.Place = earshot.Place{}
	}
	if p.Inferred&earshot.InferredImages != 0 {
		p.Images = slices.Clone(p.Images) // they may be shared with the caller
		for i := range p.Images {
			p.Images[i].Brands, p.Images[i].Objects = nil, nil
		}
	}
	p.AgeGroup, p.Sentiment, p.Emotion = 0, earshot.Sentiment{}, earshot.Emotion{}
	p.Interests, p.AuthorInterests, p.Inferred, p.InferredBy = nil, nil, 0, 0
}
