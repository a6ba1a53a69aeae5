// Package enrich adds attributes to posts: facts extracted from the text (site, hashtags, mentions,
// cashtags, links, the account the post engages with) and attributes inferred by models (language,
// place, gender and age of the author, sentiment, emotion, interests, image contents). Each step
// fills in only what the post does not state, and results are deterministic.
package enrich

import (
	"slices"
	"sync/atomic"

	"earshot"
	"earshot/internal/model/sentiment"
)

// An Enricher enriches posts. It is safe for concurrent use on different posts.
type Enricher struct {
	// ContentDomain returns the domain of the texts of a content source. Nil: they are like social media.
	ContentDomain func(earshot.ContentSourceID) earshot.TextDomain

	steps        []func(*earshot.Post) // in order; later steps use the results of earlier ones
	matching     int                   // number of steps after which a post can be matched
	custom       CustomModels
	modelVersion atomic.Uint32 // value of InferredBy for enriched posts
}

// New returns an Enricher with the built-in models.
func New() *Enricher { return NewWith(CustomModels{}) }

// NewWith returns an Enricher that also runs custom models.
func NewWith(custom CustomModels) *Enricher {
	m, e := builtinModels(), Facts()
	custom.lastWarning = new(atomic.Int64)
	e.custom = custom
	e.modelVersion.Store(Version)
	e.steps = append(e.steps,
		m.fillLanguage,
		fillPlace,
		m.fillDemographics,
	)
	e.matching = len(e.steps)
	e.steps = append(e.steps,
		func(p *earshot.Post) { m.fillSentiment(p, e.domain(p)) },
		custom.fillSentiment,
		m.fillInterests,
		m.fillImages,
		e.fillInferredBy,
	)
	return e
}

// Facts returns an Enricher without models. It extracts only facts that a post itself contains.
func Facts() *Enricher {
	steps := []func(*earshot.Post){
		fillSite,
		fillHashtags,
		fillMentions,
		fillCashtags,
		fillLinks,
		fillUsername,
		fillEngagement,
		fillEngagingWith,
	}
	return &Enricher{steps: steps, matching: len(steps)}
}

// domain returns the domain of a post for the sentiment model.
func (e *Enricher) domain(p *earshot.Post) sentiment.Domain {
	if p.ContentSource != 0 && e.ContentDomain != nil {
		return sentiment.DomainOfTexts(e.ContentDomain(p.ContentSource))
	}
	return sentiment.DomainOf(p.Source)
}

// Post enriches a post in place. It keeps attributes that the post already has.
func (e *Enricher) Post(p *earshot.Post) {
	for _, step := range e.steps {
		step(p)
	}
}

// ForMatching fills in the attributes of a post that monitors can test, which takes less time than
// all of them. The post must not be stored, because a later Post would take them for stated ones.
func (e *Enricher) ForMatching(p *earshot.Post) {
	for _, step := range e.steps[:e.matching] {
		step(p)
	}
}

// All enriches posts in place.
func (e *Enricher) All(posts []earshot.Post) {
	for i := range posts {
		e.Post(&posts[i])
	}
}

// ClearInferred removes inferred attributes from posts and keeps stated ones.
func (e *Enricher) ClearInferred(posts []earshot.Post) {
	for i := range posts {
		clearInferred(&posts[i])
	}
}

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
		p.Images = slices.Clone(p.Images) // the slice may be shared with the caller
		for i := range p.Images {
			p.Images[i].Brands, p.Images[i].Objects = nil, nil
		}
	}
	p.AgeGroup, p.Sentiment, p.Emotion = 0, earshot.Sentiment{}, earshot.Emotion{}
	p.Interests, p.AuthorInterests, p.Inferred, p.InferredBy = nil, nil, 0, 0
}
