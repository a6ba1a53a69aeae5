package watchlist

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot"
	"earshot/internal/query"
)

// An account is watched by a SOCIAL monitor: a page, identified by its ID, or a handle. A handle
// matches posts that the account wrote and posts that mention it.
type account struct {
	network    earshot.Source
	pageID     string
	handle     string // without @; optional for a page
	innerRunes string // allowed inside handles, in addition to letters, digits and _
	ownOnly    bool   // match only posts that the account wrote
}

func newAccount(a earshot.Account) (*account, error) {
	made := &account{network: a.Network, handle: strings.TrimPrefix(strings.TrimSpace(a.Handle), "@")}
	if a.Network == earshot.Facebook {
		if made.pageID = a.PageID; made.pageID == "" {
			return nil, earshot.Errorf(earshot.Invalid, "The account of a Facebook monitor needs a page id")
		}
		return made, nil
	}
	if made.handle == "" {
		return nil, earshot.Errorf(earshot.Invalid, "The account of a social monitor needs a handle")
	}
	made.innerRunes = innerRunesOn(a.Network)
	return made, nil
}

// innerRunesOn returns the characters that a network allows inside handles. On Twitter, @acme.shop
// is a mention of @acme. Elsewhere it is a different account.
func innerRunesOn(network earshot.Source) string {
	if network == earshot.Twitter {
		return ""
	}
	return ".-@"
}

// matches reports whether the post is on the account's page or, for a handle, whether the account
// wrote the post or is mentioned in it.
func (a *account) matches(p *earshot.Post) bool {
	if p.Source != a.network {
		return false
	}
	switch {
	case a.pageID != "" && p.PageID != a.pageID:
		return false
	case a.ownOnly:
		return a.wrote(p)
	case a.pageID != "":
		return true
	}
	return a.wrote(p) || a.mentionedIn(p.Contents) || a.mentionedIn(p.Title)
}

// wrote reports whether the account wrote a post that matches it. It compares the author's handle
// and, for a page, also compares the page ID with the author's profile ID and handle.
// docs/decisions/0039-own-posts-and-account-metrics.md
func (a *account) wrote(p *earshot.Post) bool {
	handle := p.Handle()
	if a.handle != "" && strings.EqualFold(handle, a.handle) {
		return true
	}
	return a.pageID != "" && (p.AuthorProfileID == a.pageID || handle == a.pageID)
}

// mentionedIn reports whether text mentions @handle, ignoring case. An email address or a longer
// handle that starts the same way is not a mention.
func (a *account) mentionedIn(text string) bool {
	for {
		before, rest, found := strings.Cut(text, "@")
		if !found {
			return false
		}
		if last, _ := utf8.DecodeLastRuneInString(before); !isHandleRune(last) && a.startsWithHandle(rest) {
			return true
		}
		text = rest
	}
}

// startsWithHandle reports whether text starts with the handle and the handle ends there.
func (a *account) startsWithHandle(text string) bool {
	n := len(a.handle)
	if len(text) < n || !strings.EqualFold(text[:n], a.handle) {
		return false
	}
	next, size := utf8.DecodeRuneInString(text[n:])
	if strings.ContainsRune(a.innerRunes, next) { // part of a handle only if more of it follows
		next, _ = utf8.DecodeRuneInString(text[n+size:])
	}
	return !isHandleRune(next)
}

func isHandleRune(r rune) bool {
	return r == '_' || r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

// mentionTokens lists tokens. A post that mentions an account has at least one of them.
type mentionTokens struct {
	tokens []uint32
	any    bool // any token qualifies
}

func (m mentionTokens) rows(x query.Index, scope *roaring.Bitmap) *roaring.Bitmap {
	switch {
	case !m.any:
		return x.Any(m.tokens, scope)
	case scope == nil:
		return x.All()
	}
	return scope.Clone()
}

// findMentions returns the tokens that start with the handle's prefix. A word always starts after
// the @ of a mention, but it may be longer than the handle.
func (a *account) findMentions(v query.Vocabulary) mentionTokens {
	if a.pageID != "" || a.ownOnly { // mentions do not count
		return mentionTokens{}
	}
	underscores, beginning := handlePrefix(a.handle)
	if beginning == "" {
		return mentionTokens{any: true}
	}
	prefixes := []string{beginning}
	if underscores != "" { // a word includes them only in tags
		prefixes = append(prefixes, underscores+beginning)
	}
	slices.Sort(prefixes) // so that the tokens are in ascending order
	var m mentionTokens
	for _, p := range prefixes {
		from, to := v.Prefix(p)
		for token := from; token < to; token++ {
			m.tokens = append(m.tokens, token)
		}
	}
	return m
}

// handlePrefix returns the leading underscores of a handle and the ASCII letters and digits that
// follow, in lowercase. It returns only as many as are certain to be in one word, so it drops a
// trailing digit, which may be part of a keycap.
func handlePrefix(handle string) (underscores, beginning string) {
	beginning = strings.TrimLeft(handle, "_")
	underscores = handle[:len(handle)-len(beginning)]
	end := strings.IndexFunc(beginning, func(r rune) bool { return !isASCIIDigit(r) && !isASCIILetter(r) })
	if end >= 0 {
		beginning = beginning[:end]
	}
	if n := len(beginning); n > 0 && isASCIIDigit(rune(beginning[n-1])) {
		beginning = beginning[:n-1]
	}
	return underscores, strings.ToLower(beginning)
}

func isASCIIDigit(r rune) bool  { return '0' <= r && r <= '9' }
func isASCIILetter(r rune) bool { return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' }
