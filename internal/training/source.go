package training

import (
	"net/url"
	"strings"

	"earshot"
)

// sites are the domains of networks. Posts on other sites may be anything.
var sites = map[string]earshot.Source{
	"twitter.com":     earshot.Twitter,
	"x.com":           earshot.Twitter,
	"facebook.com":    earshot.Facebook,
	"instagram.com":   earshot.Instagram,
	"tumblr.com":      earshot.Tumblr,
	"plus.google.com": earshot.GooglePlus,
	"youtube.com":     earshot.YouTube,
	"youtu.be":        earshot.YouTube,
	"reddit.com":      earshot.Reddit,
	"bsky.app":        earshot.Bluesky,
	"threads.net":     earshot.Threads,
	"threads.com":     earshot.Threads,
	"mastodon.social": earshot.Mastodon,
}

// sourceOf returns the network that a url is of, or nothing.
func sourceOf(address string) earshot.Source {
	if !strings.Contains(address, "://") {
		address = "//" + address
	}
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	host := strings.ToLower(u.Hostname())
	for {
		if network, ok := sites[host]; ok {
			return network
		}
		_, above, more := strings.Cut(host, ".")
		if !more {
			return ""
		}
		host = above
	}
}
