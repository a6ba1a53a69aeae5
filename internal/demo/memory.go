package demo

import (
	"earshot"
)

// A heard post can be repeated or answered.
type heard struct {
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

// A memory holds the latest posts of a network that others may refer to.
type memory struct {
	posts []heard
	next  int
}

// remembered is how many posts a memory holds.
const remembered = 200

func (m *memory) add(h heard) {
	if len(m.posts) < remembered {
		m.posts = append(m.posts, h)
		return
	}
	m.posts[m.next] = h
	m.next = (m.next + 1) % remembered
}

// remember makes a post available to those that come after it. People on
// Facebook answer the brand's page only: posts of others are theirs alone.
func (w *writer) remember(p *earshot.Post, d draft, m matter) {
	if d.source == earshot.Facebook && d.topic != ownVoice {
		return
	}
	if w.recent[d.source] == nil {
		w.recent[d.source] = &memory{}
	}
	w.recent[d.source].add(heard{
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

// recall finds an earlier post for the draft to refer to: of three that suit, the
// one by the author with most followers.
func (w *writer) recall(s earshot.Source, d draft) (*heard, bool) {
	m := w.recent[s]
	if m == nil {
		return nil, false
	}
	var best *heard
	for range 12 {
		h := &m.posts[w.r.IntN(len(m.posts))]
		if h.suits(d) && (best == nil || h.followers > best.followers) {
			best = h
		}
	}
	return best, best != nil
}

// suits reports whether someone who has something to say on the draft's topic
// would come across h: it is about the same and in their language, or it is the
// brand speaking.
func (h *heard) suits(d draft) bool {
	if h.topic == ownVoice {
		return d.topic != chatter
	}
	return h.language == d.by.home.language && h.topic == d.topic
}

// answersTo is where the posts are that people of the network answer: comments
// stand below articles, everything else below posts of its own kind.
func (n *network) answersTo() earshot.Source {
	if n.source == earshot.Comments {
		return earshot.News
	}
	return n.source
}
