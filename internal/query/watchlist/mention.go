package watchlist

import (
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot/internal/query"
)

// mentionTokens are the tokens of which a post that mentions an account has one.
type mentionTokens struct {
	tokens []uint32
	any    bool // it may have any
}

// rows returns the rows among others that have one of the tokens.
func (m mentionTokens) rows(x query.Index, among *roaring.Bitmap) *roaring.Bitmap {
	switch {
	case !m.any:
		return x.Any(m.tokens, among)
	case among == nil:
		return x.All()
	}
	return among.Clone()
}

// findMentions returns the tokens that begin as the handle does. A word begins behind the @
// of a mention, whatever follows the handle.
func (a *account) findMentions(v query.Vocabulary) mentionTokens {
	if a.pageID != "" || a.ownOnly { // mentions do not count
		return mentionTokens{}
	}
	underscores, beginning := handlePrefix(a.handle)
	if beginning == "" {
		return mentionTokens{any: true}
	}
	prefixes := []string{beginning}
	if underscores != "" { // they belong to the word in some places only
		prefixes = append(prefixes, underscores+beginning)
	}
	slices.Sort(prefixes) // so that the tokens ascend
	var m mentionTokens
	for _, p := range prefixes {
		from, to := v.Prefix(p)
		for token := from; token < to; token++ {
			m.tokens = append(m.tokens, token)
		}
	}
	return m
}

// handlePrefix returns the underscores that a handle begins with, and the letters and
// digits of ASCII that follow, in lower case, as far as they are in one word whatever
// comes next: a last digit may be part of a keycap.
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
