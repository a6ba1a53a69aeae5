package hook

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"earshot"
	"earshot/internal/notify/channel"
)

// Limits of Discord, in characters: https://discord.com/developers/docs/resources/message#embed-object.
// We count bytes, which are at least as many.
const (
	discordTitle       = 256
	discordDescription = 4_096
	discordFields      = 25
	discordName        = 256
	discordValue       = 1_024
	discordTotal       = 6_000

	discordText  = 2_000 // of the description, so that posts fit too
	discordPosts = 5
	discordQuote = 500
)

type discordMessage struct {
	Username        string          `json:"username"`
	Embeds          []discordEmbed  `json:"embeds"`
	AllowedMentions discordMentions `json:"allowed_mentions"`
}

// discordMentions with an empty list prevents all mentions.
type discordMentions struct {
	Parse []string `json:"parse"`
}

type discordEmbed struct {
	Title       string         `json:"title"`
	Description string         `json:"description,omitempty"`
	URL         string         `json:"url,omitempty"`
	Color       int            `json:"color"`
	Timestamp   time.Time      `json:"timestamp"`
	Fields      []discordField `json:"fields,omitempty"`
}

type discordField struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Inline bool   `json:"inline"`
}

// discordEscape escapes Markdown and mentions.
func discordEscape(r rune) string {
	if strings.ContainsRune("\\*_~`|>[]()<@#-", r) {
		return "\\" + string(r)
	}
	return plain(r)
}

func discordRequest(to channel.Address, m channel.Outgoing, _ time.Time) (request, error) {
	u, err := url.Parse(to.URL)
	if err != nil {
		return request{}, err
	}
	q := u.Query()
	q.Set("wait", "true") // respond when the message is stored, and with an error if it is not
	u.RawQuery = q.Encode()
	body, err := encode(discordMessage{Username: "Earshot", Embeds: []discordEmbed{discordContent(m)}, AllowedMentions: discordMentions{[]string{}}})
	return request{url: u.String(), body: body}, err
}

func discordContent(m channel.Outgoing) discordEmbed {
	e := discordEmbed{
		Title: clipEscaped(channel.Line(m.Title), discordTitle, discordEscape), URL: m.Link, Color: discordColor(m), Timestamp: m.Time.UTC(),
	}
	left := discordTotal - len(e.Title)
	if m.Text != "" {
		e.Description = clipEscaped(m.Text, min(discordDescription, left), discordEscape)
		return e
	}
	e.Description = clipEscaped(m.Message.Text, discordText, discordEscape)
	left -= len(e.Description)
	for _, f := range m.Facts {
		field := discordField{clipEscaped(channel.Line(f.Name), 100, discordEscape), clipEscaped(f.Value, 200, discordEscape), true}
		if size := len(field.Name) + len(field.Value); field.Name != "" && field.Value != "" && size <= left && len(e.Fields) < discordFields-discordPosts {
			e.Fields = append(e.Fields, field)
			left -= size
		}
	}
	for _, p := range m.Posts[:min(len(m.Posts), discordPosts)] {
		field := discordPost(p)
		if size := len(field.Name) + len(field.Value); size <= left {
			e.Fields = append(e.Fields, field)
			left -= size
		}
	}
	return e
}

// discordPost returns a post as a field, whose name and value must not be empty.
func discordPost(p earshot.MessagePost) discordField {
	f := discordField{Name: clipEscaped(channel.Byline(p), discordName, discordEscape), Value: clipEscaped(p.Text, discordQuote, discordEscape)}
	if isWeb(p.URL) && len(p.URL) <= discordQuote && !strings.ContainsAny(p.URL, " <>()\n") {
		f.Value = strings.TrimSpace(f.Value + "\n[Open post](" + p.URL + ")")
	}
	if f.Name == "" {
		f.Name = "Post"
	}
	if strings.TrimSpace(f.Value) == "" {
		f.Value = "—"
	}
	return f
}

// isWeb reports whether a URL is for browsers.
func isWeb(url string) bool {
	return (strings.HasPrefix(url, "https://") || strings.HasPrefix(url, "http://")) && utf8.ValidString(url)
}

func discordColor(m channel.Outgoing) int {
	switch {
	case m.Resolved():
		return 0x16a34a
	case m.Severity == earshot.Critical:
		return 0xdc2626
	case m.Severity == earshot.Warning:
		return 0xf59e0b
	}
	return 0x3b82f6
}

// discordResult understands the responses of Discord.
func discordResult(r response) channel.Result {
	var answer struct {
		Message    string
		Code       int
		RetryAfter float64 `json:"retry_after"`
	}
	_ = json.Unmarshal(r.body, &answer)
	detail := clipEscaped(channel.Line(answer.Message), 100, plain)
	result := rejected(r, detail)
	const unknownWebhook, invalidToken = 10015, 50027
	gone := r.status == http.StatusNotFound || r.status == http.StatusUnauthorized
	if gone && (answer.Code == unknownWebhook || answer.Code == invalidToken) {
		result.Outcome, result.Error = channel.Gone, "Discord says that this webhook no longer exists (code "+strconv.Itoa(answer.Code)+")"
	}
	if r.status == http.StatusTooManyRequests && answer.RetryAfter > 0 && answer.RetryAfter < 1e6 {
		result.Wait = time.Duration(answer.RetryAfter * float64(time.Second))
	}
	return result
}
