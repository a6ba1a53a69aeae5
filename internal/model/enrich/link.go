package enrich

import (
	"strings"
	"unicode"

	"earshot"
)

// maxLink is the length in bytes beyond which an address is taken for noise.
const maxLink = 2048

// fillLinks finds the addresses in a post's text.
func fillLinks(p *earshot.Post) {
	if len(p.Links) > 0 {
		return
	}
	var links stringSet
	findLinks(p.Title, &links)
	findLinks(p.Contents, &links)
	p.Links = links.values
}

// findLinks adds the http and https addresses of text.
func findLinks(text string, links *stringSet) {
	for {
		at := strings.Index(text, "://")
		if at < 0 {
			return
		}
		start, ok := schemeBefore(text, at)
		end := at + len("://")
		if ok {
			end += linkLength(text[end:])
			if link := text[start:end]; len(link) <= maxLink {
				links.add(trimLink(link))
			}
		}
		text = text[end:]
	}
}

// schemeBefore returns where the http or https that ends at i begins.
func schemeBefore(text string, i int) (start int, ok bool) {
	for _, scheme := range []string{"https", "http"} {
		if start = i - len(scheme); start >= 0 && strings.EqualFold(text[start:i], scheme) {
			return start, true
		}
	}
	return 0, false
}

// linkLength returns how far an address reaches at the beginning of text.
func linkLength(text string) int {
	end := strings.IndexFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || strings.ContainsRune("<>\"“”«»|`{}\\", r)
	})
	if end < 0 {
		return len(text)
	}
	return end
}

// trimLink returns an address, or "" when nothing follows its scheme. It takes off what belongs to the sentence around an address: punctuation
// at its end, and a closing bracket that it did not open.
func trimLink(link string) string {
	for {
		trimmed := strings.TrimRight(link, ".,;:!?'*_…")
		for _, pair := range []string{"()", "[]"} {
			if strings.HasSuffix(trimmed, pair[1:]) && strings.Count(trimmed, pair[:1]) < strings.Count(trimmed, pair[1:]) {
				trimmed = trimmed[:len(trimmed)-1]
			}
		}
		if strings.HasSuffix(trimmed, "//") && strings.Count(trimmed, "/") == 2 {
			return ""
		}
		if trimmed == link {
			return link
		}
		link = trimmed
	}
}
