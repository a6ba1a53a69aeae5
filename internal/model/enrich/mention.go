package enrich

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"earshot"
)

// fillMentions normalises the mentions a post gives, or finds those in its text.
// docs/decisions/0024-mentions-and-engaging-with.md says what counts as one.
func fillMentions(p *earshot.Post) {
	var found stringSet
	if len(p.Mentions) > 0 {
		for _, handle := range p.Mentions {
			found.add(strings.ToLower(bareHandle(handle)))
		}
	} else {
		findMentions(p.Title, p.Source, &found)
		findMentions(p.Contents, p.Source, &found)
	}
	p.Mentions = found.values
}

// bareHandle takes off what stands around a handle that is given.
func bareHandle(handle string) string {
	return strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(handle), "@＠"))
}

// findMentions adds the handles of text that have an @ and no word or address
// before it. One with a host counts without it too.
func findMentions(text string, on earshot.Source, found *stringSet) {
	for i, size := nextAt(text, 0); size > 0; {
		handle, host := handleAt(text[i+size:], on)
		full := fullHandle(handle, host)
		if mayPrecede(text[:i]) {
			found.add(strings.ToLower(full))
			found.add(strings.ToLower(handle))
		}
		i, size = nextAt(text, i+size+len(full))
	}
}

func nextAt(text string, from int) (at, size int) { return nextSign(text, from, '@', "＠") }

// handleAt returns the handle at the beginning of text, "" when there is none, and
// the host that stands behind it as in name@mastodon.example.
func handleAt(text string, on earshot.Source) (handle, host string) {
	end, lettered := handleRun(text, joiners(on))
	if !lettered {
		return "", ""
	}
	handle = text[:end]
	if rest, ok := strings.CutPrefix(text[end:], "@"); ok {
		host = hostAt(rest)
	}
	return handle, host
}

// fullHandle returns the handle with its host, if it has one.
func fullHandle(handle, host string) string {
	if host == "" {
		return handle
	}
	return handle + "@" + host
}

// joiners are the characters that handles of a network have inside, besides those
// of a tag: @acme.shop is one account on Instagram, on Twitter it is @acme.
func joiners(on earshot.Source) string {
	switch on {
	case earshot.Instagram, earshot.Threads:
		return "."
	case earshot.Bluesky, earshot.Mastodon, earshot.YouTube:
		return ".-"
	}
	return ""
}

// handleRun returns where the handle at the beginning of text ends, and whether it
// has a letter. A handle in Latin letters ends where a script begins that does not
// part words, because nothing else marks its end there: @acmeさん.
func handleRun(text, joiners string) (end int, lettered bool) {
	for i, r := range text {
		switch {
		case unicode.IsLetter(r):
			if r >= utf8.RuneSelf && text[0] < utf8.RuneSelf && unicode.In(r, unspacedScripts...) {
				return i, lettered
			}
			lettered = true
		case !joins(r) && !(strings.ContainsRune(joiners, r) && continues(text[i+1:])):
			return i, lettered
		}
	}
	return len(text), lettered
}

// unspacedScripts are the scripts that write words, or what is added to names, without a space.
var unspacedScripts = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
}

// continues reports whether a handle goes on with text after a joiner.
func continues(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return r == '_' || r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

// hostAt returns the host at the beginning of text, "" when what is there has no
// dot inside and so is none.
func hostAt(text string) string {
	end := strings.IndexFunc(text, func(r rune) bool {
		return r != '.' && r != '-' && (r >= utf8.RuneSelf || !unicode.IsLetter(r) && !unicode.IsDigit(r))
	})
	if end >= 0 {
		text = text[:end]
	}
	if host := strings.TrimRight(text, ".-"); strings.Contains(host, ".") && host[0] != '.' && host[0] != '-' {
		return host
	}
	return ""
}
