package bluesky

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"time"

	"earshot"
	"earshot/internal/connector"
)

// A record is the content of a post, as written by the author's program. It may contain anything,
// because no server validates it. Fields of the wrong type stay empty.
type record struct {
	Text      string    `json:"text"`
	CreatedAt string    `json:"createdAt"`
	Langs     []string  `json:"langs"`
	Tags      []string  `json:"tags"` // hashtags that are not in the text
	Facets    []facet   `json:"facets"`
	Reply     *replyRef `json:"reply"`
	Embed     *embed    `json:"embed"`
}

type replyRef struct {
	Parent link `json:"parent"`
}

// A link is a reference to a record.
type link struct {
	URI string `json:"uri"`
}

// A facet gives a part of the text a meaning. Offsets count bytes.
type facet struct {
	Index struct {
		Start int `json:"byteStart"`
		End   int `json:"byteEnd"`
	} `json:"index"`
	Features []struct {
		Type string `json:"$type"`
		DID  string `json:"did"`
		URI  string `json:"uri"`
		Tag  string `json:"tag"`
	} `json:"features"`
}

// An embed is the part of a post below its text: images, a video, a link or another post. Each kind
// uses some of the fields.
type embed struct {
	media
	Record *quote `json:"record"` // app.bsky.embed.record and recordWithMedia
	Media  *media `json:"media"`  // recordWithMedia
}

type media struct {
	Images   []image `json:"images"`
	Items    []image `json:"items"` // of a gallery
	Video    *blob   `json:"video"`
	Alt      string  `json:"alt"` // of the video
	External *struct {
		URI         string `json:"uri"`
		Title       string `json:"title"`
		Description string `json:"description"`
	} `json:"external"`
}

type image struct {
	Image blob   `json:"image"`
	Alt   string `json:"alt"`
}

// A quote is a reference to a quoted post, which recordWithMedia nests once more.
type quote struct {
	link
	Record *link `json:"record"`
}

// A blob is a file. Old records have its ID in CID.
type blob struct {
	Ref struct {
		Link string `json:"$link"`
	} `json:"ref"`
	CID string `json:"cid"`
}

// maxSkew is how far the date stated by an author may be from the time when the server received the
// post. If it is farther off, the server's time is used.
const maxSkew = 24 * time.Hour

// newPost returns the post that a record describes, without the profile of its author, or the reason
// why there is none.
func newPost(did, rkey string, data []byte, seen time.Time) (p earshot.Post, skip string) {
	var r record
	if !decode(data, &r) {
		return p, undecodable
	}
	p = earshot.Post{
		Source:          earshot.Bluesky,
		GUID:            recordURI(did, postCollection, rkey),
		Site:            site,
		Time:            postTime(r.CreatedAt, seen),
		Contents:        r.Text,
		AuthorProfileID: did,
		PageID:          did,
		Engagement:      earshot.OriginalPost,
	}
	if len(r.Langs) > 0 {
		p.Language = r.Langs[0]
	}
	p.URL = postURL(did, rkey)
	r.addFacets(&p)
	r.addEmbed(&p)
	if r.Reply != nil && r.Reply.Parent.URI != "" {
		p.Engagement, p.ParentGUID = earshot.Reply, r.Reply.Parent.URI
	}
	return p, connector.Clean(&p)
}

// decode reads a JSON value, ignoring fields of the wrong type.
func decode(data []byte, v any) bool {
	err := json.Unmarshal(data, v)
	var mismatch *json.UnmarshalTypeError
	return err == nil || errors.As(err, &mismatch) && bytes.HasPrefix(data, []byte("{"))
}

const site = "bsky.app"

// postURL returns the address of a post's page. account is a handle or the ID of an account.
func postURL(account, rkey string) string {
	return "https://" + site + "/profile/" + account + "/post/" + rkey
}

func postTime(stated string, seen time.Time) time.Time {
	t, err := time.Parse(time.RFC3339Nano, stated)
	if err != nil || t.Sub(seen).Abs() > maxSkew {
		return seen
	}
	return t.UTC()
}

func (r *record) addFacets(p *earshot.Post) {
	for _, f := range r.Facets {
		for _, feature := range f.Features {
			_, kind, _ := strings.Cut(feature.Type, "#")
			switch kind {
			case "tag":
				p.Hashtags = append(p.Hashtags, feature.Tag)
			case "link":
				p.Links = append(p.Links, feature.URI)
			case "mention":
				p.Mentions = append(p.Mentions, handleIn(r.Text, f.Index.Start, f.Index.End))
			}
		}
	}
	p.Hashtags = append(p.Hashtags, r.Tags...)
}

// handleIn returns the handle in a part of a text, or "" if there is none.
func handleIn(text string, start, end int) string {
	if start < 0 || end > len(text) || start >= end {
		return ""
	}
	handle := strings.TrimPrefix(text[start:end], "@")
	if !validChars([]byte(handle), ".-") {
		return ""
	}
	return handle
}

// addEmbed adds what a post shows below its text. A post without text gets the descriptions of its
// images or the title of its link as text.
func (r *record) addEmbed(p *earshot.Post) {
	e := r.Embed
	if e == nil {
		return
	}
	said := e.media.add(p)
	if e.Media != nil {
		said = append(said, e.Media.add(p)...)
	}
	if e.Record != nil {
		quoted := e.Record.URI
		if e.Record.Record != nil {
			quoted = e.Record.Record.URI
		}
		// A quote is a separate post. Its parent is the quoted post.
		if _, _, ok := splitURI(quoted); ok {
			p.ParentGUID = quoted
		}
	}
	if strings.TrimSpace(p.Contents) == "" {
		p.Contents = strings.TrimSpace(strings.Join(said, "\n"))
	}
}

// add adds images, videos and links to a post. It returns their descriptions.
func (m *media) add(p *earshot.Post) (said []string) {
	for _, list := range [][]image{m.Images, m.Items} {
		for _, i := range list {
			if cid := i.Image.id(); cid != "" {
				address := "https://cdn.bsky.app/img/feed_fullsize/plain/" + p.PageID + "/" + cid + "@jpeg"
				p.Images = append(p.Images, earshot.Image{URL: address, Alt: i.Alt})
				p.MediaURLs = append(p.MediaURLs, address)
				said = append(said, i.Alt)
			}
		}
	}
	if m.Video != nil {
		if cid := m.Video.id(); cid != "" {
			p.MediaURLs = append(p.MediaURLs, "https://video.bsky.app/watch/"+url.QueryEscape(p.PageID)+"/"+cid+"/playlist.m3u8")
			said = append(said, m.Alt)
		}
	}
	if m.External != nil && m.External.URI != "" {
		p.Links = append(p.Links, m.External.URI)
		said = append(said, m.External.Title, m.External.Description)
	}
	return said
}

// id returns the ID of a file, or "" if it has none that can be part of a URL.
func (b *blob) id() string {
	id := b.Ref.Link
	if id == "" {
		id = b.CID
	}
	if len(id) > 256 || !validChars([]byte(id), "") {
		return ""
	}
	return id
}

// repostRecord is the content of a repost.
type repostRecord struct {
	CreatedAt string `json:"createdAt"`
	Subject   link   `json:"subject"`
}
