package watchlist

import (
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot"
	"earshot/internal/query"
)

// What an index of posts is asked for besides their words and the fields of keywords,
// by the names of query.Index.Field.
const (
	fieldTeam     = "team"
	fieldSource   = "source"
	fieldLanguage = "language"
	fieldPlace    = "place" // all of it
	fieldGender   = "authorGender"
	fieldAuthor   = "author" // user name and author as shown
	fieldPage     = "pageId"
)

// A Binding is a condition together with the vocabulary of an index, in which it finds
// the posts that match. It is for one goroutine at a time.
type Binding struct {
	condition *Condition
	keywords  *query.Binding // nil: everything
	mentions  mentionTokens
	within    *Binding // nil: everything
}

// Bind looks the words of the condition up.
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

// A step finds those rows among others, nil for all, that meet a part of a condition.
type step func(x query.Index, among *roaring.Bitmap) query.RowSet

// Select returns the rows among others, nil for all, that match the condition. Of those
// in Maybe only Match can tell, with the post.
func (b *Binding) Select(x query.Index, among *roaring.Bitmap) query.RowSet {
	found := query.RowSet{Matches: among}
	for _, step := range b.steps() {
		found = found.And(step(x, found.Possible()))
		if found.IsEmpty() {
			break
		}
	}
	return found
}

// steps returns the parts of the condition. Keywords leave the fewest rows, so they come
// first; where that means to look at rows one by one, their words come first, and they
// themselves when the other parts have left what they leave.
func (b *Binding) steps() []step {
	steps := b.besidesKeywords()
	switch {
	case b.keywords == nil:
	case b.keywords.NeedsScan() && len(steps) > 0:
		narrow := func(x query.Index, among *roaring.Bitmap) query.RowSet {
			return query.RowSet{Matches: b.keywords.Candidates(x, among)}
		}
		steps = append(slices.Insert(steps, 0, narrow), b.keywords.Select)
	default:
		steps = slices.Insert(steps, 0, b.keywords.Select)
	}
	return append(steps, b.teamStep)
}

func (b *Binding) besidesKeywords() []step {
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
	return steps
}

func (l *attributeFilter) steps() []step {
	var steps []step
	if len(l.sources) > 0 {
		steps = append(steps, fieldStep(fieldSource, func(p *earshot.Post) bool { return l.allowSource(p.Source) }))
	}
	if l.genders.isSet() {
		steps = append(steps, fieldStep(fieldGender, func(p *earshot.Post) bool { return l.genders.allow(p.Gender) }))
	}
	if l.languages.isSet() {
		steps = append(steps, fieldStep(fieldLanguage, func(p *earshot.Post) bool { return l.languages.allow(p.Language) }))
	}
	if l.places.isSet() {
		steps = append(steps, fieldStep(fieldPlace, func(p *earshot.Post) bool { return l.places.allow(p.Place) }))
	}
	return steps
}

// fieldStep is the step that asks for a field of the posts.
func fieldStep(field string, accept func(*earshot.Post) bool) step {
	return func(x query.Index, among *roaring.Bitmap) query.RowSet { return x.Field(field, accept, among) }
}

func (b *Binding) teamStep(x query.Index, among *roaring.Bitmap) query.RowSet {
	return x.Field(fieldTeam, b.condition.allowTeam, among)
}

// accountStep is the step of the account: its page's posts, of whose authors there is no
// column that tells all, or those it wrote and, of those that have words of its handle, the
// ones that mention it.
func (b *Binding) accountStep(x query.Index, among *roaring.Bitmap) query.RowSet {
	a := b.condition.account
	there := x.Field(fieldSource, func(p *earshot.Post) bool { return p.Source == a.network }, among)
	if a.pageID != "" {
		there = there.And(x.Field(fieldPage, func(p *earshot.Post) bool { return p.PageID == a.pageID }, there.Possible()))
		if a.ownOnly {
			return query.RowSet{Matches: roaring.New(), Candidates: there.Possible()}
		}
		return there
	}
	wrote := x.Field(fieldAuthor, a.wrote, there.Possible())
	if a.ownOnly {
		return there.And(wrote)
	}
	return there.And(wrote.Or(query.RowSet{Matches: roaring.New(), Candidates: b.mentions.rows(x, there.Possible())}))
}
