package feed

import (
	"bytes"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// feedTypes are the media types of links to feeds. The second half is also used for other documents.
var (
	feedTypes   = []string{"application/rss+xml", "application/atom+xml", "application/feed+json", "application/rdf+xml", "application/x-rss+xml"}
	sharedTypes = []string{"application/json", "application/xml", "text/xml"}
)

// usualPaths are where sites that do not link to their feed usually have it.
var usualPaths = []string{"/feed", "/rss", "/atom.xml", "/feed.json", "/index.xml", "/rss.xml", "/feed.xml"}

// maxCandidates limits the links of a page that are tried.
const maxCandidates = 5

// discover returns where the feed of a page may be, best first: the feeds that it links to, then
// the usual paths of its site.
func discover(body []byte, base *url.URL) []string {
	linked := feedLinks(body, base)
	linked = linked[:min(len(linked), maxCandidates)]
	for _, path := range usualPaths {
		if u := base.ResolveReference(&url.URL{Path: path}).String(); !slices.Contains(linked, u) {
			linked = append(linked, u)
		}
	}
	return linked
}

// feedLinks returns the feeds that a page links to: first those that are certainly feeds, and last
// the feeds of comments, which are hardly ever wanted.
func feedLinks(body []byte, base *url.URL) []string {
	var sure, maybe, comments []string
	z := html.NewTokenizer(bytes.NewReader(body))
	for len(sure)+len(maybe)+len(comments) < 100 {
		kind := z.Next()
		if kind == html.ErrorToken {
			break
		}
		if kind != html.StartTagToken && kind != html.SelfClosingTagToken {
			continue
		}
		name, more := z.TagName()
		tag := atom.Lookup(name)
		if tag != atom.Link && tag != atom.Base {
			continue
		}
		attributes := map[string]string{}
		for more {
			var key, value []byte
			key, value, more = z.TagAttr()
			if _, ok := attributes[string(key)]; !ok {
				attributes[string(key)] = string(value)
			}
		}
		u, err := base.Parse(strings.TrimSpace(attributes["href"]))
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || attributes["href"] == "" || len(u.String()) > maxAddress {
			continue
		}
		if tag == atom.Base {
			base = u
			continue
		}
		u.Fragment, u.RawFragment = "", ""
		address := u.String()
		rels := strings.Fields(strings.ToLower(attributes["rel"]))
		mediaType, _, _ := strings.Cut(strings.ToLower(attributes["type"]), ";")
		mediaType = strings.TrimSpace(mediaType)
		isFeed := slices.Contains(rels, "feed") || slices.Contains(feedTypes, mediaType)
		switch {
		case !slices.Contains(rels, "feed") && !slices.Contains(rels, "alternate"):
		case slices.Contains(slices.Concat(sure, maybe, comments), address):
		case isFeed && strings.Contains(strings.ToLower(u.Path+attributes["title"]), "comment"):
			comments = append(comments, address)
		case isFeed:
			sure = append(sure, address)
		case slices.Contains(sharedTypes, mediaType):
			maybe = append(maybe, address)
		}
	}
	return slices.Concat(sure, maybe, comments)
}
