package record

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// A Reader reads the records of a file: JSON lines, or CSV with a header of the same names.
type Reader struct {
	in   *bufio.Reader
	line int64       // number of the last line; only for JSON lines
	csv  *csvRecords // nil for JSON lines
}

// NewReader detects the format by the first character: JSON lines start with a brace, everything
// else is CSV.
func NewReader(in io.Reader) (*Reader, error) {
	r := &Reader{in: bufio.NewReaderSize(in, 64<<10)}
	if mark, _ := r.in.Peek(3); bytes.Equal(mark, []byte("\xef\xbb\xbf")) {
		r.in.Discard(3) // skips a byte order mark; cannot fail after Peek
	}
	blank, first, err := firstByte(r.in)
	switch {
	case errors.Is(err, io.EOF):
		return r, nil // the file is empty
	case err != nil:
		return nil, err
	case first == '{':
		r.line = blank
		return r, nil
	case first == '[':
		return nil, errors.New("the file is a JSON array; write one object per line instead")
	}
	r.csv, err = newCSV(r.in, blank)
	return r, err
}

// firstByte skips whitespace and returns the number of skipped lines and the next byte, which it
// leaves unread.
func firstByte(r *bufio.Reader) (blank int64, first byte, err error) {
	for {
		c, err := r.ReadByte()
		if err != nil {
			return blank, 0, err
		}
		switch c {
		case '\n':
			blank++
		case ' ', '\t', '\r':
		default:
			return blank, c, r.UnreadByte()
		}
	}
}

// Next returns one record as a JSON object without line breaks, and the line of the file where it
// starts. An empty line yields an empty record. If the error is a *[Bad], this record cannot be read
// and reading continues. All other errors end reading; at the end of the file the error is io.EOF.
func (r *Reader) Next() (record []byte, line int64, err error) {
	if r.csv != nil {
		return r.csv.next()
	}
	r.line++
	text, err := ReadLine(r.in, MaxBytes)
	return bytes.TrimSpace(text), r.line, err
}

// A Bad error is about one record. Those after it can be read.
type Bad struct{ Message string }

func (e *Bad) Error() string { return e.Message }

// ReadLine returns a line, including its line ending, if any, or io.EOF. A line of more than limit
// bytes is read to its end and reported as a *[Bad].
func ReadLine(r *bufio.Reader, limit int) ([]byte, error) {
	var line []byte
	long := false
	for {
		piece, err := r.ReadSlice('\n')
		long = long || len(line)+len(piece) > limit
		if !long {
			line = append(line, piece...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && !errors.Is(err, io.EOF):
			return nil, err
		case long:
			return nil, &Bad{fmt.Sprintf("the line is longer than %d bytes", limit)}
		case err != nil && len(line) == 0:
			return nil, io.EOF
		}
		return line, nil
	}
}
