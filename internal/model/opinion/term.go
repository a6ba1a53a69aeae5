package opinion

import (
	"cmp"
	"slices"
	"strings"

	"earshot/internal/model/classify"
)

// maxTerms is how many terms a category has in a report.
const maxTerms = 20

// terms returns the terms that speak most for each category. A term is in two documents
// or more.
func (c *corpus) terms(l *lecture) [][]Term {
	spellings := c.spellings(c.often(2))
	terms := make([][]Term, len(c.categories))
	row := make([]float32, len(c.categories))
	for f, feature := range c.features {
		spelling, ok := spellings[feature]
		if !ok {
			continue
		}
		l.row(f, row)
		for k, w := range row {
			if w > 0 {
				terms[k] = append(terms[k], Term{spelling, float64(w)})
			}
		}
	}
	for k := range terms {
		terms[k] = foremost(terms[k])
	}
	return terms
}

// foremost returns the terms with the largest weights. Of those that weigh exactly the
// same, because they are always found together, the longest stands for all.
func foremost(terms []Term) []Term {
	slices.SortFunc(terms, func(a, b Term) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(len(b.Text), len(a.Text)), cmp.Compare(a.Text, b.Text))
	})
	terms = slices.CompactFunc(terms, func(a, b Term) bool { return a.Weight == b.Weight })
	return append([]Term{}, terms[:min(len(terms), maxTerms)]...)
}

// often returns the features of words that are in so many documents or more.
func (c *corpus) often(documents int) map[uint32]bool {
	in := make([]int, len(c.features))
	for _, t := range c.texts {
		for _, f := range t.features[:t.ends[words]] {
			in[f]++
		}
	}
	often := map[uint32]bool{}
	for f, n := range in {
		if n >= documents {
			often[c.features[f]] = true
		}
	}
	return often
}

// spellings returns how the wanted features are written, those that can be read.
func (c *corpus) spellings(wanted map[uint32]bool) map[uint32]string {
	spellings := map[uint32]string{}
	note := func(hash uint64, parts ...string) {
		if f := fold(hash, words); wanted[f] && spellings[f] == "" {
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

// spell notes how the features that appendWords and appendTargets make of a text are
// written; those of its ends are not.
func spell(t *classify.Text, text string, limit int, note func(hash uint64, parts ...string)) {
	t.Split(text, limit)
	last, before := uint64(saltEdge), ""
	for _, tok := range t.Tokens {
		if tok.Kind == classify.Link {
			continue
		}
		form := spelling(t, tok)
		note(tok.Hash, form)
		if tok.Has(classify.Tagged) {
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

// spelling returns how a token is shown. A mention or a number stands for any.
func spelling(t *classify.Text, tok classify.Token) string {
	switch tok.Kind {
	case classify.Mention:
		return "@…"
	case classify.Number:
		return "0–9"
	}
	return string(t.Form(tok))
}
