package hook

import (
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"earshot"
	"earshot/internal/notify/channel"
)

// Limits of Microsoft Teams: a message has at most 28 KB.
const (
	teamsMessage = 27_000 // bytes
	teamsText    = 8_000  // bytes
	teamsPosts   = 5
	teamsQuote   = 1_000 // bytes
)

type teamsPayload struct {
	Type        string            `json:"type"`
	Attachments []teamsAttachment `json:"attachments"`
}

type teamsAttachment struct {
	ContentType string    `json:"contentType"`
	Content     teamsCard `json:"content"`
}

// A teamsCard is an adaptive card, version 1.4.
type teamsCard struct {
	Schema   string         `json:"$schema"`
	Type     string         `json:"type"`
	Version  string         `json:"version"`
	Fallback string         `json:"fallbackText"`
	Body     []teamsBlock   `json:"body"`
	Actions  []teamsAction  `json:"actions,omitempty"`
	Teams    map[string]any `json:"msteams"`
}

// A teamsBlock is a paragraph. Unlike the text of other elements, that of a TextRun is not Markdown, so
// nothing in it needs to be escaped.
type teamsBlock struct {
	Type    string     `json:"type"`
	Spacing string     `json:"spacing,omitempty"`
	Inlines []teamsRun `json:"inlines"`
}

type teamsRun struct {
	Type   string       `json:"type"`
	Text   string       `json:"text"`
	Size   string       `json:"size,omitempty"`
	Weight string       `json:"weight,omitempty"`
	Color  string       `json:"color,omitempty"`
	Subtle bool         `json:"isSubtle,omitempty"`
	Action *teamsAction `json:"selectAction,omitempty"`
}

type teamsAction struct {
	Type  string `json:"type"`
	Title string `json:"title,omitempty"`
	URL   string `json:"url"`
}

func teamsParagraph(runs ...teamsRun) teamsBlock {
	for i := range runs {
		runs[i].Type = "TextRun"
	}
	return teamsBlock{Type: "RichTextBlock", Inlines: runs}
}

func teamsRequest(to channel.Address, m channel.Outgoing, _ time.Time) (request, error) {
	text, posts := teamsText, teamsPosts
	for {
		body, err := encode(teamsContent(m, text, posts))
		switch {
		case err != nil || len(body) <= teamsMessage:
			return request{url: to.URL, body: body}, err
		case posts > 0:
			posts--
		case text > 100:
			text /= 2
		default:
			return request{}, errors.New("the message is too long")
		}
	}
}

// teamsContent returns a card with limited text and posts.
func teamsContent(m channel.Outgoing, maxText, maxPosts int) teamsPayload {
	title := clipEscaped(channel.Line(m.Title), 500, plain)
	card := teamsCard{
		Schema: "http://adaptivecards.io/schemas/adaptive-card.json", Type: "AdaptiveCard", Version: "1.4",
		Fallback: title, Teams: map[string]any{"width": "Full"},
		Body: []teamsBlock{teamsParagraph(teamsRun{Text: title, Size: "Medium", Weight: "Bolder", Color: teamsColor(m)})},
	}
	add := func(b teamsBlock) { card.Body = append(card.Body, b) }
	if m.Text != "" {
		add(teamsParagraph(teamsRun{Text: clipEscaped(m.Text, maxText, plain)}))
	} else {
		if m.Message.Text != "" {
			add(teamsParagraph(teamsRun{Text: clipEscaped(m.Message.Text, maxText, plain)}))
		}
		for i, f := range m.Facts {
			b := teamsParagraph(teamsRun{Text: clipEscaped(channel.Line(f.Name), 200, plain) + ": ", Weight: "Bolder"}, teamsRun{Text: clipEscaped(f.Value, 300, plain)})
			if i > 0 {
				b.Spacing = "None"
			}
			add(b)
		}
		for _, p := range m.Posts[:min(len(m.Posts), maxPosts)] {
			byline := teamsRun{Text: clipEscaped(channel.Byline(p), 300, plain), Weight: "Bolder", Subtle: true}
			if isWeb(p.URL) && len(p.URL) <= teamsQuote {
				byline.Action = &teamsAction{Type: "Action.OpenUrl", URL: p.URL}
			}
			add(teamsParagraph(byline))
			if quote := clipEscaped(p.Text, teamsQuote, plain); quote != "" {
				b := teamsParagraph(teamsRun{Text: quote})
				b.Spacing = "None"
				add(b)
			}
		}
	}
	if m.Link != "" {
		card.Actions = []teamsAction{{Type: "Action.OpenUrl", Title: linkText, URL: m.Link}}
	}
	return teamsPayload{Type: "message", Attachments: []teamsAttachment{{"application/vnd.microsoft.card.adaptive", card}}}
}

func teamsColor(m channel.Outgoing) string {
	switch {
	case m.Resolved():
		return "Good"
	case m.Severity == earshot.Critical:
		return "Attention"
	case m.Severity == earshot.Warning:
		return "Warning"
	}
	return ""
}

// teamsResult understands the responses of Power Automate, which runs workflows.
func teamsResult(r response) channel.Result {
	var answer struct{ Error struct{ Code string } }
	_ = json.Unmarshal(r.body, &answer)
	code := clipEscaped(channel.Line(answer.Error.Code), 100, plain)
	result := rejected(r, code)
	if r.status == http.StatusNotFound && code == "WorkflowNotFound" {
		result.Outcome, result.Error = channel.Gone, "Microsoft Teams says that this workflow no longer exists"
	}
	return result
}
