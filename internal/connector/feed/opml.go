package feed

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/net/html/charset"

	"earshot"
)

// Limits on OPML files. A list of MaxFeeds feeds has about 3 MB.
const (
	maxOPML      = 10 << 20
	maxOPMLDepth = 100
)

// ParseOPML reads a list of feeds, each once, in the order of the file, no matter how the outlines
// are nested. Errors are user-facing.
func ParseOPML(r io.Reader) ([]Feed, error) {
	limited := &io.LimitedReader{R: r, N: maxOPML + 1}
	d := xml.NewDecoder(limited)
	d.Strict = false // lists that people edit contain bare ampersands
	d.Entity = xml.HTMLEntity
	d.CharsetReader = charset.NewReaderLabel

	var list listBuilder
	depth, root := 0, ""
	for {
		token, err := d.Token()
		switch {
		case limited.N <= 0:
			return nil, fmt.Errorf("the file is larger than %d MB", maxOPML>>20)
		case err == io.EOF && root == "":
			return nil, errors.New("the file is empty, not OPML")
		case err == io.EOF:
			return list.feeds, nil
		case err != nil && root == "":
			return nil, fmt.Errorf("the file is not OPML: %w", opmlError(err))
		case err != nil:
			return nil, opmlError(err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			if depth++; depth > maxOPMLDepth {
				return nil, fmt.Errorf("the outlines are nested more than %d levels deep", maxOPMLDepth)
			}
			if root == "" {
				if root = t.Name.Local; !strings.EqualFold(root, "opml") {
					return nil, fmt.Errorf("the file is not OPML: it starts with <%s> instead of <opml>", earshot.Clip(root, 30))
				}
			}
			if strings.EqualFold(t.Name.Local, "outline") {
				if err := list.outline(t); err != nil {
					line, _ := d.InputPos()
					return nil, fmt.Errorf("line %d: %w", line, err)
				}
			}
		case xml.EndElement:
			depth--
		}
	}
}

// outline adds the feed of an outline, if it has one.
func (l *listBuilder) outline(e xml.StartElement) error {
	var address, title, text string
	for _, a := range e.Attr {
		switch strings.ToLower(a.Name.Local) {
		case "xmlurl":
			address = a.Value
		case "title":
			title = a.Value
		case "text":
			text = a.Value
		}
	}
	if strings.TrimSpace(address) == "" {
		return nil // a folder
	}
	if oneLine(title) == "" {
		title = text
	}
	return l.add(address, title)
}

// opmlError says where a file is broken.
func opmlError(err error) error {
	if syntax, ok := errors.AsType[*xml.SyntaxError](err); ok {
		return fmt.Errorf("line %d: %s", syntax.Line, syntax.Msg)
	}
	return err
}

// WriteOPML writes a list of feeds as OPML 2.0.
func WriteOPML(w io.Writer, title string, feeds []Feed) error {
	type outline struct {
		Type   string `xml:"type,attr"`
		Text   string `xml:"text,attr"`
		Title  string `xml:"title,attr"`
		XMLURL string `xml:"xmlUrl,attr"`
	}
	type opml struct {
		XMLName  xml.Name  `xml:"opml"`
		Version  string    `xml:"version,attr"`
		Title    string    `xml:"head>title"`
		Outlines []outline `xml:"body>outline"`
	}
	doc := opml{Version: "2.0", Title: oneLine(title)}
	for _, f := range feeds {
		name := oneLine(f.Title)
		if name == "" {
			name = f.URL // readers show the text, which is required
		}
		doc.Outlines = append(doc.Outlines, outline{"rss", name, name, f.URL})
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(doc); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}
