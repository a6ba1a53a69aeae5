package demo

import (
	"earshot"
)

// A recentPost is a post that others can repost or reply to.
type recentPost struct {
	subject
	topic     topic
	guid      string
	username  string
	pageID    string
	contents  string
	language  string
	hashtags  []string
	followers int64
}

// recentPosts is a ring buffer of the latest posts of a network that others can refer to.
type recentPosts struct {
	posts []recentPost
	next  int
}

// maxRecentPosts is the number of posts kept per network. It is small, because people react to
// recent posts.
const maxRecentPosts = 200

func (m *recentPosts) add(h recentPost) {
	if len(m.posts) < maxRecentPosts {
		m.posts = append(m.posts, h)
		return
	}
	m.posts[m.next] = h
	m.next = (m.next + 1) % maxRecentPosts
}

// remember makes a post available to later reposts and replies. On Facebook people reply only to
// the brand's page, because other posts are private.
func (w *writer) remember(p *earshot.Post, d draft, m theme) {
	if d.source == earshot.Facebook && d.topic != ownVoice {
		return
	}
	if w.recent[d.source] == nil {
		w.recent[d.source] = &recentPosts{}
	}
	w.recent[d.source].add(recentPost{
		subject:   m.subject,
		topic:     m.topic,
		guid:      p.GUID,
		username:  p.AuthorUsername,
		pageID:    p.PageID,
		contents:  p.Contents,
		language:  p.Language,
		hashtags:  p.Hashtags,
		followers: d.by.followers,
	})
}

// recall finds an earlier post for the draft to refer to: among twelve random ones, the suitable
// post by the author with the most followers.
func (w *writer) recall(s earshot.Source, d draft) (*recentPost, bool) {
	m := w.recent[s]
	if m == nil {
		return nil, false
	}
	var best *recentPost
	for range 12 {
		h := &m.posts[w.r.IntN(len(m.posts))]
		if h.suits(d) && (best == nil || h.followers > best.followers) {
			best = h
		}
	}
	return best, best != nil
}

// suits reports whether the author of a draft could react to h: h has the same topic and language,
// or it is a post by a brand that the draft is about.
func (h *recentPost) suits(d draft) bool {
	if h.topic == ownVoice {
		return d.topic == machines || d.topic != chatter && h.brand == Brand
	}
	return h.language == d.by.home.language && h.topic == d.topic
}

// replySource returns the source of the posts that people on the network reply to. Comments refer
// to news articles, everything else to posts of the same source.
func (n *network) replySource() earshot.Source {
	if n.source == earshot.Comments {
		return earshot.News
	}
	return n.source
}
