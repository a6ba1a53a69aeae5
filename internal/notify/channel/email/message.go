package email

import (
	"bytes"
	"html/template"
	"io"
	"path"
	"strings"

	gomail "github.com/wneessen/go-mail"

	"earshot"
	"earshot/internal/notify/channel"
)

// message returns an email. Its Message-ID is derived from that of the message, so that messages of a
// thread can refer to the first one.
func (s *Server) message(recipients []string, m channel.Outgoing) (*gomail.Msg, error) {
	e := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	if err := e.From(s.From); err != nil {
		return nil, err
	}
	if err := e.To(recipients...); err != nil {
		return nil, err
	}
	e.Subject(subject(m))
	e.SetDate()
	e.SetMessageIDWithValue(m.ID + "@" + s.domain())
	if m.First != "" && m.First != m.ID {
		root := "<" + m.First + "@" + s.domain() + ">"
		e.SetGenHeader(gomail.HeaderInReplyTo, root)
		e.SetGenHeader(gomail.HeaderReferences, root)
	}
	e.SetGenHeader("Auto-Submitted", "auto-generated")
	e.SetGenHeader("X-Auto-Response-Suppress", "All") // Exchange sends no out-of-office replies
	if m.Manage != "" {
		e.SetListUnsubscribe("<" + m.Manage + ">")
	}
	if m.Severity == earshot.Critical && !m.Resolved() {
		e.SetImportance(gomail.ImportanceHigh)
	}
	text := channel.Join("\n\n", channel.Line(m.Title), m.Body(), m.Link, footer(m))
	e.SetBodyString(gomail.TypeTextPlain, text)
	html := m.HTML
	if html == "" {
		var err error
		if html, err = renderHTML(m); err != nil {
			return nil, err
		}
	}
	e.AddAlternativeString(gomail.TypeTextHTML, html)
	for _, a := range m.Attachments {
		if err := attach(e, a); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// subject returns the title on one line. The library encodes it.
func subject(m channel.Outgoing) string {
	title := channel.Line(m.Title)
	switch {
	case m.Resolved():
		return title
	case m.Severity == earshot.Critical:
		return "[critical] " + title
	}
	return title
}

// footer says which channel sent the message. It is empty for a message to one person.
func footer(m channel.Outgoing) string {
	if m.Channel == "" {
		return ""
	}
	text := "Earshot sent this to the channel “" + channel.Line(m.Channel) + "”."
	if m.Manage != "" {
		text += "\nChange or remove it: " + m.Manage
	}
	return text
}

// attach adds a file, or an image that the HTML part shows.
func attach(e *gomail.Msg, a earshot.Attachment) error {
	name := strings.Map(func(r rune) rune {
		if strings.ContainsRune(`"\/:*?<>|`, r) {
			return '_'
		}
		return r
	}, channel.Line(a.Name))
	if name = path.Base(name); name == "." || name == "" {
		name = "attachment"
	}
	options := []gomail.FileOption{gomail.WithFileName(name), gomail.WithFileContentType(gomail.ContentType(channel.Line(a.Type)))}
	var r io.Reader = bytes.NewReader(a.Data)
	if a.ContentID == "" {
		return e.AttachReader(name, r, options...)
	}
	return e.EmbedReader(name, r, append(options, gomail.WithFileContentID("<"+channel.Line(a.ContentID)+">"))...)
}

// pageData is what the HTML part shows.
type pageData struct {
	channel.Outgoing
	Color  string
	Lines  []string // of the text
	Quotes []quote
}

type quote struct {
	Byline, Text, URL string
}

func renderHTML(m channel.Outgoing) (string, error) {
	data := pageData{Outgoing: m, Color: color(m)}
	data.Title, data.Channel = channel.Line(m.Title), channel.Line(m.Channel)
	text := m.Message.Text
	if m.Text != "" {
		text, data.Facts = m.Text, nil
	} else {
		for _, p := range m.Posts {
			data.Quotes = append(data.Quotes, quote{channel.Byline(p), strings.TrimSpace(p.Text), p.URL})
		}
	}
	if text = strings.TrimSpace(text); text != "" {
		data.Lines = strings.Split(text, "\n")
	}
	var b strings.Builder
	err := page.Execute(&b, data)
	return b.String(), err
}

func color(m channel.Outgoing) string {
	switch {
	case m.Resolved():
		return "#15803d"
	case m.Severity == earshot.Critical:
		return "#b91c1c"
	case m.Severity == earshot.Warning:
		return "#b45309"
	}
	return "#1d4ed8"
}

// page is the HTML part. Mail programs ignore style sheets, so every element has its own style.
var page = template.Must(template.New("page").Parse(`<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light"><title>{{.Title}}</title></head>
<body style="margin:0;padding:0;background:#f3f4f6;">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="background:#f3f4f6;"><tr><td align="center" style="padding:24px 12px;">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:600px;background:#ffffff;border-top:4px solid {{.Color}};border-radius:6px;font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;font-size:15px;line-height:1.5;color:#1f2937;">
<tr><td style="padding:24px 28px;">
<h1 style="margin:0 0 12px;font-size:20px;line-height:1.3;color:#111827;">{{.Title}}</h1>
{{- if .Lines}}
<p style="margin:0 0 16px;">{{range $i, $line := .Lines}}{{if $i}}<br>{{end}}{{$line}}{{end}}</p>
{{- end}}
{{- if .Facts}}
<table cellpadding="0" cellspacing="0" style="margin:0 0 16px;font-size:15px;">
{{- range .Facts}}
<tr><th align="left" scope="row" style="padding:3px 20px 3px 0;font-weight:normal;color:#4b5563;vertical-align:top;">{{.Name}}</th><td style="padding:3px 0;font-weight:600;">{{.Value}}</td></tr>
{{- end}}
</table>
{{- end}}
{{- range .Quotes}}
<div style="margin:0 0 12px;padding:8px 14px;border-left:3px solid #d1d5db;">
<div style="font-size:13px;color:#4b5563;">{{if .URL}}<a href="{{.URL}}" style="color:#1d4ed8;">{{.Byline}}</a>{{else}}{{.Byline}}{{end}}</div>
{{- if .Text}}<div>{{.Text}}</div>{{end}}
</div>
{{- end}}
{{- if .Link}}
<p style="margin:20px 0 4px;"><a href="{{.Link}}" style="display:inline-block;padding:10px 18px;background:#1d4ed8;border-radius:5px;color:#ffffff;text-decoration:none;font-weight:600;">Open in Earshot</a></p>
{{- end}}
</td></tr></table>
{{if .Channel}}<p style="max-width:600px;margin:14px auto 0;font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;font-size:12px;color:#6b7280;">Earshot sent this to the channel “{{.Channel}}”.{{if .Manage}} <a href="{{.Manage}}" style="color:#6b7280;">Change or remove it</a>{{end}}</p>{{end}}
</td></tr></table>
</body>
</html>
`))
