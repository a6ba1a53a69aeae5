package training

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"earshot"
)

// Bounds of what one request may add.
const (
	MaxDocuments = 1000
	maxContents  = 16_384 // characters
	maxShort     = 2_048  // characters of every other text
)

// A Document is a training post as it was sent: nothing is checked yet. Fields that are nil
// were not given.
type Document struct {
	URL, Title, Contents, Author, Language, Date *string
	Type                                         string // name of a source; may be empty
}

// TooMany is the error for a request of so many documents.
func TooMany(n int) error {
	return earshot.Errorf(earshot.TooLarge, "The request has %d documents; send at most %d in one request", n, MaxDocuments)
}

// newPost returns the training post that a document is.
func newPost(d *Document) (p earshot.TrainingPost, err error) {
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

// Dates outside these are mistakes: seconds read as milliseconds, year 0.
var (
	earliest = time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC)
	latest   = time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)
)

// check returns what is wrong with a training post, and spells its fields one way.
func check(p *earshot.TrainingPost) error {
	p.URL = strings.TrimSpace(p.URL)
	if p.URL == "" {
		return fmt.Errorf("url is empty")
	}
	for _, f := range []struct{ name, text string }{
		{"url", p.URL}, {"title", p.Title}, {"author", p.Author}, {"type", string(p.Source)},
	} {
		if err := checkText(f.name, f.text, maxShort); err != nil {
			return err
		}
	}
	if strings.TrimSpace(p.Contents) == "" {
		return fmt.Errorf("contents is empty")
	}
	if err := checkText("contents", p.Contents, maxContents); err != nil {
		return err
	}
	if p.Time.Before(earliest) || !p.Time.Before(latest) {
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

func checkText(name, text string, most int) error {
	switch {
	case utf8.RuneCountInString(text) > most:
		return fmt.Errorf("%s must have at most %d characters", name, most)
	case !utf8.ValidString(text):
		return fmt.Errorf("%s is not UTF-8", name)
	case strings.ContainsFunc(text, forbidden):
		return fmt.Errorf("%s must not contain control characters", name)
	}
	return nil
}

// forbidden reports whether a rune may be in no text: control characters but for those that
// lay it out.
func forbidden(r rune) bool { return unicode.IsControl(r) && !strings.ContainsRune("\n\r\t", r) }
