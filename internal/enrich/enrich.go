// Package enrich completes posts with what can be told from them. Each enricher
// fills only what the post does not already say, and the same post always comes
// out the same. So far it spells out what a post states itself: its site, its
// hashtags, mentions and links, its author's user name, whom it answers.
package enrich

import "earshot"

// An Enricher completes posts. It is safe for parallel use on different posts.
type Enricher struct {
	steps []func(*earshot.Post) // in this order: a later one may use what an earlier one filled
}

// New returns an Enricher.
func New() *Enricher {
	return &Enricher{steps: []func(*earshot.Post){
		fillSite,
		fillHashtags,
		fillMentions,
		fillLinks,
		fillUsername,
		fillEngagement,
		fillEngagingWith,
	}}
}

// All completes posts in place.
func (e *Enricher) All(posts []earshot.Post) {
	for i := range posts {
		for _, step := range e.steps {
			step(&posts[i])
		}
	}
}

// fillEngagement takes a post that relates to no other for an original one.
func fillEngagement(p *earshot.Post) {
	if p.Engagement == "" {
		p.Engagement = earshot.OriginalPost
	}
}
