package feed

import (
	"crypto/sha256"
	"encoding/base64"
	"net/url"
	"strings"

	"golang.org/x/net/html/atom"

	"earshot/internal/connector/htmltext"
)

// toText returns the text of a field that may be HTML or plain text. Feeds rarely say which one it
// is, and often say it wrong. Text without any HTML element is plain: it keeps its line breaks and
// what is in angle brackets, as in "List<T>". Entities are decoded in both.
func toText(s string, base *url.URL) htmltext.Document {
	const most = 512 << 10 // bytes; posts are much shorter
	s = s[:min(len(s), most)]
	if hasElement(s) {
		return htmltext.Parse(s, base)
	}
	return htmltext.Parse("<pre>"+strings.ReplaceAll(s, "<", "&lt;"), base)
}

// elements are the HTML elements that show that a text is HTML.
var elements = func() map[string]bool {
	set := map[string]bool{}
	for _, a := range []atom.Atom{
		atom.A, atom.Abbr, atom.Article, atom.Aside, atom.Audio, atom.B, atom.Blockquote, atom.Body, atom.Br, atom.Center, atom.Cite,
		atom.Code, atom.Dd, atom.Del, atom.Div, atom.Dl, atom.Dt, atom.Em, atom.Figcaption, atom.Figure, atom.Font, atom.Footer,
		atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Header, atom.Hr, atom.Html, atom.I, atom.Iframe, atom.Img,
		atom.Ins, atom.Li, atom.Main, atom.Mark, atom.Noscript, atom.Ol, atom.P, atom.Picture, atom.Pre, atom.Q, atom.S, atom.Script,
		atom.Section, atom.Small, atom.Span, atom.Strike, atom.Strong, atom.Style, atom.Sub, atom.Sup, atom.Svg, atom.Table,
		atom.Tbody, atom.Td, atom.Th, atom.Thead, atom.Time, atom.Tr, atom.Tt, atom.U, atom.Ul, atom.Video,
	} {
		set[a.String()] = true
	}
	return set
}()

// hasElement reports whether a text contains the start or end of an HTML element.
func hasElement(s string) bool {
	for {
		at := strings.IndexByte(s, '<')
		if at < 0 {
			return false
		}
		s = strings.TrimPrefix(s[at+1:], "/")
		end := strings.IndexFunc(s, func(r rune) bool { return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9') })
		if end > 0 && end <= 10 && strings.IndexByte(" \t\r\n/>", s[end]) >= 0 && elements[strings.ToLower(s[:end])] {
			return true
		}
		if strings.HasPrefix(s, "!--") {
			return true
		}
	}
}

// isCut reports whether a text is too short for an article, or ends as a teaser does.
func isCut(text string) bool {
	const short = 400 // bytes
	if len(text) < short {
		return true
	}
	end := strings.ToLower(strings.TrimRight(text[len(text)-60:], " \n\t>»→.]"))
	return strings.HasSuffix(end, "…") || strings.HasSuffix(strings.TrimSpace(text), "...") || strings.HasSuffix(strings.TrimSpace(text), "[...]") ||
		strings.HasSuffix(end, "read more") || strings.HasSuffix(end, "continue reading")
}

// hashText returns a short name for a text.
func hashText(s string) string {
	sum := sha256.Sum256([]byte(s))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}
