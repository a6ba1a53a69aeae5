package api

import (
	"slices"
	"time"

	"earshot"
)

// Withhold takes out of a training post what may not be shown of it, and reports whether there
// is such a thing. docs/decisions/0010-content-restrictions.md
func (a *API) Withhold(p *earshot.TrainingPost) bool {
	if !a.restricted(p.Source) {
		return false
	}
	p.Title, p.Contents = "", ""
	if withholdsAuthor(p.Source) {
		p.Author, p.Time = "", time.Time{}
	}
	return true
}

// withholdsAuthor reports whether restrictions of a source are also about who wrote, and when.
func withholdsAuthor(s earshot.Source) bool { return s == earshot.Twitter }

// WithholdPost takes out of a post what may not be shown of it: its text, the words that other
// fields took from it, and of some sources who wrote it, and when. It reports whether there is
// such a thing.
func (a *API) WithholdPost(p *earshot.Post) bool {
	if !a.restricted(p.Source) {
		return false
	}
	p.Title, p.Contents, p.Bio = "", "", ""
	p.Hashtags, p.Mentions, p.Cashtags, p.Links = nil, nil, nil, nil
	p.Images = slices.Clone(p.Images)
	for i := range p.Images {
		p.Images[i].Alt = ""
	}
	if withholdsAuthor(p.Source) {
		p.Author, p.Time = "", time.Time{}
	}
	return true
}
