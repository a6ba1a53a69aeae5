package mastodon

import (
	"cmp"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"time"
	"unicode"

	"earshot"
	"earshot/internal/connector"
	"earshot/internal/connector/htmltext"
)

// A status is a post, as servers send it in timelines and streams. Texts are HTML unless noted.
type status struct {
	ID               string    `json:"id"` // on this server
	URI              string    `json:"uri"`
	URL              string    `json:"url"`
	CreatedAt        time.Time `json:"created_at"`
	InReplyTo        string    `json:"in_reply_to_id"`
	InReplyToAccount string    `json:"in_reply_to_account_id"`
	Visibility       string    `json:"visibility"`
	Language         string    `json:"language"`
	Spoiler          string    `json:"spoiler_text"` // plain text
	Content          string    `json:"content"`
	Replies          *int64    `json:"replies_count"`
	Reblogs          *int64    `json:"reblogs_count"`
	Favourites       *int64    `json:"favourites_count"`
	Account          account   `json:"account"`
	Reblog           *status   `json:"reblog"`
	Quote            *quote    `json:"quote"`
	Media            []media   `json:"media_attachments"`
	Mentions         []mention `json:"mentions"`
	Tags             []tag     `json:"tags"`
	Card             *card     `json:"card"`
	Poll             *poll     `json:"poll"`
}

type account struct {
	URI         string  `json:"uri"` // since version 4.2
	URL         string  `json:"url"`
	Acct        string  `json:"acct"` // without a host for users of the server
	DisplayName string  `json:"display_name"`
	Note        string  `json:"note"`
	Followers   *int64  `json:"followers_count"`
	Following   *int64  `json:"following_count"`
	Statuses    *int64  `json:"statuses_count"`
	Indexable   *bool   `json:"indexable"`
	NoIndex     *bool   `json:"noindex"`
	Fields      []field `json:"fields"`
}

type field struct {
	Name  string `json:"name"` // plain text
	Value string `json:"value"`
}

type media struct {
	Type        string `json:"type"` // image, gifv, video, audio, unknown
	URL         string `json:"url"`
	RemoteURL   string `json:"remote_url"`
	Description string `json:"description"` // plain text
}

type mention struct {
	ID   string `json:"id"` // of the account, on this server
	Acct string `json:"acct"`
}

type tag struct {
	Name string `json:"name"`
}

type card struct {
	URL string `json:"url"`
}

type poll struct {
	Options []struct {
		Title string `json:"title"` // plain text
	} `json:"options"`
}

// A quote is a quoted post, which is missing if its author has not approved the quote.
type quote struct {
	Status *status `json:"quoted_status"`
}

func decodeStatus(b []byte) (*status, error) {
	st := &status{}
	if err := json.Unmarshal(b, st); err != nil {
		return nil, fmt.Errorf("decode post: %w", err)
	}
	if !validID(st.ID) {
		return nil, fmt.Errorf("decode post: it has no id")
	}
	return st, nil
}

func decodeTimeline(b []byte) ([]json.RawMessage, error) {
	var list []json.RawMessage
	if err := json.Unmarshal(b, &list); err != nil {
		return nil, fmt.Errorf("the timeline cannot be decoded: %w", err)
	}
	return list, nil
}

// validID reports whether s can be the id of a status. Servers other than Mastodon also use letters.
func validID(s string) bool {
	return s != "" && len(s) <= 64 && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r != '-' && r != '_'
	})
}

// compareIDs orders ids from old to new.
func compareIDs(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) }

// Reasons why posts are not stored. Stored posts that one of them later applies to are deleted.
const (
	notPublic     = "not public"
	noIndexing    = "author does not allow indexing"
	noSearch      = "author does not allow search engines"
	noBots        = "author asks bots to stay away"
	cannotDecode  = "cannot be decoded"
	tooLarge      = "too large"
	unknownEvents = "unknown kind of event"
)

// post converts a status to a post, or returns why it is skipped. It leaves the guid of the parent to
// the caller.
func (st *status) post(domain string, now time.Time) (p earshot.Post, skip string) {
	if skip := st.optOut(); skip != "" {
		return p, skip
	}
	p = earshot.Post{
		Source: earshot.Mastodon, GUID: st.URI, URL: cmp.Or(st.URL, st.URI), Time: st.CreatedAt.UTC(), Engagement: earshot.OriginalPost,
		PageID: cmp.Or(st.Account.URI, st.Account.URL),
	}
	if p.Time.After(now.Add(time.Hour)) {
		p.Time = now // a wrong clock must not put a post into the future
	}
	st.Account.describe(&p, domain)
	if st.Reblog != nil {
		if skip := st.Reblog.optOut(); skip != "" {
			return p, skip
		}
		st.Reblog.fill(&p, domain)
		p.Engagement, p.ParentGUID, p.EngagingWith = earshot.Retweet, st.Reblog.URI, handle(st.Reblog.Account.Acct, domain)
	} else {
		st.fill(&p, domain)
	}
	return p, connector.Clean(&p)
}

// fill sets the contents of p and the posts it refers to.
func (st *status) fill(p *earshot.Post, domain string) {
	doc := htmltext.Parse(st.Content, nil)
	parts := []string{strings.TrimSpace(st.Spoiler), doc.Text}
	if st.Poll != nil {
		for _, o := range st.Poll.Options {
			parts = append(parts, o.Title)
		}
	}
	p.Contents = joinTexts(parts)
	p.Language = st.Language
	p.Links = doc.Links // except for hashtags and mentions
	if st.Card != nil {
		p.Links = append(p.Links, st.Card.URL)
	}
	for _, m := range st.Media {
		address := cmp.Or(m.URL, m.RemoteURL)
		if m.Type == "image" {
			p.Images = append(p.Images, earshot.Image{URL: address, Alt: m.Description})
		} else {
			p.MediaURLs = append(p.MediaURLs, address)
		}
	}
	if p.Contents == "" {
		var descriptions []string
		for _, m := range st.Media {
			descriptions = append(descriptions, m.Description)
		}
		p.Contents = joinTexts(descriptions)
	}
	for _, t := range st.Tags {
		p.Hashtags = append(p.Hashtags, t.Name)
	}
	for _, m := range st.Mentions {
		p.Mentions = append(p.Mentions, handle(m.Acct, domain))
	}
	p.Replies, p.Retweets, p.Likes = count(st.Replies), count(st.Reblogs), count(st.Favourites)

	switch {
	case st.InReplyTo != "":
		p.Engagement = earshot.Reply
		if i := slices.IndexFunc(st.Mentions, func(m mention) bool { return m.ID == st.InReplyToAccount }); i >= 0 {
			p.EngagingWith = handle(st.Mentions[i].Acct, domain)
		}
	case st.Quote != nil && st.Quote.Status != nil:
		q := st.Quote.Status
		p.ParentGUID, p.EngagingWith = q.URI, handle(q.Account.Acct, domain)
		p.Links = append(p.Links, cmp.Or(q.URL, q.URI))
	}
}

// joinTexts joins texts that are not empty, as paragraphs.
func joinTexts(texts []string) string {
	texts = slices.DeleteFunc(slices.Clone(texts), func(s string) bool { return strings.TrimSpace(s) == "" })
	return strings.Join(texts, "\n\n")
}

// describe sets the author fields of p.
func (a *account) describe(p *earshot.Post, domain string) {
	name := handle(a.Acct, domain)
	p.AuthorUsername, p.AuthorProfileID = name, p.PageID
	p.Author = name
	if display := strings.TrimSpace(a.DisplayName); display != "" {
		p.Author = name + " (" + display + ")"
	}
	p.Bio = htmltext.Text(a.Note)
	p.Followers, p.Following, p.AuthorPosts = count(a.Followers), count(a.Following), count(a.Statuses)
	for _, f := range a.Fields {
		if locationNames[strings.ToLower(strings.Trim(f.Name, " :\ufe0f"))] {
			p.Location = htmltext.Text(f.Value)
			break
		}
	}
}

// locationNames are common names of the profile field that states a location.
var locationNames = map[string]bool{
	"location": true, "place": true, "city": true, "country": true, "where": true, "based in": true, "lives in": true, "living in": true, "from": true, "home": true,
	"ort": true, "standort": true, "wohnort": true, "stadt": true, "lieu": true, "ville": true, "localisation": true, "ubicación": true, "lugar": true, "ciudad": true,
	"localização": true, "cidade": true, "luogo": true, "città": true, "posizione": true, "plaats": true, "woonplaats": true, "locatie": true, "plats": true, "sted": true,
	"場所": true, "所在地": true, "居住地": true, "住所": true, "位置": true, "📍": true, "🏠": true, "🌍": true, "🌎": true, "🌏": true,
}

// handle returns the name of an account with the host of its server.
func handle(acct, domain string) string {
	if acct == "" || strings.Contains(acct, "@") {
		return acct
	}
	return acct + "@" + domain
}

func count(n *int64) earshot.Count {
	if n == nil {
		return earshot.Count{}
	}
	return connector.CountOf(*n)
}

// optOut returns why a post must not be stored, or "".
func (st *status) optOut() string {
	if st.Visibility != "public" {
		return notPublic
	}
	return st.Account.optOut()
}

// optOut returns why the posts of an account must not be stored, or "". Accounts can exclude their
// posts from search on Mastodon (indexable) and elsewhere (noindex). Before there were such
// settings, people wrote hashtags into their profiles, and many still do.
func (a *account) optOut() string {
	switch {
	case a.NoIndex != nil && *a.NoIndex:
		return noSearch
	case a.Indexable != nil && !*a.Indexable:
		return noIndexing
	}
	if asksForNoBots(a.Note) || slices.ContainsFunc(a.Fields, func(f field) bool { return asksForNoBots(f.Value) }) {
		return noBots
	}
	return ""
}

// asksForNoBots reports whether the HTML of a profile contains one of the hashtags that ban bots.
func asksForNoBots(html string) bool {
	if !containsNo(html) {
		return false
	}
	words := strings.FieldsFunc(strings.ToLower(htmltext.Text(html)), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '#' && r != '_' })
	return slices.ContainsFunc(words, func(w string) bool {
		switch w[strings.LastIndexByte(w, '#')+1:] {
		case "nobot", "nobots", "noindex", "noarchive":
			return strings.Contains(w, "#")
		}
		return false
	})
}

// containsNo reports whether s contains "no" in any case, which is quicker than reading HTML.
func containsNo(s string) bool {
	for i := range len(s) - 1 {
		if s[i]|0x20 == 'n' && s[i+1]|0x20 == 'o' {
			return true
		}
	}
	return false
}

// versionOf returns a hash of a post's contents and counts, so that an unchanged post is not stored
// again. It is never 0.
func versionOf(p *earshot.Post) uint32 {
	h := fnv.New32a()
	fmt.Fprintf(h, "%q %q %q %q %v %v %v %v %v", p.Contents, p.Language, p.Links, p.MediaURLs, p.Images, p.Hashtags, p.Likes, p.Retweets, p.Replies)
	return max(h.Sum32(), 1)
}
