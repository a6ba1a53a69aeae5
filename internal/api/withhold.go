package api

import (
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
