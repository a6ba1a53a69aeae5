package bench

import "earshot"

// An origin is a source where posts are published.
type origin struct {
	source  earshot.Source
	percent int      // of the posts that are not published on the network of their draft
	sites   []string // most frequent first
}

var origins = []origin{
	{earshot.Facebook, 30, []string{"facebook.com"}},
	{earshot.Instagram, 20, []string{"instagram.com"}},
	{earshot.Reddit, 15, []string{"reddit.com"}},
	{earshot.YouTube, 10, []string{"youtube.com"}},
	{earshot.News, 10, []string{"herald.example", "tribune.example", "courier.example", "gazette.example", "observer.example", "post.example"}},
	{earshot.Blogs, 10, []string{"blogs.example", "diary.example", "notes.example", "pages.example"}},
	{earshot.Forums, 5, []string{"board.example", "talk.example", "forum.example"}},
}

// stayPercent is the percentage of posts that are published on the network of their draft.
const stayPercent = 70

var homeSites = map[earshot.Source]string{
	earshot.Twitter:  "twitter.com",
	earshot.Bluesky:  "bsky.app",
	earshot.Mastodon: "mastodon.social",
}

// origin draws the source and site of a post.
func (w *writer) origin(network earshot.Source, d *rng) (earshot.Source, string) {
	if site := homeSites[network]; site != "" && d.chance(stayPercent) {
		return network, site
	}
	at := d.below(100)
	for _, o := range origins[:len(origins)-1] {
		if at -= o.percent; at < 0 {
			return o.source, o.sites[d.skewed(len(o.sites))]
		}
	}
	last := origins[len(origins)-1]
	return last.source, last.sites[d.skewed(len(last.sites))]
}
