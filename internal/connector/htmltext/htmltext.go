// Package htmltext turns the HTML of posts and articles into plain text, with the line breaks that a
// reader sees. It also finds links and images. It reads a stream of tokens and builds no tree, so
// deeply nested or broken HTML costs no more than other HTML.
//
// Example: "<p>Tom &amp; Ann</p><p>left<br>early</p>" becomes "Tom & Ann\n\nleft\nearly".
package htmltext

import (
	"net/url"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// A Document is the readable content of HTML.
type Document struct {
	Text   string   // without leading and trailing space, and with at most one empty line in a row
	Links  []string // absolute web addresses, each once, in order, except for mentions and hashtags
	Images []Image  // with absolute web addresses, each once, in order
}

// An Image is an image in HTML.
type Image struct {
	URL string
	Alt string
}

// maxTargets limits the links and the images of a document. Real articles have fewer, and whoever
// uses them has lower limits.
const maxTargets = 1000

// Text returns the text of HTML. Scripts, styles and what Mastodon hides in the middle of a link
// (class "invisible") are not part of it.
func Text(html string) string { return Parse(html, nil).Text }

// Parse returns the content of HTML. Relative addresses are relative to base. Without a base, they
// are left out.
func Parse(s string, base *url.URL) Document {
	p := parser{base: base}
	s = strings.ToValidUTF8(s, "\uFFFD")
	if !strings.ContainsAny(s, "<&") {
		p.text(s)
	} else {
		p.parse(html.NewTokenizer(strings.NewReader(s)))
	}
	p.doc.Text = p.out.String()
	return p.doc
}

// A parser collects the content of a document.
type parser struct {
	base *url.URL
	doc  Document
	out  strings.Builder

	gap    int  // line breaks to write before the next text: 0 to 2
	space  bool // write a space before the next text
	pre    int  // open pre elements
	hidden atom.Atom
	depth  int    // open elements of the kind hidden; 0: text is visible
	spans  []bool // for each open span, whether it is an ellipsis
}

// hiddenElements contain no text that a reader sees in the flow of an article.
var hiddenElements = map[atom.Atom]bool{
	atom.Script: true, atom.Style: true, atom.Template: true, atom.Title: true, atom.Noscript: true,
	atom.Svg: true, atom.Math: true, atom.Iframe: true, atom.Object: true, atom.Audio: true, atom.Video: true,
	atom.Canvas: true, atom.Textarea: true, atom.Select: true, atom.Button: true, atom.Noframes: true, atom.Noembed: true,
}

// blocks maps elements that are set apart to the line breaks around them.
var blocks = map[atom.Atom]int{
	atom.P: 2, atom.Blockquote: 2, atom.Pre: 2, atom.Ul: 2, atom.Ol: 2, atom.Dl: 2, atom.Table: 2, atom.Hr: 2,
	atom.H1: 2, atom.H2: 2, atom.H3: 2, atom.H4: 2, atom.H5: 2, atom.H6: 2,
	atom.Article: 2, atom.Section: 2, atom.Figure: 2,
	atom.Address: 1, atom.Aside: 1, atom.Body: 1, atom.Caption: 1, atom.Dd: 1, atom.Details: 1, atom.Div: 1,
	atom.Dt: 1, atom.Fieldset: 1, atom.Figcaption: 1, atom.Footer: 1, atom.Form: 1, atom.Header: 1, atom.Html: 1,
	atom.Li: 1, atom.Main: 1, atom.Nav: 1, atom.Summary: 1, atom.Tbody: 1, atom.Tfoot: 1, atom.Thead: 1, atom.Tr: 1,
}

func (p *parser) parse(z *html.Tokenizer) {
	for {
		switch z.Next() {
		case html.ErrorToken: // the end: reading a string cannot fail
			return
		case html.TextToken:
			if p.depth == 0 {
				p.text(string(z.Text()))
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := z.TagName()
			p.start(atom.Lookup(name), attributes(z, more))
		case html.EndTagToken:
			name, _ := z.TagName()
			p.end(atom.Lookup(name))
		}
	}
}

// attrs are the attributes of an element that matter here.
type attrs struct {
	href, src, alt string
	classes        []string
	pixel          bool // the size of an image is at most one pixel
}

func (a *attrs) has(class string) bool { return slices.Contains(a.classes, class) }

func attributes(z *html.Tokenizer, more bool) (a attrs) {
	for more {
		var name, value []byte
		name, value, more = z.TagAttr()
		switch string(name) {
		case "href":
			a.href = string(value)
		case "src":
			a.src = string(value)
		case "alt":
			a.alt = string(value)
		case "width", "height":
			a.pixel = a.pixel || len(value) == 1 && (value[0] == '0' || value[0] == '1')
		case "class":
			a.classes = strings.Fields(string(value))
		}
	}
	return a
}

func (p *parser) start(tag atom.Atom, a attrs) {
	breaks, block := blocks[tag]
	switch {
	case p.depth > 0 && tag == p.hidden:
		p.depth++
		return
	case p.depth > 0 && p.hidden == atom.Span && block:
		p.depth = 0 // the hidden span was never closed
	case p.depth > 0:
		return
	}
	switch {
	case hiddenElements[tag]:
		p.hidden, p.depth = tag, 1
	case block:
		p.lineBreak(breaks)
		p.spans = p.spans[:0]
		if tag == atom.Pre {
			p.pre++
		}
	case tag == atom.Br:
		p.gap, p.space = min(p.gap+1, 2), false
	case tag == atom.Td || tag == atom.Th:
		p.space = true
	case tag == atom.Span && a.has("invisible"):
		p.hidden, p.depth = tag, 1
	case tag == atom.Span:
		if len(p.spans) < maxTargets {
			p.spans = append(p.spans, a.has("ellipsis"))
		}
	case tag == atom.A && !a.has("mention") && !a.has("hashtag"):
		p.link(a.href)
	case tag == atom.Img:
		p.image(a)
	}
}

func (p *parser) end(tag atom.Atom) {
	breaks, block := blocks[tag]
	switch {
	case p.depth > 0 && tag == p.hidden:
		p.depth--
		return
	case p.depth > 0 && p.hidden == atom.Span && block:
		p.depth = 0
	case p.depth > 0:
		return
	}
	switch {
	case block:
		p.lineBreak(breaks)
		p.spans = p.spans[:0]
		if tag == atom.Pre && p.pre > 0 {
			p.pre--
		}
	case tag == atom.Span && len(p.spans) > 0:
		last := len(p.spans) - 1
		if p.spans[last] {
			p.out.WriteString("…") // as the style sheets of Mastodon do
		}
		p.spans = p.spans[:last]
	case tag == atom.Td || tag == atom.Th:
		p.space = true
	}
}

func (p *parser) lineBreak(n int) { p.gap, p.space = max(p.gap, n), false }

// text writes text, with white space collapsed as a browser does.
func (p *parser) text(s string) {
	for s != "" {
		end := strings.IndexFunc(s, isSpace)
		if end != 0 {
			if end < 0 {
				end = len(s)
			}
			p.word(s[:end])
			s = s[end:]
			continue
		}
		end = strings.IndexFunc(s, isWord)
		if end < 0 {
			end = len(s)
		}
		if breaks := strings.Count(s[:end], "\n"); p.pre > 0 && breaks > 0 {
			p.lineBreak(min(breaks, 2))
		} else {
			p.space = true
		}
		s = s[end:]
	}
}

// word writes text without white space, after the pending line breaks or space.
func (p *parser) word(s string) {
	if p.out.Len() > 0 {
		switch {
		case p.gap > 0:
			p.out.WriteString("\n\n"[:p.gap])
		case p.space:
			p.out.WriteByte(' ')
		}
	}
	p.gap, p.space = 0, false
	p.out.WriteString(s)
}

// isSpace reports whether a character separates words. Control characters do.
func isSpace(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }

func isWord(r rune) bool { return !isSpace(r) }

func (p *parser) link(href string) {
	if to := p.resolve(href); to != "" && len(p.doc.Links) < maxTargets && !slices.Contains(p.doc.Links, to) {
		p.doc.Links = append(p.doc.Links, to)
	}
}

// image records an image. An image that stands for an emoji is text instead, and one of a pixel only
// counts readers.
func (p *parser) image(a attrs) {
	switch {
	case a.has("emoji") || a.has("wp-smiley"):
		p.text(a.alt)
		return
	case a.pixel:
		return
	}
	to := p.resolve(a.src)
	same := func(i Image) bool { return i.URL == to }
	if to != "" && len(p.doc.Images) < maxTargets && !slices.ContainsFunc(p.doc.Images, same) {
		p.doc.Images = append(p.doc.Images, Image{URL: to, Alt: strings.Join(strings.FieldsFunc(a.alt, isSpace), " ")})
	}
}

// resolve returns the absolute web address that a link leads to, or "" if it leads nowhere else.
func (p *parser) resolve(ref string) string {
	ref = strings.TrimSpace(ref)
	if ref == "" || ref[0] == '#' {
		return ""
	}
	u, err := url.Parse(ref)
	if err != nil {
		return ""
	}
	if p.base != nil {
		u = p.base.ResolveReference(u)
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return ""
	}
	return u.String()
}
