package opinion

import (
	"slices"

	"earshot"
	"earshot/internal/classify"
)

const maxBytes = 4096

type reader struct {
	text     classify.Text
	features []uint64
}

// read returns the features of a post, each once.
func (r *reader) read(p *earshot.Post) []uint64 {
	r.features = r.features[:0]
	for _, text := range []string{p.Title, p.Contents} {
		r.text.Split(text, maxBytes)
		r.features = r.text.AppendWords(r.features)
		for _, tok := range r.text.Tokens {
			r.features = classify.AppendParts(r.features, r.text.Form(tok))
		}
	}
	slices.Sort(r.features)
	r.features = slices.Compact(r.features)
	return r.features
}
