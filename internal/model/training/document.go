package training

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"earshot"
)

// Limits per request.
const (
	MaxDocuments = 1000
	maxContents  = 16_384 // characters; longer texts improve a model little
	maxShortText = 2_048  // characters of any other text field
)

// A Document is a training post as received, before validation. Missing fields are nil.
type Document struct {
	URL, Title, Contents, Author, Language, Date *string
	Type                                         string // name of a source, or ""
}

// TooMany returns the error for a request with n documents, which is more than [MaxDocuments].
func TooMany(n int) error {
	return earshot.Errorf(earshot.TooLarge, "The request has %d documents; send at most %d in one request", n, MaxDocuments)
}

// newTrainingPost validates a document and converts it to a training post.
func newTrainingPost(d *Document) (p earshot.TrainingPost, err error) {
	for _, f := range []struct {
		name string
		from *string
		to   *string
	}{
		{"title", d.Title, &p.Title}, {"author", d.Author, &p.Author}, {"url", d.URL, &p.URL},
		{"contents", d.Contents, &p.Contents}, {"language", d.Language, &p.Language},
	} {
		if f.from == nil {
			return p, fmt.Errorf("%s is missing", f.name)
		}
		*f.to = *f.from
	}
	if d.Date == nil {
		return p, fmt.Errorf("date is missing")
	}
	if p.Time, err = earshot.ParseTime(*d.Date); err != nil {
		return p, fmt.Errorf("date '%s' is not a timestamp like 2026-03-01T08:30:00Z", earshot.Clip(*d.Date, 100))
	}
	if d.Type != "" {
		p.Source = earshot.Source(d.Type)
		if network, ok := earshot.FindNetwork(d.Type); ok {
			p.Source = network
		}
	}
	return p, check(&p)
}

// Dates outside this range are mistakes, such as seconds read as milliseconds, or year 0.
var (
	minTime = time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC)
	maxTime = time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)
)

// check validates a training post and normalizes its fields.
func check(p *earshot.TrainingPost) error {
	p.URL = strings.TrimSpace(p.URL)
	if p.URL == "" {
		return fmt.Errorf("url is empty")
	}
	if earshot.IsUnsafeLink(p.URL) {
		return fmt.Errorf("url '%s' is not a link", earshot.Clip(p.URL, 100))
	}
	for _, f := range []struct{ name, text string }{
		{"url", p.URL}, {"title", p.Title}, {"author", p.Author}, {"type", string(p.Source)},
	} {
		if err := checkText(f.name, f.text, maxShortText); err != nil {
			return err
		}
	}
	if strings.TrimSpace(p.Contents) == "" {
		return fmt.Errorf("contents is empty")
	}
	if err := checkText("contents", p.Contents, maxContents); err != nil {
		return err
	}
	if p.Time.Before(minTime) || !p.Time.Before(maxTime) {
		return fmt.Errorf("date must be from 1970 to 2099")
	}
	language, ok := earshot.FindLanguage(strings.TrimSpace(p.Language))
	if !ok {
		return fmt.Errorf("language '%s' is not a supported language", earshot.Clip(p.Language, 100))
	}
	p.Language = language
	if p.Source == "" {
		p.Source = sourceOf(p.URL)
	}
	return nil
}

func checkText(name, text string, maxRunes int) error {
	switch {
	case utf8.RuneCountInString(text) > maxRunes:
		return fmt.Errorf("%s must have at most %d characters", name, maxRunes)
	case !utf8.ValidString(text):
		return fmt.Errorf("%s is not UTF-8", name)
	case strings.ContainsFunc(text, isForbidden):
		return fmt.Errorf("%s must not contain control characters", name)
	}
	return nil
}

// isForbidden reports whether a rune is a control character other than a line break or tab.
func isForbidden(r rune) bool { return unicode.IsControl(r) && !strings.ContainsRune("\n\r\t", r) }

// addTypes gives documents without a type the source of the stored post with their URL. The URL of
// such a post is its GUID unless it has another.
func (s *Service) addTypes(ctx context.Context, docs []Document) error {
	if s.Posts == nil || len(docs) > MaxDocuments {
		return nil
	}
	var keys []earshot.PostKey
	for _, d := range docs {
		if d.Type != "" || d.URL == nil {
			continue
		}
		for _, network := range earshot.Networks {
			keys = append(keys, earshot.PostKey{Source: network, GUID: strings.TrimSpace(*d.URL)})
		}
	}
	if len(keys) == 0 {
		return nil
	}
	posts, err := s.Posts.Find(ctx, keys)
	if err != nil {
		return err
	}
	sources := map[string]earshot.Source{}
	for i := range posts {
		sources[posts[i].GUID] = posts[i].Source
	}
	for i, d := range docs {
		if d.Type == "" && d.URL != nil {
			docs[i].Type = string(sources[strings.TrimSpace(*d.URL)])
		}
	}
	return nil
}

// NewDocument converts a stored post to a document for [Service.Add]. It fails if the post cannot
// be a training post.
func NewDocument(p *earshot.Post) (Document, error) {
	url, date := storedURL(p), p.Time.Format(time.RFC3339Nano)
	d := Document{
		URL: &url, Title: &p.Title, Contents: &p.Contents, Author: &p.Author, Language: &p.Language, Date: &date, Type: string(p.Source),
	}
	_, err := newTrainingPost(&d)
	return d, err
}

// TrainingID returns the id that a stored post has as a training post.
func TrainingID(p *earshot.Post) string {
	return (&earshot.TrainingPost{URL: storedURL(p)}).ID()
}

// storedURL returns the URL that a stored post has as a training post. A post without a URL is
// identified by its GUID.
func storedURL(p *earshot.Post) string { return strings.TrimSpace(cmp.Or(p.URL, p.GUID)) }

// sites maps domains to networks.
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

	"news.ycombinator.com": earshot.HackerNews,
}

// sourceOf returns the network that a URL belongs to, or "".
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
