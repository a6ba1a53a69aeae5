package record

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// csvRecords reads the records of a CSV file.
type csvRecords struct {
	r       *csv.Reader
	limited *limitedReader
	columns []Field  // without a name: ignored
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
		col, known := FindField(strings.TrimSpace(name)) // as in JSON, unknown ones are ignored
		if known && slices.Contains(c.columns, col) {
			return nil, fmt.Errorf("the header has the column %s twice", col.Name)
		}
		c.columns = append(c.columns, col)
	}
	if !slices.ContainsFunc(c.columns, func(col Field) bool { return col.Name != "" }) {
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
	var b Builder
	for i, cell := range cells {
		col := c.columns[i]
		switch {
		case !utf8.ValidString(cell):
			return nil, &Bad{"the column " + col.Name + " is not UTF-8"}
		case cell == "" || col.Name == "":
		case col.IsList():
			b.SetList(col, splitList(cell))
		default:
			b.Set(col, cell)
		}
	}
	return b.JSON()
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
