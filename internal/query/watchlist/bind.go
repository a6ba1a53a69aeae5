package watchlist

import (
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot"
	"earshot/internal/query"
)

// Fields of posts that conditions look up in an index, by the names of query.Index.Field.
const (
	fieldTeam     = "team"
	fieldSource   = "source"
	fieldLanguage = "language"
	fieldPlace    = "place" // country, state and city
	fieldGender   = "authorGender"
	fieldAuthor   = "author" // user name and display name
	fieldPage     = "pageId"
)

// A Binding is a condition bound to the vocabulary of an index, in which it finds the posts
// that match. It is not safe for parallel use.
type Binding struct {
	condition *Condition
	keywords  *query.Binding // nil: all posts
	mentions  mentionTokens
	within    *Binding // nil: all posts
}

// Bind looks up the words of the condition.
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

// A step selects the rows in a scope, nil for all, that meet a part of a condition.
type step func(x query.Index, scope *roaring.Bitmap) query.RowSet

// Select returns the rows in a scope, nil for all, that match the condition. Only
// Condition.Match can decide the candidates.
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

// steps returns the steps of the condition. Keywords are the most selective, so they come
// first; where they need a scan, their candidates come first, and the scan after the other
// steps.
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

// accountStep selects the posts of a page, or those that the account wrote or that mention
// it. Posts with tokens of its handle are only candidates for mentions. So are all posts of
// a page for its own posts, because no column has every kind of author.
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
