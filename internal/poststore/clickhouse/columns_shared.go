package clickhouse

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
)

// Many posts of a block have the same place, site, author, or other attributes with few values. What
// the columns have for these is found once per block.

type (
	// traits are attributes with few values.
	traits struct {
		source     earshot.Source
		language   string
		gender     earshot.Gender
		engagement earshot.Engagement
		verified   bool
	}

	// traitTerms are numbers in the dictionaries of columns, as in the types below.
	traitTerms struct {
		source, language, gender, engagement uint32
		fields                               []uint32
	}

	placeKey struct {
		place    earshot.Place
		location string // may name the continent
	}

	placeTerms struct {
		country, state, city uint32
		fields               []uint32
		zone                 *time.Location // nil: unknown
	}

	siteTerms struct {
		site, host uint32
		fields     []uint32
	}

	// An authorKey has the attributes that [earshot.Post.AccountNames] reads.
	authorKey struct{ name, username, profile, page string }

	authorTerms struct {
		row     int // has the author in the columns that are not terms
		surname uint32
		fields  []uint32
	}

	// sharedTerms has terms that the posts of a block share.
	sharedTerms struct {
		traits  map[traits]*traitTerms
		places  map[placeKey]*placeTerms
		sites   map[string]*siteTerms
		authors map[authorKey]*authorTerms
	}
)

func newSharedTerms() sharedTerms {
	return sharedTerms{map[traits]*traitTerms{}, map[placeKey]*placeTerms{}, map[string]*siteTerms{}, map[authorKey]*authorTerms{}}
}

func (s *sharedTerms) reset() {
	clear(s.traits)
	clear(s.places)
	clear(s.sites)
	clear(s.authors)
}

// key returns the value of a post in a dimension with at most one.
func key(d poststore.Dim, p *earshot.Post) string {
	var buffer [1]string
	if keys := enginekit.AppendKeys(buffer[:0], d, p, time.UTC); len(keys) > 0 {
		return keys[0]
	}
	return ""
}

// The functions below are about the post of b.doc.

func (b *postBlock) traitTerms() *traitTerms {
	p := b.doc.Post
	k := traits{p.Source, p.Language, p.Gender, p.Engagement, p.Verified}
	t := b.shared.traits[k]
	if t == nil {
		t = &traitTerms{
			source:     b.source.number(key(poststore.BySource, p)),
			language:   b.language.number(key(poststore.ByLanguage, p)),
			gender:     b.gender.number(key(poststore.ByGender, p)),
			engagement: b.engagement.number(key(poststore.ByEngagement, p)),
			fields:     b.fieldWriter.groupTerms(traitFields, &b.doc),
		}
		b.shared.traits[k] = t
	}
	return t
}

func (b *postBlock) placeTerms() *placeTerms {
	p := b.doc.Post
	k := placeKey{p.Place, p.Location}
	t := b.shared.places[k]
	if t == nil {
		t = &placeTerms{
			country: b.country.number(key(poststore.ByCountry, p)),
			state:   b.state.number(key(poststore.ByState, p)),
			city:    b.city.number(key(poststore.ByCity, p)),
			fields:  b.fieldWriter.groupTerms(placeFields, &b.doc),
			zone:    enginekit.ZoneAt(p.Place, nil),
		}
		b.shared.places[k] = t
	}
	return t
}

func (b *postBlock) siteTerms() *siteTerms {
	p := b.doc.Post
	t := b.shared.sites[p.Site]
	if t == nil {
		t = &siteTerms{
			site:   b.site.number(key(poststore.BySite, p)),
			host:   b.host.number(lowerASCII(p.Site)),
			fields: b.fieldWriter.groupTerms(siteFields, &b.doc),
		}
		b.shared.sites[p.Site] = t
	}
	return t
}

func (b *postBlock) addAuthor() *authorTerms {
	p := b.doc.Post
	k := authorKey{p.Author, p.AuthorUsername, p.AuthorProfileID, p.PageID}
	if p.Source == earshot.Facebook {
		k.page = "" // it is not a name of the author
	}
	t := b.shared.authors[k]
	if t != nil {
		b.author.repeatRow(t.row)
		b.handle.repeatRow(t.row)
		b.names.repeatRow(t.row)
		b.accounts.repeatRow(t.row)
		b.authorWords.repeatRow(t.row)
	} else {
		t = &authorTerms{row: b.author.Rows(), surname: b.surname.number(enginekit.Surname(p.Author)), fields: b.fieldWriter.handleTerms(p)}
		b.shared.authors[k] = t
		b.addNames(p)
		b.scratch = b.wordEncoder.appendAuthorWords(b.scratch[:0], &b.authorDoc, p)
		b.authorWords.AppendBytes(b.scratch)
	}
	b.surname.AppendNumber(t.surname)
	return t
}

// addNames adds the names of the author. Most are equal to the key in column author, and are omitted:
//
//	author    the key of ByAuthor
//	handle    the normalized handle; empty if it equals author; noHandle if the author has none
//	accounts  earshot.Post.AccountNames without author
//	names     the names that Selection.Authors may give, folded, without author in upper case if that
//	          is ASCII
//
// If author is not one of the names, the list has an empty string, which is never a name. The
// conditions in select_author.go read these columns.
func (b *postBlock) addNames(p *earshot.Post) {
	author := key(poststore.ByAuthor, p)
	b.author.Append(author)
	switch handle := earshot.AccountName(p.Handle()); handle {
	case author:
		b.handle.Append("")
	case "":
		b.handle.Append(noHandle)
	default:
		b.handle.Append(handle)
	}
	b.keys = slices.AppendSeq(b.keys[:0], p.AccountNames())
	addOthers(b.accounts, author, b.keys)
	implied := ""
	if isASCII(author) {
		implied = foldKey(author)
	}
	shown := earshot.Post{Author: p.Author} // the handle in the display name, regardless of the username
	b.keys = append(b.keys[:0], p.AuthorUsername, p.Author, shown.Handle())
	for i, name := range b.keys {
		if i > 0 && name == p.AuthorUsername {
			b.keys[i] = b.keys[0]
		} else {
			b.keys[i] = foldKey(name)
		}
	}
	addOthers(b.names, implied, b.keys)
}

// noHandle is a handle that no author has: normalized handles do not end with a space.
const noHandle = " "

// addOthers adds the distinct values that are neither empty nor implied, or an empty string if implied,
// which may be empty, is not one of the values.
func addOthers(column *listColumn[*textColumn], implied string, values []string) {
	for i, v := range values {
		if v != "" && v != implied && !slices.Contains(values[:i], v) {
			column.elements.Append(v)
		}
	}
	if implied != "" && !slices.Contains(values, implied) {
		column.elements.Append("")
	}
	column.end()
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
}
