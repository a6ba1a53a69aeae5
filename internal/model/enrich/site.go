package enrich

import (
	"net"
	"strings"

	"earshot"
)

func fillSite(p *earshot.Post) {
	if p.Site == "" {
		p.Site = siteOf(p.URL)
	}
}

// siteOf returns the host of an address in lower case, without "www." and port,
// and "" when there is none. It does not check the rest of the address: a post
// with a crooked one still counts for its site.
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
