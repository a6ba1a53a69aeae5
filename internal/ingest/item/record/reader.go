package record

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// A Reader reads the records of a file. It holds about one record in memory.
type Reader struct {
	in     *bufio.Reader
	count  *countingReader
	start  int64       // offset in the file of the first byte of count
	line   int64       // number of the last line read; not for CSV
	csv    *csvRecords // nil for JSON
	values bool        // JSON values in any layout, instead of one per line
}

// A Position is a place between two records of a file.
type Position struct {
	Offset int64 // in bytes
	Line   int64 // number of lines before it
}

// NewReader reads JSON lines, or CSV with a header of the same names. It detects the format by the
// first character: JSON lines start with a brace, everything else is CSV.
func NewReader(in io.Reader) (*Reader, error) {
	r, first, err := newReader(in)
	switch {
	case errors.Is(err, io.EOF):
		return r, nil // the file is empty
	case err != nil:
		return nil, err
	case first == '{':
		return r, nil
	case first == '[':
		return nil, errors.New("the file is a JSON array; write one object per line instead")
	}
	r.csv, err = newCSV(r.in, r.Position())
	return r, err
}

// NewJSONReader reads JSON lines, or JSON values in any layout: objects, or a list of them, which
// may be the member items of an object.
func NewJSONReader(in io.Reader) (*Reader, error) {
	r, first, err := newReader(in)
	switch {
	case errors.Is(err, io.EOF):
		return r, nil
	case err != nil:
		return nil, err
	}
	switch {
	case first == '[':
		r.values = true
		_, err = r.in.Discard(1)
	case first == '{':
		start, _ := r.in.Peek(r.in.Size()) // an error means that the file is short
		if list := beginOfItems(start); list > 0 {
			r.values = true
			r.line += int64(bytes.Count(start[:list], newline))
			_, err = r.in.Discard(list)
		} else if line, _, several := bytes.Cut(start, newline); several {
			r.values = !json.Valid(line)
		}
	default:
		return nil, fmt.Errorf("the file is not JSON: it starts with %q", rune(first))
	}
	return r, err
}

var newline = []byte("\n")

// beginOfItems returns the offset after {"items":[ in any layout, or 0 if text begins differently.
func beginOfItems(text []byte) int {
	rest := text
	for _, token := range []string{"{", `"items"`, ":", "["} {
		var ok bool
		if rest, ok = bytes.CutPrefix(bytes.TrimLeft(rest, " \t\r\n"), []byte(token)); !ok {
			return 0
		}
	}
	return len(text) - len(rest)
}

// newReader skips a byte order mark and whitespace, and returns the next byte, which it leaves
// unread.
func newReader(in io.Reader) (r *Reader, first byte, err error) {
	r = &Reader{}
	r.reset(in, Position{})
	if mark, _ := r.in.Peek(3); bytes.Equal(mark, []byte("\xef\xbb\xbf")) {
		r.in.Discard(3) // cannot fail after Peek
	}
	first, err = r.skipSpace(" \t\r\n")
	return r, first, err
}

func (r *Reader) reset(in io.Reader, at Position) {
	r.count = &countingReader{r: in}
	r.in = bufio.NewReaderSize(r.count, 64<<10)
	r.start, r.line = at.Offset, at.Line
}

// Resume continues at a position of the same file. in starts there.
func (r *Reader) Resume(in io.Reader, at Position) {
	r.reset(in, at)
	if r.csv != nil {
		r.csv.reset(r.in, at)
	}
}

// Position returns the position after the last record.
func (r *Reader) Position() Position {
	if r.csv != nil {
		return r.csv.position()
	}
	return Position{r.start + r.count.n - int64(r.in.Buffered()), r.line}
}

// Next returns one record as a JSON value, and the line of the file where it starts. JSON lines and
// CSV have no line breaks in records, and an empty line yields an empty record. If the error is a
// *[Bad], this record cannot be read and reading continues. All other errors end reading; at the end
// of the file the error is io.EOF.
func (r *Reader) Next() (record []byte, line int64, err error) {
	switch {
	case r.csv != nil:
		return r.csv.next()
	case r.values:
		return r.nextValue()
	}
	r.line++
	text, err := ReadLine(r.in, MaxBytes)
	return bytes.TrimSpace(text), r.line, err
}

// skipSpace skips the given characters and returns the next byte, which it leaves unread.
func (r *Reader) skipSpace(space string) (byte, error) {
	for {
		c, err := r.in.ReadByte()
		switch {
		case err != nil:
			return 0, err
		case bytes.IndexByte([]byte(space), c) < 0:
			return c, r.in.UnreadByte()
		case c == '\n':
			r.line++
		}
	}
}

// nextValue is Next for values in any layout. A list ends the file.
func (r *Reader) nextValue() (value []byte, line int64, err error) {
	first, err := r.skipSpace(" \t\r\n,")
	if err != nil {
		return nil, r.line, err
	}
	line = r.line + 1
	if first == ']' {
		_, err := io.Copy(io.Discard, r.in)
		return nil, line, errors.Join(err, io.EOF)
	}
	var s valueScanner
	long := false
	for {
		c, err := r.in.ReadByte()
		switch {
		case errors.Is(err, io.EOF) && s.scalar:
			return value, line, nil
		case errors.Is(err, io.EOF):
			return nil, line, &Bad{"the file ends within the record"}
		case err != nil:
			return nil, line, err
		}
		ends, after := s.next(c)
		if after { // c does not belong to the value
			if err := r.in.UnreadByte(); err != nil {
				return nil, line, err
			}
			return value, line, nil
		}
		if c == '\n' {
			r.line++
		}
		if long = long || len(value) >= MaxBytes; !long {
			value = append(value, c)
		}
		switch {
		case ends && long:
			return nil, line, &Bad{fmt.Sprintf("the record is longer than %d bytes", MaxBytes)}
		case ends:
			return value, line, nil
		}
	}
}

// A valueScanner finds the end of a JSON value. It does not validate it.
type valueScanner struct {
	depth    int
	inString bool
	escaped  bool
	scalar   bool // the value is neither a list nor an object, and not a string
}

// next reads a byte. It reports whether the byte ends the value, or belongs to what follows.
func (s *valueScanner) next(c byte) (ends, after bool) {
	switch {
	case s.escaped:
		s.escaped = false
	case s.inString:
		s.escaped = c == '\\'
		s.inString = c != '"'
		return c == '"' && s.depth == 0, false
	case s.scalar:
		return false, bytes.IndexByte([]byte(" \t\r\n,]}"), c) >= 0
	case c == '"':
		s.inString = true
	case c == '{' || c == '[':
		s.depth++
	case c == '}' || c == ']':
		s.depth--
		return s.depth <= 0, false
	case s.depth == 0:
		s.scalar = true
	}
	return false, false
}

// A countingReader counts the bytes read.
type countingReader struct {
	r io.Reader
	n int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}
