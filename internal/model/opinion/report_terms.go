package opinion

import (
	"cmp"
	"slices"
	"strings"

	"earshot/internal/model/classify"
)

// maxTerms is the maximum number of terms per category in a report.
const maxTerms = 20

// terms returns the terms with the largest weights for each category. Each term occurs in at least
// two documents.
func (c *corpus) terms(m *classifier) [][]Term {
	spellings := c.spellings(c.frequentWords(2))
	terms := make([][]Term, len(c.categories))
	row := make([]float32, len(c.categories))
	for f, feature := range c.features {
		spelling, ok := spellings[feature]
		if !ok {
			continue
		}
		m.featureWeights(f, row)
		for k, w := range row {
			if w > 0 {
				terms[k] = append(terms[k], Term{spelling, float64(w)})
			}
		}
	}
	for k := range terms {
		terms[k] = topTerms(terms[k])
	}
	return terms
}

// topTerms returns the terms with the largest weights. Terms with equal weights always occur
// together, so it returns only the longest of them.
func topTerms(terms []Term) []Term {
	slices.SortFunc(terms, func(a, b Term) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(len(b.Text), len(a.Text)), cmp.Compare(a.Text, b.Text))
	})
	terms = slices.CompactFunc(terms, func(a, b Term) bool { return a.Weight == b.Weight })
	return append([]Term{}, terms[:min(len(terms), maxTerms)]...)
}

// frequentWords returns the word features that occur in at least minDocuments documents.
func (c *corpus) frequentWords(minDocuments int) map[uint32]bool {
	in := make([]int, len(c.features))
	for _, e := range c.examples {
		for _, f := range e.features[:e.ends[words]] {
			in[f]++
		}
	}
	often := map[uint32]bool{}
	for f, n := range in {
		if n >= minDocuments {
			often[c.features[f]] = true
		}
	}
	return often
}

// spellings returns the readable forms of the wanted features.
func (c *corpus) spellings(wanted map[uint32]bool) map[uint32]string {
	spellings := map[uint32]string{}
	note := func(hash uint64, parts ...string) {
		if f := newFeature(hash, words); wanted[f] && spellings[f] == "" {
			spellings[f] = strings.Join(parts, "")
		}
	}
	var text classify.Text
	for _, d := range c.docs {
		spell(&text, d.Post.Title, maxTitle, note)
		spell(&text, d.Post.Contents, maxBytes, note)
	}
	return spellings
}

// spell calls note with the readable form of each feature from appendWords and appendTargets.
func spell(t *classify.Text, text string, limit int, note func(hash uint64, parts ...string)) {
	t.Tokenize(text, limit)
	last, before := uint64(saltEdge), ""
	for _, tok := range t.Tokens {
		if tok.Kind == classify.Link {
			continue
		}
		form := spelling(t, tok)
		note(tok.Hash, form)
		if tok.Has(classify.InHashtag) {
			note(classify.Mix(tok.Hash, saltTag), "#", form)
		}
		if before != "" {
			note(classify.Mix(last, tok.Hash), before, " ", form)
		}
		last, before = tok.Hash, form
	}
	for target := range targets(text[:min(len(text), limit)]) {
		note(hashLower(target), strings.TrimPrefix(strings.ToLower(target), "://"))
	}
}

// spelling returns the readable form of a token. Mentions and numbers get a placeholder, because
// their tokens have no value.
func spelling(t *classify.Text, tok classify.Token) string {
	switch tok.Kind {
	case classify.Mention:
		return "@…"
	case classify.Number:
		return "0–9"
	}
	return string(t.Form(tok))
}
