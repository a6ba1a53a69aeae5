package demo

import (
	"math"
	"math/rand/v2"
	"strings"

	"earshot"
)

// style determines the length of a network's posts.
type style int

const (
	short   style = iota // one or two sentences and hashtags
	caption              // the same below an image, with more hashtags
	talk                 // up to three sentences
	article              // a title and several sentences
)

// byline determines how a network names authors.
type byline int

const (
	handleAndName byline = iota
	nameOnly
	handleOnly
)

// A network describes a source and how people use it. In url and guid, {user} stands for the
// author's username, {host} for the username in a form valid in host names, {id} for the post's
// number, {code} for a shorter form of the number, and {site} for the author's site.
type network struct {
	source      earshot.Source
	share       float64 // percentage of all posts
	style       style
	byline      byline
	profile     bool               // whether posts have the author's counters and bio
	geotags     bool               // whether posts may have a geolocation
	repostShare float64            // share of posts that repost another one
	replyShare  float64            // share of posts that reply to another one
	replyKind   earshot.Engagement // engagement type of such a post
	counters    []counter          // counters of a post
	guid        string
	url         string
	sites       []string
}

var networks = []network{
	{source: earshot.Twitter, share: 38, style: short, byline: handleAndName, profile: true, geotags: true,
		repostShare: 0.28, replyShare: 0.20, replyKind: earshot.Reply, counters: []counter{likes, retweets, replies},
		guid: "{id}", url: "http://twitter.com/{user}/status/{id}"},
	{source: earshot.Instagram, share: 12, style: caption, byline: handleOnly, profile: true, geotags: true,
		replyShare: 0.20, replyKind: earshot.Comment, counters: []counter{likes, comments},
		guid: "ig-{code}", url: "https://www.instagram.com/p/{code}/"},
	{source: earshot.Facebook, share: 8, style: talk, byline: nameOnly, geotags: true,
		replyShare: 0.45, replyKind: earshot.Comment, counters: []counter{likes, shares, comments},
		guid: "fb-{id}", url: "https://www.facebook.com/{user}/posts/{id}"},
	{source: earshot.Tumblr, share: 3, style: talk, byline: handleOnly, profile: true, counters: []counter{likes},
		guid: "tu-{id}", url: "https://{host}.tumblr.com/post/{id}"},
	{source: earshot.Blogs, share: 5, style: article, byline: nameOnly,
		guid: "bl-{code}", url: "https://{host}.{site}/{code}",
		sites: []string{"kitchennotes.example", "slowmornings.example", "cupandsaucer.example"}},
	{source: earshot.News, share: 7, style: article, byline: nameOnly,
		guid: "ne-{code}", url: "https://www.{site}/business/{code}",
		sites: []string{"dailyledger.example", "morningcourier.example", "citytribune.example", "tradepost.example", "eveningherald.example"}},
	{source: earshot.Forums, share: 5, style: talk, byline: handleOnly, replyShare: 0.55, replyKind: earshot.Reply,
		guid: "fo-{code}", url: "https://{site}/t/{code}",
		sites: []string{"grinderforum.example", "homebarista.example", "fixityourself.example"}},
	{source: earshot.Reviews, share: 5, style: article, byline: handleOnly,
		guid: "re-{code}", url: "https://{site}/review/{code}",
		sites: []string{"honestbuyers.example", "testedathome.example"}},
	{source: earshot.Comments, share: 4, style: talk, byline: handleOnly, replyShare: 1, replyKind: earshot.Comment,
		guid: "co-{code}", url: "https://www.{site}/comment/{code}",
		sites: []string{"dailyledger.example", "morningcourier.example", "citytribune.example"}},
	{source: earshot.Reddit, share: 5, style: talk, byline: handleOnly, replyShare: 0.60, replyKind: earshot.Comment, counters: []counter{likes, comments},
		guid: "rd-{code}", url: "https://www.reddit.com/r/coffee/comments/{code}/"},
	{source: earshot.YouTube, share: 3, style: talk, byline: nameOnly, replyShare: 0.60, replyKind: earshot.Comment, counters: []counter{views, likes, comments},
		guid: "yt-{code}", url: "https://www.youtube.com/watch?v={code}"},
	{source: earshot.Bluesky, share: 3, style: short, byline: handleAndName, profile: true,
		repostShare: 0.12, replyShare: 0.25, replyKind: earshot.Reply, counters: []counter{likes, retweets, replies},
		guid: "bs-{code}", url: "https://bsky.app/profile/{host}.bsky.social/post/{code}"},
	{source: earshot.Mastodon, share: 2, style: short, byline: handleAndName, profile: true,
		repostShare: 0.12, replyShare: 0.25, replyKind: earshot.Reply, counters: []counter{likes, retweets, replies},
		guid: "ma-{id}", url: "https://mastodon.social/@{user}/{id}"},
}

// hackerNews is a network that only live sources of the demo have.
var hackerNews = network{source: earshot.HackerNews, style: talk, byline: handleOnly, replyShare: 0.6, replyKind: earshot.Comment, counters: []counter{likes},
	guid: "hn-{code}", url: "https://news.ycombinator.com/item?id={id}"}

var networkShares = func() []float64 {
	weights := make([]float64, len(networks))
	for i, n := range networks {
		weights[i] = n.share
	}
	return cumulate(weights)
}()

func networkOf(s earshot.Source) *network {
	if s == earshot.HackerNews {
		return &hackerNews
	}
	for i := range networks {
		if networks[i].source == s {
			return &networks[i]
		}
	}
	panic("demo: no habits for " + string(s))
}

// expand fills in a guid or url pattern.
func (n *network) expand(pattern, user, id, code, site string) string {
	var b strings.Builder
	for pattern != "" {
		text, rest, slotted := strings.Cut(pattern, "{")
		b.WriteString(text)
		if !slotted {
			break
		}
		name, after, _ := strings.Cut(rest, "}")
		switch name {
		case "user":
			b.WriteString(user)
		case "host":
			b.WriteString(strings.ReplaceAll(user, "_", "-"))
		case "id":
			b.WriteString(id)
		case "code":
			b.WriteString(code)
		case "site":
			b.WriteString(site)
		}
		pattern = after
	}
	return b.String()
}

// host returns the host of a URL, without www.
func host(url string) string {
	_, rest, _ := strings.Cut(url, "://")
	name, _, _ := strings.Cut(rest, "/")
	return strings.TrimPrefix(name, "www.")
}

// A counter sets a counter of a post from its reach.
type counter func(p *earshot.Post, reach float64)

func likes(p *earshot.Post, reach float64)    { p.Likes = newCount(reach * 0.02) }
func comments(p *earshot.Post, reach float64) { p.Comments = newCount(reach * 0.004) }
func shares(p *earshot.Post, reach float64)   { p.Shares = newCount(reach * 0.003) }
func retweets(p *earshot.Post, reach float64) { p.Retweets = newCount(reach * 0.005) }
func replies(p *earshot.Post, reach float64)  { p.Replies = newCount(reach * 0.003) }
func views(p *earshot.Post, reach float64)    { p.Views = newCount(reach) }

func newCount(x float64) earshot.Count { return earshot.Counted(int64(x)) }

// reach returns the number of people who see a post. Most posts are seen by few of the followers,
// some by many more people than follow.
func reach(r *rand.Rand, followers int64) float64 {
	return (float64(followers) + 30) * math.Exp(r.NormFloat64()-0.5)
}
