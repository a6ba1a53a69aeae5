package hook

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"earshot"
	"earshot/internal/notify/channel"
)

// Limits of Slack: https://docs.slack.dev/reference/block-kit/blocks. The sum is not documented; above
// about 13,000 characters, Slack responds with msg_blocks_too_long.
const (
	slackSection = 3_000 // characters of a section
	slackField   = 2_000 // characters of a field
	slackFields  = 10    // of a section
	slackBlocks  = 50    // of a message

	slackTotal    = 11_000
	slackTitle    = 450
	slackText     = 2_900
	slackValue    = 300 // of the fields that we send
	slackPosts    = 5
	slackPostText = 700
)

type slackMessage struct {
	Text        string       `json:"text"` // of notifications
	Blocks      []slackBlock `json:"blocks"`
	UnfurlLinks bool         `json:"unfurl_links"`
	UnfurlMedia bool         `json:"unfurl_media"`
}

type slackBlock struct {
	Type   string         `json:"type"`
	Text   *slackObject   `json:"text,omitempty"`
	Fields []*slackObject `json:"fields,omitempty"`
}

type slackObject struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	Verbatim bool   `json:"verbatim"` // no mentions and links other than ours
}

func slackSectionOf(text string) slackBlock {
	return slackBlock{Type: "section", Text: &slackObject{"mrkdwn", text, true}}
}

// slackEscape escapes what Slack interprets everywhere. Without <, there are no mentions and links.
func slackEscape(r rune) string {
	switch r {
	case '&':
		return "&amp;"
	case '<':
		return "&lt;"
	case '>':
		return "&gt;"
	}
	return plain(r)
}

// slackLink returns a link, or just its text if the address would break it.
func slackLink(url, text string) string {
	if url == "" || strings.ContainsAny(url, "<>| \n") {
		return text
	}
	return "<" + strings.ReplaceAll(url, "&", "&amp;") + "|" + text + ">"
}

func slackRequest(to channel.Address, m channel.Outgoing, _ time.Time) (request, error) {
	title := clipEscaped(channel.Line(m.Title), slackTitle, slackEscape)
	message := slackMessage{Text: title, Blocks: []slackBlock{slackSectionOf(icon(m) + "*" + title + "*")}}
	link := slackLink(m.Link, linkText)
	left := slackTotal - 2*len(title) - len(link)
	add := func(b slackBlock, size int) {
		if size > 0 && size <= left {
			message.Blocks = append(message.Blocks, b)
			left -= size
		}
	}
	addText := func(text string) { add(slackSectionOf(text), len(text)) }
	if m.Text != "" {
		addText(clipEscaped(m.Text, slackText, slackEscape))
	} else {
		addText(clipEscaped(m.Message.Text, slackText, slackEscape))
		facts, size := slackFacts(m.Facts)
		add(facts, size)
		for _, p := range m.Posts[:min(len(m.Posts), slackPosts)] {
			addText(slackPost(p))
		}
	}
	if m.Link != "" {
		message.Blocks = append(message.Blocks, slackSectionOf(link))
	}
	body, err := encode(message)
	return request{url: to.URL, body: body}, err
}

// slackFacts returns a section with facts, and its size.
func slackFacts(facts []earshot.Fact) (b slackBlock, size int) {
	b.Type = "section"
	for _, f := range facts[:min(len(facts), slackFields)] {
		text := "*" + clipEscaped(channel.Line(f.Name), slackValue, slackEscape) + "*\n" + clipEscaped(f.Value, slackValue, slackEscape)
		b.Fields = append(b.Fields, &slackObject{"mrkdwn", text, true})
		size += len(text)
	}
	return b, size
}

func slackPost(p earshot.MessagePost) string {
	text := clipEscaped(channel.Byline(p), slackValue, slackEscape)
	if len(p.URL) <= slackPostText {
		text = slackLink(p.URL, text)
	}
	if quote := clipEscaped(p.Text, slackPostText, slackEscape); quote != "" {
		text += "\n> " + strings.ReplaceAll(quote, "\n", "\n> ")
	}
	return text
}

// icon returns how a message looks like at a glance.
func icon(m channel.Outgoing) string {
	switch {
	case m.Resolved():
		return "✅ "
	case m.Severity == earshot.Critical:
		return "🚨 "
	case m.Severity == earshot.Warning:
		return "⚠️ "
	}
	return ""
}

const linkText = "Open in Earshot"

// slackGone are the responses for addresses that Slack has removed.
var slackGone = []string{"no_service", "no_service_id", "no_active_hooks", "no_team", "team_disabled", "channel_not_found", "channel_is_archived", "invalid_token"}

var slackCode = regexp.MustCompile(`^[a-z_]{2,60}$`)

// slackResult understands the responses of Slack: a code as plain text.
func slackResult(r response) channel.Result {
	code := strings.TrimSpace(string(r.body))
	if !slackCode.MatchString(code) {
		code = ""
	}
	result := rejected(r, code)
	if r.status >= 400 && r.status <= 499 && slices.Contains(slackGone, code) {
		result.Outcome, result.Error = channel.Gone, "Slack says that this address no longer exists ("+code+")"
	}
	return result
}
