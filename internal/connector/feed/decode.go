package feed

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mmcdole/gofeed"
	"github.com/mmcdole/gofeed/json"
	"github.com/mmcdole/gofeed/rss"
	"golang.org/x/net/html/charset"
)

// errPage is returned for a web page, which may link to a feed.
var errPage = errors.New("this is a web page, not a feed")

// decodeTime is how long decoding a document may take. It bounds the cost of hostile documents; a
// regular one of 10 MB takes a second, or more on a busy machine.
const decodeTime = 20 * time.Second

// decode parses an RSS, Atom or JSON Feed document within a time limit. It never panics.
func decode(body []byte, contentType string, within time.Duration) (doc *gofeed.Feed, err error) {
	defer func() {
		if p := recover(); p != nil {
			doc, err = nil, fmt.Errorf("the feed cannot be parsed: %v", p)
		}
	}()
	text := toUTF8(body, contentType)
	text = text[len(prologue.Find(text)):]
	switch {
	case len(text) == 0:
		return nil, errors.New("the feed is empty")
	case text[0] == '<' && isPage(text):
		return nil, errPage
	case text[0] == '<' && tooDeep(text):
		return nil, errors.New("the feed is nested too deeply")
	}
	parser := gofeed.NewParser()
	parser.KeepOriginalFeed = true
	parser.RSSTranslator = &gofeed.DefaultRSSTranslator{DisableContentImageScan: true} // htmltext finds images
	doc, err = parser.Parse(&deadlineReader{bytes.NewReader(text), time.Now().Add(within)})
	switch {
	case errors.Is(err, gofeed.ErrFeedTypeNotDetected) && strings.Contains(strings.ToLower(contentType), "html"):
		return nil, errPage
	case errors.Is(err, gofeed.ErrFeedTypeNotDetected):
		return nil, errors.New("this is not an RSS, Atom or JSON feed")
	case err != nil:
		return nil, fmt.Errorf("the feed cannot be parsed: %w", err)
	}
	if original, ok := doc.OriginalFeed().(*json.Feed); ok && !strings.Contains(original.Version, "jsonfeed.org") && len(original.Items) == 0 {
		return nil, errors.New("this is JSON, but not a JSON Feed")
	}
	return doc, nil
}

// prologue matches what may precede the root element: white space, the XML declaration, processing
// instructions and comments. The parser looks for the root element in the first 4 KB only, and would
// convert the declared encoding again.
var prologue = regexp.MustCompile(`^(?:\s+|\x{FEFF}|(?s:<\?.*?\?>)|(?s:<!--.*?-->))+`)

// page matches the start of a web page.
var page = regexp.MustCompile(`(?i)^<!doctype\s+html|^<(?:html|head|body)[\s>]`)

func isPage(text []byte) bool { return page.Match(text[:min(len(text), 100)]) }

// declared matches an XML declaration with an encoding.
var declared = regexp.MustCompile(`^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([A-Za-z0-9._:-]{1,40})["']`)

// toUTF8 converts a document to UTF-8. The encoding stated in the header and the document is often
// wrong, but text in another encoding is hardly ever valid UTF-8 by accident.
func toUTF8(body []byte, contentType string) []byte {
	label := ""
	if m := declared.FindSubmatch(body[:min(len(body), 1024)]); m != nil {
		label = strings.ToLower(string(m[1]))
	}
	_, parameters, _ := mime.ParseMediaType(contentType)
	candidates := []string{label, parameters["charset"]}
	if label == "" && parameters["charset"] == "" {
		candidates = []string{"windows-1252"}
	}
	switch {
	case bytes.HasPrefix(body, []byte{0xFE, 0xFF}), bytes.HasPrefix(body, []byte{0, '<'}):
		return convert(body, "utf-16be")
	case bytes.HasPrefix(body, []byte{0xFF, 0xFE}), bytes.HasPrefix(body, []byte{'<', 0}):
		return convert(body, "utf-16le")
	}
	for _, candidate := range candidates {
		switch _, name := charset.Lookup(candidate); {
		case name == "" || name == "replacement" || strings.HasPrefix(name, "utf-"):
		case name == "iso-2022-jp" || !utf8.Valid(body): // the former consists of ASCII characters
			return convert(body, candidate)
		}
	}
	return bytes.ToValidUTF8(body, []byte("\uFFFD"))
}

func convert(body []byte, label string) []byte {
	encoding, _ := charset.Lookup(label)
	converted, err := encoding.NewDecoder().Bytes(body)
	if err != nil {
		return bytes.ToValidUTF8(body, []byte("\uFFFD"))
	}
	return converted
}

// maxDepth limits the nesting of elements, because the parser uses the stack for it. Elements that
// are never closed count as well, so it is far above what documents need.
const maxDepth = 10_000

// tooDeep reports whether XML is nested deeper than maxDepth.
func tooDeep(text []byte) bool {
	depth := 0
	for {
		at := bytes.IndexByte(text, '<')
		if at < 0 || at+1 == len(text) {
			return false
		}
		text = text[at+1:]
		end := ">"
		switch {
		case bytes.HasPrefix(text, []byte("![CDATA[")):
			end = "]]>"
		case bytes.HasPrefix(text, []byte("!--")):
			end = "-->"
		case text[0] == '?':
			end = "?>"
		case text[0] == '/':
			depth = max(depth-1, 0)
		case text[0] != '!':
			if depth++; depth > maxDepth {
				return true
			}
		}
		at = bytes.Index(text, []byte(end))
		if at < 0 {
			return false
		}
		if end == ">" && at > 0 && text[at-1] == '/' && text[0] != '/' {
			depth = max(depth-1, 0)
		}
		text = text[at+len(end):]
	}
}

// A deadlineReader fails after a deadline.
type deadlineReader struct {
	r   io.Reader
	end time.Time
}

func (d *deadlineReader) Read(p []byte) (int, error) {
	if time.Now().After(d.end) {
		return 0, errors.New("it takes too long")
	}
	return d.r.Read(p)
}

// documentHints returns what a document says about how often it changes.
func documentHints(doc *gofeed.Feed) hints {
	extension := func(name string) string {
		if list := doc.Extensions["sy"][name]; len(list) > 0 {
			return list[0].Value
		}
		return ""
	}
	switch original := doc.OriginalFeed().(type) {
	case *rss.Feed:
		return hintsOf(original.TTL, original.SkipHours, original.SkipDays, extension("updatePeriod"), extension("updateFrequency"))
	case *json.Feed:
		if original.Expired {
			return hints{Every: int64(maxInterval / time.Second)}
		}
	}
	return hintsOf("", nil, nil, extension("updatePeriod"), extension("updateFrequency"))
}
