package watchlist

import (
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot"
	"earshot/internal/query"
)

// Fields of posts that conditions look up in an index, named as in [query.Index].
const (
	fieldTeam     = "team"
	fieldSource   = "source"
	fieldLanguage = "language"
	fieldPlace    = "place" // country, state and city
	fieldGender   = "authorGender"
	fieldAuthor   = "author" // username and display name
	fieldPage     = "pageId"
)

// A Binding is a condition bound to the vocabulary of an index. It selects the matching posts of
// that index. It is not safe for concurrent use.
type Binding struct {
	condition *Condition
	keywords  *query.Binding // nil means all posts
	mentions  mentionTokens
	within    *Binding // nil means all posts
}

// Bind looks up the words of the condition in a vocabulary.
func (c *Condition) Bind(v query.Vocabulary) *Binding {
	b := &Binding{condition: c}
	if c.keywords != nil {
		b.keywords = c.keywords.Bind(v)
	}
	if c.account != nil {
		b.mentions = c.account.findMentions(v)
	}
	if c.within != nil {
		b.within = c.within.Bind(v)
	}
	return b
}

// A step selects the rows in a scope that meet one part of a condition. A nil scope means all rows.
type step func(x query.Index, scope *roaring.Bitmap) query.RowSet

// Select returns the rows in a scope that match the condition. A nil scope means all rows. Only
// [Condition.Match] can decide the candidates.
func (b *Binding) Select(x query.Index, scope *roaring.Bitmap) query.RowSet {
	found := query.RowSet{Matches: scope}
	for _, step := range b.steps() {
		found = found.And(step(x, found.Possible()))
		if found.IsEmpty() {
			break
		}
	}
	return found
}

// steps returns the steps of the condition, most selective first. Keywords are the most selective.
// If they need a scan, their candidates come first, and the scan comes after the other steps.
func (b *Binding) steps() []step {
	var steps []step
	if b.condition.attributes != nil {
		steps = b.condition.attributes.steps()
	}
	if b.condition.account != nil {
		steps = append(steps, b.accountStep)
	}
	if b.within != nil {
		steps = append(steps, b.within.Select)
	}
	switch {
	case b.keywords == nil:
	case b.keywords.NeedsScan() && len(steps) > 0:
		candidates := func(x query.Index, scope *roaring.Bitmap) query.RowSet {
			return query.RowSet{Matches: b.keywords.Candidates(x, scope)}
		}
		steps = append(slices.Insert(steps, 0, candidates), b.keywords.Select)
	default:
		steps = slices.Insert(steps, 0, b.keywords.Select)
	}
	return append(steps, func(x query.Index, scope *roaring.Bitmap) query.RowSet {
		return x.Field(fieldTeam, b.condition.allowTeam, scope)
	})
}

func (f *attributeFilter) steps() []step {
	var steps []step
	if len(f.sources) > 0 {
		steps = append(steps, fieldStep(fieldSource, func(p *earshot.Post) bool { return f.allowSource(p.Source) }))
	}
	if f.genders.isSet() {
		steps = append(steps, fieldStep(fieldGender, func(p *earshot.Post) bool { return f.genders.allow(p.Gender) }))
	}
	if f.languages.isSet() {
		steps = append(steps, fieldStep(fieldLanguage, func(p *earshot.Post) bool { return f.languages.allow(p.Language) }))
	}
	if f.places.isSet() {
		steps = append(steps, fieldStep(fieldPlace, func(p *earshot.Post) bool { return f.places.allow(p.Place) }))
	}
	return steps
}

func fieldStep(field string, accept func(*earshot.Post) bool) step {
	return func(x query.Index, scope *roaring.Bitmap) query.RowSet { return x.Field(field, accept, scope) }
}

// accountStep selects the posts on a page, or the posts that the account wrote or that mention it.
// Posts with tokens of its handle are only candidates for mentions. With ownOnly, all posts on a
// page are candidates, because no single column identifies every kind of author.
func (b *Binding) accountStep(x query.Index, scope *roaring.Bitmap) query.RowSet {
	a := b.condition.account
	rows := x.Field(fieldSource, func(p *earshot.Post) bool { return p.Source == a.network }, scope)
	if a.pageID != "" {
		rows = rows.And(x.Field(fieldPage, func(p *earshot.Post) bool { return p.PageID == a.pageID }, rows.Possible()))
		if a.ownOnly {
			return query.RowSet{Matches: roaring.New(), Candidates: rows.Possible()}
		}
		return rows
	}
	wrote := x.Field(fieldAuthor, a.wrote, rows.Possible())
	if a.ownOnly {
		return rows.And(wrote)
	}
	return rows.And(wrote.Or(query.RowSet{Matches: roaring.New(), Candidates: b.mentions.rows(x, rows.Possible())}))
}
