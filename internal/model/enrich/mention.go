package enrich

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"earshot"
)

// fillMentions normalizes the mentions of a post, or extracts them from its text if it has none.
// docs/decisions/0024-mentions-and-engaging-with.md defines what counts as a mention.
func fillMentions(p *earshot.Post) {
	var handles stringSet
	if len(p.Mentions) > 0 {
		for _, handle := range p.Mentions {
			handles.add(strings.ToLower(bareHandle(handle)))
		}
	} else {
		findMentions(p.Title, p.Source, &handles)
		findMentions(p.Contents, p.Source, &handles)
	}
	p.Mentions = handles.values
}

// bareHandle trims spaces and leading @ signs.
func bareHandle(handle string) string {
	return strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(handle), "@＠"))
}

// findMentions adds the handles in text that follow an @ at a word boundary. A handle with a host
// is also added without the host.
func findMentions(text string, source earshot.Source, handles *stringSet) {
	for i, size := nextAtSign(text, 0); size > 0; {
		handle, host := handleAt(text[i+size:], source)
		full := fullHandle(handle, host)
		if isWordBoundary(text[:i]) {
			handles.add(strings.ToLower(full))
			handles.add(strings.ToLower(handle))
		}
		i, size = nextAtSign(text, i+size+len(full))
	}
}

func nextAtSign(text string, from int) (at, size int) { return nextSign(text, from, '@', "＠") }

// handleAt returns the handle at the start of text, or "", and its host, as in
// name@mastodon.example.
func handleAt(text string, source earshot.Source) (handle, host string) {
	end, lettered := handleRun(text, joiners(source))
	if !lettered {
		return "", ""
	}
	handle = text[:end]
	if rest, ok := strings.CutPrefix(text[end:], "@"); ok {
		host = hostAt(rest)
	}
	return handle, host
}

// fullHandle returns the handle with its host, if any.
func fullHandle(handle, host string) string {
	if host == "" {
		return handle
	}
	return handle + "@" + host
}

// joiners returns the characters, other than those of a tag, that handles on a network may contain.
// @acme.shop is one account on Instagram, but on Twitter it is @acme.
func joiners(source earshot.Source) string {
	switch source {
	case earshot.Instagram, earshot.Threads:
		return "."
	case earshot.Bluesky, earshot.Mastodon, earshot.YouTube:
		return ".-"
	}
	return ""
}

// handleRun returns the end of the handle at the start of text, and whether it has a letter. A
// handle in Latin letters ends where a script without spaces begins: @acmeさん.
func handleRun(text, joiners string) (end int, hasLetter bool) {
	for i, r := range text {
		switch {
		case unicode.IsLetter(r):
			if r >= utf8.RuneSelf && text[0] < utf8.RuneSelf && unicode.In(r, unspacedScripts...) {
				return i, hasLetter
			}
			hasLetter = true
		case !isTagRune(r) && !(strings.ContainsRune(joiners, r) && isHandleStart(text[i+1:])):
			return i, hasLetter
		}
	}
	return len(text), hasLetter
}

// unspacedScripts are scripts that write words, or suffixes of names, without spaces.
var unspacedScripts = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
}

// isHandleStart reports whether a handle can continue with text after a joiner.
func isHandleStart(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return r == '_' || r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

// hostAt returns the host at the start of text, or "". A host contains a dot.
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

// fillUsername sets the username of a microblog post from its author.
func fillUsername(p *earshot.Post) {
	if p.AuthorUsername == "" && p.Source.IsMicroblog() {
		p.AuthorUsername = p.Handle()
	}
}
