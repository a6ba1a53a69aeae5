package hackernews

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"slices"
	"strconv"
	"time"

	"earshot"
	"earshot/internal/connector"
	"earshot/internal/connector/htmltext"
)

// An item is a story, comment, job, poll or poll option, as the network sends it:
//
//	{"by":"ann","descendants":15,"id":121003,"kids":[121016],"score":25,"text":"<i>or</i> HTML","time":1203647620,"title":"Ask HN: …","type":"story"}
type item struct {
	ID          int64   `json:"id"`
	Type        string  `json:"type"`
	By          string  `json:"by"`
	Time        int64   `json:"time"` // Unix seconds
	Title       string  `json:"title"`
	Text        string  `json:"text"` // HTML
	URL         string  `json:"url"`
	Parent      int64   `json:"parent"`
	Kids        []int64 `json:"kids"`
	Score       *int64  `json:"score"`
	Descendants *int64  `json:"descendants"`
	Deleted     bool    `json:"deleted"`
	Dead        bool    `json:"dead"` // killed by moderators or flags
}

// postTypes are the types of items that become posts. An option of a poll (pollopt) does not.
var postTypes = []string{"story", "comment", "job", "poll"}

var errWrongItem = errors.New("the response is not the requested item")

// decodeItem decodes the item with the given number. It returns nil if the item is not visible yet.
func decodeItem(b []byte, id int64) (*item, error) {
	var it *item
	if err := json.Unmarshal(b, &it); err != nil {
		return nil, fmt.Errorf("decode item %d: %w", id, err)
	}
	if it != nil && it.ID != id {
		return nil, errWrongItem
	}
	return it, nil
}

// gone reports whether the item must no longer be stored.
func (it *item) gone() bool { return it.Deleted || it.Dead }

// post converts an item to a post, or returns why it is skipped.
func (it *item) post(now time.Time) (p earshot.Post, skip string) {
	switch {
	case it.Deleted:
		return p, "deleted"
	case it.Dead:
		return p, "killed by moderators or flags"
	case !slices.Contains(postTypes, it.Type):
		return p, "of another type"
	}
	p = newPost(it.ID, it.By, time.Unix(it.Time, 0).UTC(), now)
	p.Title = htmltext.Text(it.Title)
	addText(&p, it.Text)
	if it.URL != "" {
		p.Links = append([]string{it.URL}, p.Links...)
	}
	if it.Type == "comment" {
		p.Engagement = earshot.Comment
		if it.Parent > 0 {
			p.ParentGUID = guid(it.Parent)
		}
		p.Replies = earshot.Counted(int64(len(it.Kids)))
	}
	p.Likes, p.Comments = count(it.Score), count(it.Descendants)
	return p, connector.Clean(&p)
}

// newPost returns a post with the fields that items and search hits have in common.
func newPost(id int64, author string, t, now time.Time) earshot.Post {
	if t.After(now.Add(time.Hour)) {
		t = now // a wrong clock must not put a post into the future
	}
	return earshot.Post{
		Source: earshot.HackerNews, GUID: guid(id), Time: t,
		URL: "https://news.ycombinator.com/item?id=" + guid(id), Site: "news.ycombinator.com",
		Author: author, AuthorUsername: author, AuthorProfileID: author, PageID: author,
		Engagement: earshot.OriginalPost,
	}
}

// addText sets the contents from HTML. A story without a text has its title as contents.
func addText(p *earshot.Post, html string) {
	doc := htmltext.Parse(html, nil)
	p.Contents, p.Links = doc.Text, doc.Links
	if p.Contents == "" {
		p.Contents = p.Title
	}
}

func guid(id int64) string { return strconv.FormatInt(id, 10) }

func count(n *int64) earshot.Count {
	if n == nil {
		return earshot.Count{}
	}
	return connector.CountOf(*n)
}

// A version identifies the stored version of an item, so that an unchanged item is not stored again.
type version struct{ text, counts uint32 }

func (it *item) version() version {
	return version{
		text:   hash(it.By, it.Title, it.Text, it.URL),
		counts: hash(strconv.Itoa(len(it.Kids)), fmt.Sprint(count(it.Score)), fmt.Sprint(count(it.Descendants))),
	}
}

func hash(parts ...string) uint32 {
	h := fnv.New32a()
	for _, s := range parts {
		_, _ = io.WriteString(h, s) // never fails
		_, _ = h.Write([]byte{0})
	}
	return h.Sum32()
}
