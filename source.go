package earshot

import (
	"slices"
	"strings"
)

// A Source is where a post was published: one of the networks below or, for custom content, the
// name of the content source.
type Source string

const (
	Twitter    Source = "Twitter"
	Facebook   Source = "Facebook"
	Instagram  Source = "Instagram"
	Tumblr     Source = "Tumblr"
	GooglePlus Source = "Google Plus"
	YouTube    Source = "YouTube"
	Blogs      Source = "Blogs"
	News       Source = "News"
	Forums     Source = "Forums"
	Reviews    Source = "Reviews"
	Comments   Source = "Comments"
	Reddit     Source = "Reddit"
	Bluesky    Source = "Bluesky"
	Mastodon   Source = "Mastodon"
	Threads    Source = "Threads"
	HackerNews Source = "Hacker News"
)

// Networks lists every source that is not custom content.
var Networks = []Source{
	Twitter, Facebook, Instagram, Tumblr, GooglePlus, YouTube, Blogs, News,
	Forums, Reviews, Comments, Reddit, Bluesky, Mastodon, Threads, HackerNews,
}

// Microblogs lists the sources that count as microblog content.
var Microblogs = []Source{Twitter, Bluesky, Mastodon, Threads}

// IsMicroblog reports whether s is one of the [Microblogs], whose posts the endpoints for microblog
// content count.
func (s Source) IsMicroblog() bool { return slices.Contains(Microblogs, s) }

// AnalysisName returns the name that analysis requests use for a network, for example GOOGLE_PLUS
// for Google Plus.
func (s Source) AnalysisName() string {
	return strings.ToUpper(strings.ReplaceAll(string(s), " ", "_"))
}

// FindNetwork returns the network with the given display name or analysis name. Case does not
// matter.
func FindNetwork(name string) (Source, bool) {
	for _, s := range Networks {
		if strings.EqualFold(name, string(s)) || strings.EqualFold(name, s.AnalysisName()) {
			return s, true
		}
	}
	return "", false
}
