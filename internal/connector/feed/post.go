package feed

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/mmcdole/gofeed"
	"github.com/mmcdole/gofeed/atom"
	ext "github.com/mmcdole/gofeed/extensions"
	"github.com/mmcdole/gofeed/json"

	"earshot"
	"earshot/internal/connector"
	"earshot/internal/connector/htmltext"
)

// An entry is an item of a document, as a post. The post has no guid yet, and a time only if the
// item is dated.
type entry struct {
	post    earshot.Post
	link    *url.URL // canonical; nil: none
	foreign bool     // the link is to another site than the one that serves the feed
	guid    string   // from the feed; "": none
	summary bool     // the text is not the whole article
}

// entries returns the items of a document that was read from base.
func entries(doc *gofeed.Feed, base *url.URL, source earshot.Source) []entry {
	server := site(base)
	if home, err := base.Parse(strings.TrimSpace(doc.Link)); err == nil && doc.Link != "" {
		base = home
	}
	list := make([]entry, 0, min(len(doc.Items), maxItems))
	for i, item := range doc.Items {
		if len(list) == maxItems {
			break
		}
		if item != nil {
			e := newEntry(doc, i, base, source)
			e.foreign = e.link != nil && site(e.link) != server
			list = append(list, e)
		}
	}
	return list
}

func newEntry(doc *gofeed.Feed, index int, base *url.URL, source earshot.Source) entry {
	item := doc.Items[index]
	e := entry{guid: strings.TrimSpace(item.GUID), link: itemLink(item, base)}
	if e.link != nil {
		base = e.link
	}
	media := mediaOf(item)
	content := toText(item.Content, base)
	if summary := toText(firstNonEmpty(item.Description, media.description), base); len(summary.Text) > len(content.Text) {
		e.summary = item.Content != "" || len(summary.Text) < 2000
		content.Text = summary.Text
		content.Links = append(content.Links, summary.Links...)
		content.Images = append(content.Images, summary.Images...)
	}
	e.summary = e.summary || isCut(content.Text)

	p := &e.post
	p.Source = source
	p.Title = oneLine(toText(item.Title, base).Text)
	p.Contents = firstNonEmpty(content.Text, p.Title)
	p.Time = date(item)
	p.Language = firstNonEmpty(itemLanguage(doc, index), doc.Language)
	p.Author, p.AuthorProfileID = author(doc, index)
	if e.link != nil {
		p.URL = e.link.String()
	}
	for _, link := range content.Links {
		if u := canonical(link); u != nil && u.String() != p.URL {
			p.Links = append(p.Links, u.String())
		}
	}
	for _, category := range item.Categories {
		if tag := strings.TrimSpace(category); strings.HasPrefix(tag, "#") && !strings.ContainsAny(tag, " \t\n") {
			p.Hashtags = append(p.Hashtags, tag)
		}
	}
	e.addMedia(content.Images, media, base)
	if p.Contents == "" {
		var alts []string
		for _, i := range p.Images {
			alts = append(alts, i.Alt)
		}
		p.Contents = strings.TrimSpace(strings.Join(alts, "\n"))
	}
	return e
}

func (e *entry) addMedia(inText []htmltext.Image, m media, base *url.URL) {
	known := map[string]bool{}
	add := func(address, alt string, image bool) {
		u, err := base.Parse(strings.TrimSpace(address))
		if err != nil || address == "" || u.Scheme != "http" && u.Scheme != "https" || known[u.String()] {
			return
		}
		known[u.String()] = true
		e.post.MediaURLs = append(e.post.MediaURLs, u.String())
		if image {
			e.post.Images = append(e.post.Images, earshot.Image{URL: u.String(), Alt: alt})
		}
	}
	for _, i := range m.images {
		add(i, "", true)
	}
	for _, i := range inText {
		add(i.URL, i.Alt, true)
	}
	if len(known) == 0 {
		add(m.thumbnail, "", true)
	}
	for _, address := range m.other {
		add(address, "", false)
	}
}

// key returns the guid of the post: its canonical link, so that an article in several feeds is one
// post, or else the item's guid in its feed. A link to another site comes with the team, so that a
// feed cannot replace posts of that site or of another team. A feed whose items share links
// uses only its guids. The result is "" if the item has neither.
func (e *entry) key(feed string, team earshot.TeamID, sharedLinks bool) string {
	if e.link != nil && !sharedLinks {
		key := linkKey(e.link)
		if e.foreign {
			key = fmt.Sprintf("team %d %s", team, key)
		}
		if len(key) <= maxAddress {
			return key
		}
	}
	guid := e.guid
	if guid == "" && e.link != nil {
		guid = e.link.String() + "#" + e.post.Title
	}
	if guid == "" && e.post.Contents != "" {
		guid = firstNonEmpty(e.post.Title, e.post.Contents)
	}
	if guid == "" {
		return ""
	}
	key := feed + " " + oneLine(guid)
	if len(key) > maxAddress {
		return feed + " " + hashText(guid)
	}
	return key
}

// sharedLinks reports whether different items of a document have the same link, such as the home
// page of a status page.
func sharedLinks(list []entry) bool {
	guids := map[string]string{}
	for i := range list {
		e := &list[i]
		if e.link == nil {
			continue
		}
		id := firstNonEmpty(e.guid, e.post.Title)
		if u := canonical(e.guid); u != nil && u.Host == e.link.Host && u.Path == e.link.Path {
			id = "" // the guid is the link, perhaps with the number of a version
		}
		if other, ok := guids[linkKey(e.link)]; ok && other != id {
			return true
		}
		guids[linkKey(e.link)] = id
	}
	return false
}

// contentHash returns a hash of what a reader sees. Images are not part of it, because many feeds
// sign image addresses again for each request.
func (e *entry) contentHash() uint32 {
	p := &e.post
	return uint32(hash(p.Title, p.Contents, p.Author, p.URL))
}

func itemLink(item *gofeed.Item, base *url.URL) *url.URL {
	candidates := []string{extensionText(item.Extensions, "feedburner", "origLink"), item.Link}
	if len(item.Links) > 0 {
		candidates = append(candidates, item.Links[0])
	}
	if strings.HasPrefix(item.GUID, "http://") || strings.HasPrefix(item.GUID, "https://") {
		candidates = append(candidates, item.GUID)
	}
	for _, link := range candidates {
		if link = strings.TrimSpace(link); link == "" || earshot.IsUnsafeLink(link) {
			continue
		}
		if u, err := base.Parse(link); err == nil {
			if u = canonical(u.String()); u != nil {
				return u
			}
		}
	}
	return nil
}

// date returns when an item was published, or the zero time.
func date(item *gofeed.Item) time.Time {
	for _, t := range []*time.Time{item.PublishedParsed, item.UpdatedParsed} {
		if t != nil && t.Year() >= 1971 && t.Year() < 2100 {
			return t.UTC().Truncate(time.Second)
		}
	}
	return time.Time{}
}

// author returns the names of an item's authors, or else of the feed's, and the page of the first
// one. Email addresses without a name are left out.
func author(doc *gofeed.Feed, index int) (names, page string) {
	join := func(people []*gofeed.Person) string {
		var names []string
		for _, p := range people {
			if p != nil && oneLine(p.Name) != "" && !strings.Contains(p.Name, "@") {
				names = append(names, oneLine(p.Name))
			}
		}
		return strings.Join(names[:min(len(names), 10)], ", ")
	}
	names = join(doc.Items[index].Authors)
	switch original := doc.OriginalFeed().(type) {
	case *atom.Feed:
		if people := original.Entries[index].Authors; len(people) > 0 {
			page = people[0].URI
		}
	case *json.Feed:
		if people := original.Items[index].Authors; len(people) > 0 && people[0] != nil {
			page = people[0].URL
		} else if a := original.Items[index].Author; a != nil {
			page = a.URL
		}
	}
	if names == "" {
		names = join(doc.Authors)
	}
	if earshot.IsUnsafeLink(page) {
		page = ""
	}
	return names, strings.TrimSpace(page)
}

func itemLanguage(doc *gofeed.Feed, index int) string {
	if original, ok := doc.OriginalFeed().(*json.Feed); ok {
		return original.Items[index].Language
	}
	if dc := doc.Items[index].DublinCoreExt; dc != nil && len(dc.Language) > 0 {
		return dc.Language[0]
	}
	return ""
}

// media are the files that belong to an item.
type media struct {
	images, other []string
	thumbnail     string
	description   string // plain text; YouTube has no other
}

func mediaOf(item *gofeed.Item) media {
	var m media
	if item.Image != nil {
		m.images = append(m.images, item.Image.URL)
	}
	for _, e := range item.Enclosures {
		if e != nil {
			m.add(e.URL, e.Type, "")
		}
	}
	m.module(item.Extensions["media"])
	for _, group := range item.Extensions["media"]["group"] {
		m.module(group.Children)
	}
	return m
}

// module adds the elements of the Media RSS module.
func (m *media) module(elements map[string][]ext.Extension) {
	for _, c := range elements["content"] {
		m.add(c.Attrs["url"], c.Attrs["type"], c.Attrs["medium"])
		m.module(c.Children)
	}
	if list := elements["thumbnail"]; len(list) > 0 && m.thumbnail == "" {
		m.thumbnail = list[0].Attrs["url"]
	}
	if list := elements["description"]; len(list) > 0 && m.description == "" {
		m.description = list[0].Value
	}
}

func (m *media) add(address, contentType, medium string) {
	switch {
	case address == "" || strings.HasPrefix(contentType, "text/"):
	case strings.HasPrefix(contentType, "image/") || medium == "image":
		m.images = append(m.images, address)
	default:
		m.other = append(m.other, address)
	}
}

func extensionText(extensions ext.Extensions, prefix, name string) string {
	if list := extensions[prefix][name]; len(list) > 0 {
		return list[0].Value
	}
	return ""
}

// clean completes a post that has its guid and time. It returns the reason if the post cannot be
// stored.
func clean(p *earshot.Post, page string) (skip string) {
	p.PageID = page
	return connector.Clean(p)
}

func firstNonEmpty(list ...string) string {
	for _, s := range list {
		if strings.TrimSpace(s) != "" {
			return s
		}
	}
	return ""
}
