package record

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// A column defines how the cells of a CSV column are converted to JSON.
type column struct {
	key string
	put func(post object, key, cell string)
}

// columns maps the known column names to conversions. Columns named custom.NAME are known too.
var columns = map[string]func(post object, key, cell string){
	"type": putText, "guid": putText, "url": putText, "date": putText, "contents": putText, "title": putText,
	"author": putText, "authorUsername": putText, "authorProfileId": putText, "authorGender": putText,
	"authorAge": putNumber, "authorFollowers": putNumber, "authorFollowing": putNumber, "authorPosts": putNumber,
	"authorKlout": putNumber, "authorVerified": putBool, "bio": putText, "language": putText, "location": putText,
	"geolocation.id": putText, "geolocation.latitude": putNumber, "geolocation.longitude": putNumber, "geolocation.zipcode": putText,
	"engagementType": putText, "engagingWith": putText, "parentGuid": putText, "pageId": putText,
	"likes": putNumber, "shares": putNumber, "comments": putNumber, "replies": putNumber, "retweets": putNumber, "views": putNumber,
	"followers": putNumber, // in account snapshots
	"deleted":   putBool,
	"rating":    putNumber, "hashtags": putList, "mentions": putList, "mediaUrls": putList, "images": putImages,
}

func putText(post object, key, cell string)   { post.set(key, cell) }
func putNumber(post object, key, cell string) { post.set(key, numberOrText(cell)) }
func putList(post object, key, cell string)   { post.set(key, splitList(cell)) }

// putBool leaves values other than true and false unchanged, so that decoding the record reports them.
func putBool(post object, key, cell string) {
	switch strings.ToLower(strings.TrimSpace(cell)) {
	case "true":
		post.set(key, true)
	case "false":
		post.set(key, false)
	default:
		post.set(key, cell)
	}
}

// putImages converts a list of URLs.
func putImages(post object, key, cell string) {
	images := []object{}
	for _, url := range splitList(cell) {
		images = append(images, object{"url": url})
	}
	post.set(key, images)
}

// putCustom uses the whole name after custom., so a dot in it does not create a nested object.
func putCustom(post object, key, cell string) {
	name := strings.TrimPrefix(key, "custom.")
	custom, ok := post["custom"].(object)
	if !ok {
		custom = object{}
		post["custom"] = custom
	}
	custom[name] = cell
}

func splitList(cell string) []string {
	items := []string{}
	for item := range strings.SplitSeq(cell, "|") {
		if item = strings.TrimSpace(item); item != "" {
			items = append(items, item)
		}
	}
	return items
}

// An object is a JSON object.
type object map[string]any

// set sets the value at key. A dot in key creates a nested object.
func (o object) set(key string, value any) {
	outer, inner, nested := strings.Cut(key, ".")
	if !nested {
		o[key] = value
		return
	}
	within, ok := o[outer].(object)
	if !ok {
		within = object{}
		o[outer] = within
	}
	within.set(inner, value)
}

// numberOrText leaves what is not a number unchanged, so that decoding the record reports it.
func numberOrText(cell string) any {
	cell = strings.TrimSpace(cell)
	if cell != "" && (cell[0] == '-' || cell[0] >= '0' && cell[0] <= '9') && json.Valid([]byte(cell)) {
		return json.Number(cell)
	}
	return cell
}

// csvRecords reads the records of a CSV file.
type csvRecords struct {
	r       *csv.Reader
	limited *limitedReader
	columns []column
	begin   Position // where r starts
	line    int64    // where the latest record starts
	end     int64    // number of lines up to the end of the latest record
}

func newCSV(in *bufio.Reader, begin Position) (*csvRecords, error) {
	c := &csvRecords{r: &csv.Reader{Comma: separator(in)}}
	c.reset(in, begin)
	header, err := c.r.Read()
	if err != nil {
		return nil, fmt.Errorf("the file is neither JSON lines nor CSV with a header: %w", err)
	}
	c.end = c.line + linesWithin(header)
	for _, name := range header {
		col := findColumn(strings.TrimSpace(name))
		if col.key != "" && c.has(col.key) {
			return nil, fmt.Errorf("the header has the column %s twice", col.key)
		}
		c.columns = append(c.columns, col)
	}
	if !slices.ContainsFunc(c.columns, func(col column) bool { return col.key != "" }) {
		return nil, fmt.Errorf("the file is neither JSON lines nor CSV with a header: no known column in its first line: %.60q", strings.Join(header, ","))
	}
	return c, nil
}

// reset continues at a position between records.
func (c *csvRecords) reset(in *bufio.Reader, at Position) {
	comma := c.r.Comma
	c.limited = &limitedReader{r: in, left: MaxBytes}
	c.r = csv.NewReader(c.limited)
	c.r.Comma, c.r.FieldsPerRecord = comma, len(c.columns)
	c.begin, c.line, c.end = at, at.Line+1, at.Line
}

func (c *csvRecords) position() Position {
	return Position{c.begin.Offset + c.r.InputOffset(), c.end}
}

// linesWithin returns the number of line breaks in cells.
func linesWithin(cells []string) (n int64) {
	for _, cell := range cells {
		n += int64(strings.Count(cell, "\n"))
	}
	return n
}

func (c *csvRecords) has(key string) bool {
	return slices.ContainsFunc(c.columns, func(col column) bool { return col.key == key })
}

// separator detects the separator from the first line: a semicolon or tab if the line has no comma.
func separator(in *bufio.Reader) rune {
	start, _ := in.Peek(4096) // an error means that the file is short
	header, _, _ := bytes.Cut(start, []byte("\n"))
	for _, c := range ",;\t" {
		if bytes.ContainsRune(header, c) {
			return c
		}
	}
	return ','
}

// findColumn returns the column with the given name. Unknown columns are ignored, like unknown
// fields of JSON lines.
func findColumn(name string) column {
	for known, put := range columns {
		if strings.EqualFold(name, known) {
			return column{known, put}
		}
	}
	if prefix, rest, _ := strings.Cut(name, "."); strings.EqualFold(prefix, "custom") && rest != "" {
		return column{"custom." + rest, putCustom}
	}
	return column{put: func(object, string, string) {}}
}

func (c *csvRecords) next() ([]byte, int64, error) {
	c.limited.left = MaxBytes
	cells, err := c.r.Read()
	var wrong *csv.ParseError
	switch {
	case errors.Is(err, errRecordTooLong):
		return nil, 0, fmt.Errorf("the record after line %d is longer than %d bytes: check for an unclosed quote", c.line, MaxBytes)
	case errors.As(err, &wrong):
		c.line = c.begin.Line + int64(wrong.StartLine)
		c.end = max(c.line+linesWithin(cells), c.begin.Line+int64(wrong.Line))
		return nil, c.line, &Bad{wrong.Err.Error()}
	case err != nil:
		return nil, 0, err
	}
	line, _ := c.r.FieldPos(0)
	c.line = c.begin.Line + int64(line)
	c.end = c.line + linesWithin(cells)
	post, err := c.post(cells)
	return post, c.line, err
}

// post converts a record to a JSON object. Empty cells are omitted.
func (c *csvRecords) post(cells []string) ([]byte, error) {
	post := object{}
	for i, cell := range cells {
		if !utf8.ValidString(cell) {
			return nil, &Bad{"the column " + c.columns[i].key + " is not UTF-8"}
		}
		if cell != "" {
			c.columns[i].put(post, c.columns[i].key, cell)
		}
	}
	return json.Marshal(post)
}

// A limitedReader limits the bytes read for one record, because an unclosed quote would make the
// CSV reader read the whole file.
type limitedReader struct {
	r    io.Reader
	left int
}

var errRecordTooLong = errors.New("record too long")

func (b *limitedReader) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errRecordTooLong
	}
	n, err := b.r.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
