package watchlist

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"earshot"
	"earshot/internal/query"
)

// A Formula is the meaning of a condition, for engines that cannot call [Condition.Match] for every
// post, such as a database that compiles it to its own language. All its parts must hold. An engine
// that cannot decide a part selects a superset, and Match decides those posts.
type Formula struct {
	Team      earshot.TeamID   // the post belongs to this team or to none
	Sources   []earshot.Source // the post is from one of these; empty: from any
	Languages *ValueChoice     // nil: any or none
	Genders   *ValueChoice     // nil: any or none
	Places    *PlaceChoice     // nil: any or none
	Account   *AccountFormula  // nil: any
	Keywords  query.Formula    // nil: any text
	Within    *Formula         // must also hold; nil: anything
}

// A ValueChoice holds if the attribute is one of Values or, if Any is set, if it is not empty. If
// Exclude is set, it holds if not.
type ValueChoice struct {
	Exclude, Any bool
	Values       []string
}

// A PlaceChoice holds if the post is in one of the countries or places or, if Any is set, if its
// place is known. If Exclude is set, it holds if not.
type PlaceChoice struct {
	Exclude, Any bool
	Countries    []string
	Parts        []earshot.Place // parts of other countries, as for [earshot.Place.Contains]
}

// An AccountFormula holds for posts of the network that the account wrote and, unless OwnOnly is
// set, for posts that mention it. With a page, it holds for the posts on the page and, if OwnOnly
// is set, only for those of them that the account wrote.
//
// The account wrote a post if HandleKey is not empty and is the [HandleKey] of the post's handle
// ([earshot.Post.Handle]), or if it has a page and [IsByPage] holds. The account is mentioned if
// [Mentions] lists MentionKey.
type AccountFormula struct {
	Network earshot.Source
	PageID  string
	OwnOnly bool

	// HandleKey is the [HandleKey] of the account's handle. It is empty for a page without one.
	HandleKey string

	// MentionKey is the key of the account in [Mentions]. It is empty if mentions do not count, and
	// if the handle is not written like one, for example because it contains a space. In the latter
	// case only Match can decide, and AnyMention is set.
	MentionKey string
	AnyMention bool
}

// Formula returns the meaning of the condition.
func (c *Condition) Formula() *Formula {
	f := &Formula{Team: c.team}
	if a := c.attributes; a != nil {
		f.Sources = a.sources
		if a.languages.isSet() {
			f.Languages = &ValueChoice{Exclude: a.languages.exclude, Any: a.languages.all, Values: a.languages.codes}
		}
		if a.genders.isSet() {
			f.Genders = &ValueChoice{Exclude: a.genders.exclude}
			for _, g := range a.genders.list {
				f.Genders.Values = append(f.Genders.Values, string(g))
			}
		}
		if p := a.places; p.isSet() {
			f.Places = &PlaceChoice{Exclude: p.exclude, Any: p.all, Countries: p.countries, Parts: p.parts}
		}
	}
	if c.account != nil {
		f.Account = c.account.formula()
	}
	if c.keywords != nil {
		f.Keywords = c.keywords.Formula()
	}
	if c.within != nil {
		f.Within = c.within.Formula()
	}
	return f
}

func (a *account) formula() *AccountFormula {
	f := &AccountFormula{Network: a.network, PageID: a.pageID, OwnOnly: a.ownOnly}
	if a.handle != "" {
		f.HandleKey = HandleKey(a.handle)
	}
	switch {
	case a.pageID != "" || a.ownOnly: // mentions do not count
	case a.isRegular():
		f.MentionKey = mentionKey(a.handle)
	default:
		f.AnyMention = true
	}
	return f
}

// isRegular reports whether the handle consists of letters, digits and underscores, with single
// other characters between them that the network allows there. ι is not regular, because it equals
// the combining mark U+0345, ignoring case, and a mark ends a handle.
func (a *account) isRegular() bool {
	if handleLength(a.handle, a.innerRunes) != len(a.handle) {
		return false
	}
	for _, r := range a.handle {
		for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
			if isHandleRune(r) && !isHandleRune(other) {
				return false
			}
		}
	}
	return true
}

// handleLength returns the length of the longest handle at the start of text. It is 0 if text does
// not start with one.
func handleLength(text, innerRunes string) int {
	end := 0
	for end < len(text) {
		r, size := utf8.DecodeRuneInString(text[end:])
		if strings.ContainsRune(innerRunes, r) && end > 0 { // part of a handle only if more of it follows
			inner := size
			r, size = utf8.DecodeRuneInString(text[end+inner:])
			size += inner
		}
		if !isHandleRune(r) {
			break
		}
		end += size
	}
	return end
}

// Mentions calls yield with the key of each handle that the post mentions: those for which
// mentionedIn reports true. A handle that is not written like one is not among them.
func Mentions(p *earshot.Post, yield func(key string)) {
	innerRunes := innerRunesOn(p.Source)
	for _, text := range []string{p.Title, p.Contents} {
		for {
			before, rest, found := strings.Cut(text, "@")
			if !found {
				break
			}
			if last, _ := utf8.DecodeLastRuneInString(before); !isHandleRune(last) {
				if n := handleLength(rest, innerRunes); n > 0 {
					yield(mentionKey(rest[:n]))
				}
			}
			text = rest
		}
	}
}

// mentionKey returns a string that is equal for handles that mentionedIn does not distinguish: it
// ignores case, but not the number of bytes.
func mentionKey(handle string) string {
	return HandleKey(handle) + " " + strconv.Itoa(len(handle))
}

// HandleKey returns a string that is equal for handles that are equal, ignoring case.
func HandleKey(handle string) string {
	for i := range len(handle) {
		if handle[i] >= utf8.RuneSelf {
			return strings.Map(foldRune, handle)
		}
	}
	return strings.ToUpper(handle) // the smallest of k, K and \u212A is K
}

// foldRune returns the smallest rune that equals r, ignoring case.
func foldRune(r rune) rune {
	smallest := r
	for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
		smallest = min(smallest, other)
	}
	return smallest
}

// IsByPage reports whether the page that the post is on wrote it.
func IsByPage(p *earshot.Post) bool {
	return p.PageID != "" && (p.AuthorProfileID == p.PageID || p.Handle() == p.PageID)
}
