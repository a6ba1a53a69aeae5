package report

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"html"
	"math"
	"net/url"
	"strings"

	"earshot/internal/report/format"
)

// A Mail is a document as the parts of an email. The HTML loads nothing: its pictures come with it.
type Mail struct {
	HTML   string
	Text   string // the same numbers in plain text
	Images []Image
}

// An Image is a picture of a chart that the HTML shows.
type Image struct {
	ID  string // the HTML refers to it as cid:ID
	PNG []byte
}

// MailOptions are the options of an email.
type MailOptions struct {
	Fonts     *Fonts
	Preheader string // shown by mail programs next to the subject
	Base      string // address of the web app, for links; empty: no links
	Manage    string // path of the page on which people manage the report
	Inline    bool   // the HTML contains the pictures, for browsers
}

// Mail returns the document as an email: a single column of tables with inline styles, as mail
// programs require.
func (d *Document) Mail(ctx context.Context, o MailOptions) (*Mail, error) {
	m := &mailWriter{options: o, typesetter: newTypesetter(o.Fonts)}
	if err := m.head(d); err != nil {
		return nil, err
	}
	for i := range d.Sections {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := m.section(&d.Sections[i]); err != nil {
			return nil, err
		}
	}
	m.foot(d)
	return &Mail{HTML: m.html.String(), Text: strings.TrimSpace(m.text.String()) + "\n", Images: m.images}, nil
}

// A mailWriter writes the HTML and the plain text of a mail side by side.
type mailWriter struct {
	options    MailOptions
	typesetter *typesetter
	html, text strings.Builder
	images     []Image
}

// Widths in pixels.
const (
	mailWidth  = 640
	mailInner  = mailWidth - 2*mailMargin
	mailMargin = 20

	// Charts are drawn for a narrow column, so that their labels can be read on a phone.
	mailChartWidth = 340.0
	mailChartScale = 3.5
)

// Limits of what a mail shows.
const (
	mailTableRows = 25
	mailPostText  = 400 // characters
	maxAlt        = 1000
)

const mailFont = "font-family:-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;"

// mailStyle is for mail programs that read more than inline styles: colors of the dark theme, and a
// narrower margin on phones.
const mailStyle = `:root{color-scheme:light dark;supported-color-schemes:light dark}` +
	`body{margin:0;padding:0}` +
	`@media(prefers-color-scheme:dark){` +
	`.page{background:#12161f!important}.sheet{background:#1b212d!important}.box{background:#252c3a!important}` +
	`.ink{color:#e8ecf3!important}.muted{color:#a3acbd!important}.link{color:#8fb0ff!important}` +
	`.line{border-color:#343c4c!important}.track{background:#252c3a!important}.button{background:#3d68d8!important}}` +
	`@media(max-width:480px){.pad{padding-left:14px!important;padding-right:14px!important}}`

// esc returns text from strangers as HTML.
func esc(text string) string {
	return strings.ReplaceAll(html.EscapeString(string(clean(text))), "\n", "<br>")
}

// plain returns text from strangers on one line.
func plain(text string) string { return strings.Join(strings.Fields(string(clean(text))), " ") }

func (m *mailWriter) tag(format string, args ...any) { fmt.Fprintf(&m.html, format, args...) }
func (m *mailWriter) line(format string, args ...any) {
	fmt.Fprintf(&m.text, format+"\n", args...)
}

func (m *mailWriter) head(d *Document) error {
	m.tag(`<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark"><title>%s</title><style>%s</style></head>`, esc(d.Title), mailStyle)
	m.tag(`<body class="page" style="margin:0;padding:0;background:#eef1f6">`)
	if m.options.Preheader != "" {
		// Spaces keep mail programs from showing what follows.
		m.tag(`<div style="display:none;max-height:0;overflow:hidden;mso-hide:all">%s%s</div>`, esc(m.options.Preheader), strings.Repeat("&#8199;&#847; ", 60))
	}
	m.tag(`<table role="presentation" width="100%%" cellpadding="0" cellspacing="0" border="0" class="page" style="background:#eef1f6"><tr><td align="center" style="padding:0">`)
	m.tag(`<table role="presentation" width="%d" cellpadding="0" cellspacing="0" border="0" class="sheet" style="width:100%%;max-width:%dpx;background:#ffffff;%s">`, mailWidth, mailWidth, mailFont)
	m.tag(`<tr><td class="pad" style="padding:24px %dpx 4px">`, mailMargin)
	if err := m.logo(d); err != nil {
		return err
	}
	m.tag(`<h1 class="ink" style="margin:0;font-size:24px;line-height:30px;color:#182030;word-break:break-word">%s</h1>`, esc(d.Title))
	m.line("%s", plain(d.Title))
	m.line("%s", strings.Repeat("=", 40))
	for _, line := range d.Subtitle {
		m.tag(`<p class="muted" style="margin:4px 0 0;font-size:14px;line-height:20px;color:#586174;word-break:break-word">%s</p>`, esc(line))
		m.line("%s", plain(line))
	}
	m.tag(`</td></tr>`)
	return nil
}

func (m *mailWriter) foot(d *Document) {
	m.tag(`<tr><td class="pad muted" style="padding:28px %dpx 24px;font-size:12px;line-height:18px;color:#586174;word-break:break-word">%s`, mailMargin, esc(d.Footer))
	m.line("\n%s", plain(d.Footer))
	if link := m.link(m.options.Manage); link != "" {
		m.tag(`<br><a href="%s" class="link" style="color:#2b55cf">Change or stop this report</a>`, esc(link))
		m.line("Change or stop this report: %s", link)
	}
	m.tag(`</td></tr></table></td></tr></table></body></html>`)
}

// link returns the address of a page of the web app, or "".
func (m *mailWriter) link(path string) string {
	if m.options.Base == "" || !strings.HasPrefix(path, "/") {
		return ""
	}
	return m.options.Base + path
}

func (m *mailWriter) section(s *Section) error {
	if s.Heading {
		m.heading(s)
	} else {
		m.tag(`<tr><td class="pad" style="padding:20px %dpx 0">`, mailMargin)
		if s.Title != "" {
			m.tag(`<h3 class="ink" style="margin:0;font-size:16px;line-height:22px;color:#182030;word-break:break-word">%s</h3>`, esc(s.Title))
			m.line("\n%s", plain(s.Title))
		}
		if s.Note != "" {
			m.note(s.Note)
		}
	}
	for _, b := range s.Blocks {
		if err := m.block(s, b); err != nil {
			return err
		}
	}
	m.tag(`</td></tr>`)
	return nil
}

// heading begins a part of the report.
func (m *mailWriter) heading(s *Section) {
	m.tag(`<tr><td class="pad" style="padding:28px %dpx 0"><table role="presentation" width="100%%" cellpadding="0" cellspacing="0" border="0"><tr>`, mailMargin)
	m.tag(`<td style="border-top:3px solid #2b55cf;padding-top:12px"><h2 class="ink" style="margin:0;font-size:20px;line-height:26px;color:#182030;word-break:break-word">%s</h2></td>`, esc(s.Title))
	m.line("\n%s\n%s", plain(s.Title), strings.Repeat("-", 40))
	if link := m.link(s.Link); link != "" {
		m.tag(`<td align="right" valign="top" width="90" style="border-top:3px solid #2b55cf;padding-top:14px"><a href="%s" class="link" style="font-size:14px;line-height:22px;color:#2b55cf;white-space:nowrap">Open &rarr;</a></td>`, esc(link))
		m.line("%s", link)
	}
	m.tag(`</tr></table>`)
	if s.Note != "" {
		m.note(s.Note)
	}
}

func (m *mailWriter) note(text string) {
	m.tag(`<p class="muted" style="margin:4px 0 0;font-size:13px;line-height:19px;color:#586174;word-break:break-word">%s</p>`, esc(text))
	m.line("%s", plain(text))
}

func (m *mailWriter) block(s *Section, b Block) error {
	switch b := b.(type) {
	case Figures:
		m.figures(b)
	case Bars:
		m.bars(b)
	case Note:
		m.note(string(b))
	case Text:
		m.tag(`<p class="ink" style="margin:8px 0 0;font-size:15px;line-height:22px;color:#182030;word-break:break-word">%s</p>`, esc(string(b)))
		for paragraph := range strings.SplitSeq(string(b), "\n") {
			m.line("%s", plain(paragraph))
		}
	case Posts:
		m.posts(b)
	case Table:
		m.table(b)
	case TimeChart:
		return m.chart(b, chartText(s.Title, b))
	case Heatmap:
		return m.chart(b, heatmapText(s.Title, b))
	default:
		return m.chart(b, s.Title)
	}
	return nil
}

// figures are two in a row.
func (m *mailWriter) figures(list Figures) {
	m.tag(`<table role="presentation" width="100%%" cellpadding="0" cellspacing="0" border="0" style="margin-top:8px">`)
	for i := 0; i < len(list); i += 2 {
		m.tag(`<tr>`)
		for k := i; k < i+2; k++ {
			if k >= len(list) {
				continue
			}
			width := `width="49%"`
			switch {
			case k == i+1:
				m.tag(`<td width="2%%" style="font-size:0">&nbsp;</td>`)
			case k == len(list)-1:
				width = `colspan="3"`
			}
			f := list[k]
			m.tag(`<td class="box" %s valign="top" style="background:#f3f5f9;border-radius:6px;padding:10px 12px;word-break:break-word"><div class="muted" style="font-size:12px;line-height:16px;color:#586174">%s</div><div class="ink" style="font-size:22px;line-height:28px;font-weight:700;color:#182030">%s</div>`, width, esc(f.Name), esc(f.Value))
			if f.Note != "" {
				m.tag(`<div class="muted" style="font-size:12px;line-height:16px;color:#586174">%s</div>`, esc(f.Note))
			}
			m.tag(`</td>`)
			note := ""
			if f.Note != "" {
				note = " (" + plain(f.Note) + ")"
			}
			m.line("%s: %s%s", plain(f.Name), plain(f.Value), note)
		}
		m.tag(`</tr><tr><td colspan="3" height="8" style="font-size:0;line-height:8px">&nbsp;</td></tr>`)
	}
	m.tag(`</table>`)
}

func (m *mailWriter) bars(list Bars) {
	list = list[:min(len(list), MaxBars)]
	largest := list.largest()
	m.tag(`<table role="presentation" width="100%%" cellpadding="0" cellspacing="0" border="0" style="margin-top:6px">`)
	for _, b := range list {
		note := ""
		if b.Note != "" {
			note = ` <span class="muted" style="color:#586174">` + esc(b.Note) + `</span>`
		}
		m.tag(`<tr><td class="ink" style="padding:5px 8px 2px 0;font-size:14px;line-height:19px;color:#182030;word-break:break-word">%s</td><td class="ink" align="right" valign="bottom" style="padding:5px 0 2px;font-size:14px;line-height:19px;color:#182030;white-space:nowrap">%s%s</td></tr>`, esc(b.Name), esc(b.Text), note)
		share, high := 0, 0 // in percent; the interval above the value is paler
		if largest > 0 {
			share = int(math.Round(100 * max(0, b.Value/largest)))
			high = max(share, int(math.Round(100*b.High/largest)))
		}
		m.tag(`<tr><td colspan="2" style="padding:0 0 3px"><table role="presentation" width="100%%" cellpadding="0" cellspacing="0" border="0" class="track" style="background:#eef1f6"><tr>`)
		if share > 0 {
			m.tag(`<td width="%d%%" style="background:%s;font-size:0;line-height:6px;height:6px">&nbsp;</td>`, share, barColor(b.Color))
		}
		if high > share {
			m.tag(`<td width="%d%%" style="background:%s;font-size:0;line-height:6px;height:6px">&nbsp;</td>`, high-share, mix(white, parseColor(barColor(b.Color)), 0.4).hex())
		}
		if high < 100 {
			m.tag(`<td style="font-size:0;line-height:6px;height:6px">&nbsp;</td>`)
		}
		m.tag(`</tr></table></td></tr>`)
		m.line("- %s: %s", plain(b.Name), strings.TrimSpace(plain(b.Text)+" "+plain(b.Note)))
	}
	m.tag(`</table>`)
}

func barColor(text string) string {
	if text == "" {
		text = "#7f9be3"
	}
	return parseColor(text).hex()
}

func (m *mailWriter) posts(list Posts) {
	for _, p := range list {
		m.tag(`<table role="presentation" width="100%%" cellpadding="0" cellspacing="0" border="0" style="margin-top:10px"><tr><td class="line" style="border-left:3px solid #dfe3ea;padding:0 0 0 12px;word-break:break-word">`)
		m.tag(`<div class="muted" style="font-size:12px;line-height:17px;color:#586174">%s</div>`, esc(p.Head))
		m.line("\n%s", plain(p.Head))
		if p.Title != "" {
			m.tag(`<div class="ink" style="font-size:14px;line-height:20px;font-weight:700;color:#182030">%s</div>`, esc(clip(p.Title, mailPostText)))
			m.line("%s", plain(clip(p.Title, mailPostText)))
		}
		if p.Text != "" {
			m.tag(`<div class="ink" style="font-size:14px;line-height:20px;color:#182030">%s</div>`, esc(clip(p.Text, mailPostText)))
			m.line("%s", plain(clip(p.Text, mailPostText)))
		}
		m.tag(`<div class="muted" style="font-size:12px;line-height:17px;color:#586174">%s`, esc(p.Facts))
		if p.Facts != "" {
			m.line("%s", plain(p.Facts))
		}
		if link := webLink(p.URL); link != "" {
			if p.Facts != "" {
				m.tag(` &middot; `)
			}
			m.tag(`<a href="%s" class="link" rel="noreferrer" style="color:#2b55cf">Open post</a>`, html.EscapeString(link))
			m.line("%s", link)
		}
		m.tag(`</div></td></tr></table>`)
	}
}

func clip(text string, n int) string {
	runes := clean(strings.TrimSpace(text))
	if len(runes) <= n {
		return string(runes)
	}
	return strings.TrimRight(string(runes[:n]), " ") + "…"
}

// webLink returns an address that is safe to link to, or "".
func webLink(text string) string {
	u, err := url.Parse(text)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || len(text) > 2000 {
		return ""
	}
	return u.String()
}

func (m *mailWriter) table(t Table) {
	if len(t.Columns) == 0 {
		return
	}
	m.tag(`<table width="100%%" cellpadding="0" cellspacing="0" border="0" style="margin-top:6px;border-collapse:collapse"><tr>`)
	var names []string
	for _, c := range t.Columns {
		m.tag(`<th class="muted line" align="%s" style="padding:5px 6px 5px 0;border-bottom:1px solid #dfe3ea;font-size:12px;line-height:16px;font-weight:600;color:#586174">%s</th>`, c.Kind.align(), esc(c.Name))
		names = append(names, plain(c.Name))
	}
	m.tag(`</tr>`)
	m.line("%s", strings.Join(names, " | "))
	for _, row := range t.Rows[:min(len(t.Rows), mailTableRows)] {
		m.tag(`<tr>`)
		var cells []string
		for i, c := range t.Columns {
			cell := ""
			if i < len(row) {
				cell = c.Kind.format(row[i])
			}
			m.tag(`<td class="ink line" align="%s" valign="top" style="padding:5px 6px 5px 0;border-bottom:1px solid #dfe3ea;font-size:13px;line-height:18px;color:#182030;word-break:break-word">%s</td>`, c.Kind.align(), esc(clip(cell, mailPostText)))
			cells = append(cells, plain(clip(cell, mailPostText)))
		}
		m.tag(`</tr>`)
		m.line("%s", strings.Join(cells, " | "))
	}
	m.tag(`</table>`)
	if more := len(t.Rows) - mailTableRows; more > 0 {
		m.note(fmt.Sprintf("and %s", format.Plural(int64(more), "more row", "more rows")))
	}
}

func (k ColumnKind) align() string {
	if k.isRight() {
		return "right"
	}
	return "left"
}

// chart shows a block as a picture. text has its numbers.
func (m *mailWriter) chart(b Block, text string) error {
	var picture bytes.Buffer
	if err := writePNG(&picture, m.typesetter, drawing{blocks: []Block{b}, width: mailChartWidth, around: 10}, mailChartScale); err != nil {
		return err
	}
	id := fmt.Sprintf("chart%d@earshot", len(m.images)+1)
	m.tag(`<img src="%s" width="%d" alt="%s" style="display:block;margin-top:8px;width:100%%;max-width:%dpx;height:auto;border:0;border-radius:6px;background:#ffffff;color:#586174;font-size:12px;line-height:17px">`, m.embed(id, picture.Bytes()), mailInner, html.EscapeString(plain(text)), mailInner)
	m.line("%s", plain(text))
	return nil
}

// embed adds a picture to the mail and returns its address.
func (m *mailWriter) embed(id string, picture []byte) string {
	m.images = append(m.images, Image{ID: id, PNG: picture})
	if m.options.Inline {
		return "data:image/png;base64," + base64.StdEncoding.EncodeToString(picture)
	}
	return "cid:" + id
}

func chartText(title string, b TimeChart) string {
	var out strings.Builder
	for _, s := range b.Series {
		fmt.Fprintf(&out, "%s: ", s.Name)
		for i := range b.Labels {
			if !s.has(i) {
				continue
			}
			value := format.Number(int64(math.Round(s.at(i))))
			if b.Shares {
				value = format.Percent(s.at(i))
			}
			if i > 0 {
				out.WriteString(", ")
			}
			fmt.Fprintf(&out, "%s %s", b.Labels[i], value)
			if i < len(s.Marked) && s.Marked[i] {
				out.WriteString(" (unusual)")
			}
			if out.Len() > maxAlt {
				return title + ". " + out.String() + " …"
			}
		}
		out.WriteString(". ")
	}
	return title + ". " + out.String()
}

// heatmapText returns the totals of the weekdays.
func heatmapText(title string, b Heatmap) string {
	var days []string
	for i, name := range []string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"} {
		total := int64(0)
		for _, n := range b[i] {
			total += n
		}
		days = append(days, name+" "+format.Number(total))
	}
	return title + ". " + strings.Join(days, ", ") + "."
}
