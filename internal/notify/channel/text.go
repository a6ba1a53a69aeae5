package channel

import (
	"fmt"
	"strings"
	"unicode"

	"earshot"
)

// Resolved reports whether the message says that something is over.
func (m Outgoing) Resolved() bool { return m.Event == "signal.resolved" }

// Body returns the message without its title as plain text: what the template made of it or, if there
// is none, the text, the facts and the posts.
func (m Outgoing) Body() string {
	if m.Text != "" {
		return m.Text
	}
	parts := []string{m.Message.Text}
	var facts []string
	for _, f := range m.Facts {
		facts = append(facts, f.Name+": "+f.Value)
	}
	parts = append(parts, strings.Join(facts, "\n"))
	for _, p := range m.Posts {
		parts = append(parts, strings.TrimSpace(Byline(p)+"\n"+p.Text+"\n"+p.URL))
	}
	return Join("\n\n", parts...)
}

// Byline returns who wrote a post, and where and when.
func Byline(p earshot.MessagePost) string {
	line := Line(p.Author)
	if p.Source != "" {
		line = strings.TrimSpace(line + " on " + Line(p.Source))
	}
	if !p.Time.IsZero() {
		line = strings.TrimSpace(fmt.Sprintf("%s, %s", line, p.Time.UTC().Format("Jan 2, 3:04 PM UTC")))
	}
	return strings.TrimPrefix(line, ", ")
}

// Join joins the texts that are not empty.
func Join(separator string, texts ...string) string {
	var parts []string
	for _, t := range texts {
		if t = strings.TrimSpace(t); t != "" {
			parts = append(parts, t)
		}
	}
	return strings.Join(parts, separator)
}

// Line returns a text on one line, without control characters.
func Line(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsControl(r) || r == ' ' || r == '\u2028' || r == '\u2029' }), " ")
}
