package enrich

import (
	"net"
	"strings"
	"unicode"

	"earshot"
)

// maxLink is the maximum length of a URL in bytes. Longer ones are noise.
const maxLink = 2048

// fillLinks extracts the URLs from a post's text.
func fillLinks(p *earshot.Post) {
	if len(p.Links) > 0 {
		return
	}
	var links stringSet
	findLinks(p.Title, &links)
	findLinks(p.Contents, &links)
	p.Links = links.values
}

// findLinks adds the http and https URLs in text.
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

// schemeBefore returns the start of the http or https that ends at i.
func schemeBefore(text string, i int) (start int, ok bool) {
	for _, scheme := range []string{"https", "http"} {
		if start = i - len(scheme); start >= 0 && strings.EqualFold(text[start:i], scheme) {
			return start, true
		}
	}
	return 0, false
}

// linkLength returns the length of what follows the scheme of a URL. text starts after "://".
func linkLength(text string) int {
	end := strings.IndexFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || strings.ContainsRune("<>\"“”«»|`{}\\", r)
	})
	if end < 0 {
		return len(text)
	}
	return end
}

// trimLink removes from a URL what belongs to the surrounding sentence: trailing punctuation and a
// closing bracket without an opening one. It returns "" if nothing follows the scheme.
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

func fillSite(p *earshot.Post) {
	if p.Site == "" {
		p.Site = siteOf(p.URL)
	}
}

// siteOf returns the host of a URL in lower case, without "www." or a port, or "". It does not
// validate the rest, so a post with an invalid URL still counts for its site.
func siteOf(address string) string {
	_, rest, found := strings.Cut(address, "://")
	if !found {
		return ""
	}
	if end := strings.IndexAny(rest, `/?#\`); end >= 0 {
		rest = rest[:end]
	}
	host := rest[strings.LastIndexByte(rest, '@')+1:]
	if bare, _, err := net.SplitHostPort(host); err == nil {
		host = bare
	}
	host = strings.TrimSuffix(strings.ToLower(strings.Trim(host, "[]")), ".")
	if strings.ContainsAny(host, " \t\r\n\"<>") {
		return ""
	}
	return strings.TrimPrefix(host, "www.")
}
