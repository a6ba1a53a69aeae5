package insight

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"earshot"
	"earshot/internal/jsonvalue"
	"earshot/internal/poststore"
	"earshot/internal/query"
	"earshot/internal/query/watchlist"
)

// A UsedTerm is a word or phrase of a query, with the number of stored posts that have it.
type UsedTerm struct {
	query.UsedWord
	Excluded bool          `json:"excluded"` // below NOT
	Posts    int64         `json:"posts"`
	Similar  []SimilarTerm `json:"similar"` // of a word that no post has; nearest first
}

// A SimilarTerm is a word that posts have.
type SimilarTerm struct {
	Text  string `json:"text"`
	Posts int64  `json:"posts"`
}

// Suggestions are improvements of a query.
type Suggestions struct {
	Terms   []UsedTerm    `json:"terms"`
	Related []RelatedTerm `json:"related"`
}

// A RelatedTerm is over-represented in the posts of a query.
type RelatedTerm struct {
	Text     string  `json:"text"`
	Posts    int64   `json:"posts"`
	Expected float64 `json:"expected"`
}

// Limits of suggestions.
const (
	suggestionTimeout = 10 * time.Second
	countedDays       = 366 // in which the words of a query are counted
	relatedDays       = 30  // whose posts related words come from

	maxUsedTerms  = 100
	maxSimilar    = 3
	maxCandidates = 20 // similar words that are counted with a sigil
	maxRelated    = 12
	relatedSample = 3000 // posts of each side whose texts are read
)

// Suggest suggests improvements of the query of m, which need not exist in the catalog. It takes at
// most ten seconds.
func (s *Service) Suggest(ctx context.Context, m *earshot.Monitor, today earshot.Date) (Suggestions, error) {
	ctx, cancel := context.WithTimeout(ctx, suggestionTimeout)
	defer cancel()
	end := today.AddDays(1)
	terms, err := s.CountTerms(ctx, m, earshot.Days{Start: end.AddDays(-countedDays), End: end})
	var related []Driver
	if err == nil {
		related, err = s.RelatedTerms(ctx, m, earshot.Days{Start: end.AddDays(-relatedDays), End: end})
	}
	if errors.Is(err, context.DeadlineExceeded) {
		err = earshot.Errorf(earshot.Unavailable, "The suggestions took too long; use fewer words or a narrower query")
	}
	if err != nil {
		return Suggestions{}, err
	}
	return Suggestions{terms, jsonvalue.Map(related, func(d Driver) RelatedTerm {
		return RelatedTerm{d.Name, d.Posts, jsonvalue.Round(d.Expected)}
	})}, nil
}

// CountTerms counts, for each word and phrase of a query, the posts of some days that have it. For a
// word that no post has, it returns similar ones. A phrase that no post has is followed by those of
// its words that no post has. It counts the posts that monitors of a team can select, so it reveals
// nothing about other teams' content, and up to a hundred terms.
func (s *Service) CountTerms(ctx context.Context, m *earshot.Monitor, days earshot.Days) ([]UsedTerm, error) {
	uses, err := query.Uses(m.Criteria.Keywords, maxUsedTerms)
	if err != nil {
		return nil, err
	}
	all := selection(m, days)
	all.Set = 0
	var terms []UsedTerm
	for _, u := range uses {
		posts, err := s.countKeywords(ctx, m, all, u.Query.String())
		if err != nil {
			return nil, err
		}
		if terms = append(terms, UsedTerm{UsedWord: u.UsedWord, Excluded: u.Excluded, Posts: posts}); posts > 0 {
			continue
		}
		if len(u.Words) == 1 {
			if terms[len(terms)-1].Similar, err = s.similarTerms(ctx, m, all, u.Words[0].Text); err != nil {
				return nil, err
			}
			continue
		}
		if terms, err = s.missingWords(ctx, m, all, u, terms); err != nil {
			return nil, err
		}
	}
	return terms, nil
}

// missingWords appends the words of a phrase that no post has.
func (s *Service) missingWords(ctx context.Context, m *earshot.Monitor, all poststore.Selection, u query.Use, terms []UsedTerm) ([]UsedTerm, error) {
	for _, w := range u.Words[:min(len(u.Words), maxUsedTerms)] {
		posts, err := s.countKeywords(ctx, m, all, `"`+w.Text+`"`)
		if err != nil {
			return nil, err
		}
		if posts > 0 || len(terms) >= 2*maxUsedTerms {
			continue
		}
		similar, err := s.similarTerms(ctx, m, all, w.Text)
		if err != nil {
			return nil, err
		}
		terms = append(terms, UsedTerm{UsedWord: w, Excluded: u.Excluded, Similar: similar})
	}
	return terms, nil
}

// countKeywords counts the posts of a selection that a query selects, on behalf of the monitor's
// team.
func (s *Service) countKeywords(ctx context.Context, m *earshot.Monitor, sel poststore.Selection, keywords string) (int64, error) {
	sel, err := withKeywords(m, sel, keywords)
	if err != nil {
		return 0, err
	}
	return s.countSelected(ctx, sel)
}

// similarTerms returns words like a word that no post has. Its sigil, if it has one, stays.
func (s *Service) similarTerms(ctx context.Context, m *earshot.Monitor, all poststore.Selection, word string) (similar []SimilarTerm, err error) {
	sigil := word[:len(word)-len(strings.TrimLeft(word, sigils))]
	plain, ok := query.Plain(word)
	edits := maxEdits(plain)
	if !ok || edits == 0 {
		return nil, nil
	}
	if all.Where, err = watchlist.Compile(m.Team, earshot.Criteria{}); err != nil {
		return nil, err
	}
	found, err := s.Store.Similar(ctx, all, plain, edits, maxCandidates)
	if err != nil {
		return nil, err
	}
	for _, f := range found {
		term := SimilarTerm{sigil + f.Word, f.Posts}
		if sigil != "" {
			if term.Posts, err = s.countKeywords(ctx, m, all, `"`+term.Text+`"`); err != nil {
				return nil, err
			}
		}
		if term.Posts > 0 {
			similar = append(similar, term)
		}
		if len(similar) == maxSimilar {
			break
		}
	}
	return similar, nil
}

// maxEdits returns how many edits away a similar word may be. Short words are similar to too many.
func maxEdits(word string) int {
	switch n := utf8.RuneCountInString(word); {
	case n < 3:
		return 0
	case n < 6:
		return 1
	}
	return 2
}

// RelatedTerms returns words and phrases that are over-represented in the posts that m would select
// on some days, compared with the other posts that meet its criteria except for the keywords.
// Phrases with words of the query are left out. m does not need to exist in the catalog.
func (s *Service) RelatedTerms(ctx context.Context, m *earshot.Monitor, days earshot.Days) ([]Driver, error) {
	leave, err := s.contrasts.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	of := selection(m, days)
	of.Set = 0
	if of.Where, err = watchlist.CompileMonitor(m); err != nil {
		return nil, err
	}
	others := of
	criteria := m.Criteria
	criteria.Keywords = ""
	if others.Where, err = watchlist.Compile(m.Team, criteria); err != nil {
		return nil, err
	}
	others.Except = []poststore.Selection{{Where: of.Where}}
	c := newContrast(m, 1)
	c.sample = relatedSample
	if err := s.readContrast(ctx, c, []poststore.Selection{of}, []poststore.Selection{others}); err != nil {
		return nil, err
	}
	if c.sides[1].total > 0 {
		c.scale = float64(c.sides[0].total) / float64(c.sides[1].total)
	}
	drivers := c.drivers()
	related := drivers.Words
	for _, phrase := range drivers.Phrases {
		if !slices.ContainsFunc(strings.Fields(phrase.Name), func(word string) bool { return c.searched[word] }) {
			related = append(related, phrase)
		}
	}
	slices.SortStableFunc(related, func(a, b Driver) int { return cmp.Compare(b.Score, a.Score) })
	return related[:min(maxRelated, len(related))], nil
}
