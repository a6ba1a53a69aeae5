package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// A lineReader returns the posts of a file in the format of the API.
type lineReader interface {
	// next returns one post as a JSON object without line breaks, and the line of the file where it
	// starts. An empty line yields an empty post. If the error is a *badLine, this post cannot be
	// sent and reading continues. All other errors end reading; at the end of the file the error is
	// io.EOF.
	next() (post []byte, at int64, err error)
}

// A badLine is a post that cannot be sent.
type badLine struct{ message string }

func (e *badLine) Error() string { return e.message }

// maxLineBytes limits the size of a post, and thus the memory that an import uses. It is also the
// server's limit.
const maxLineBytes = 1 << 20

// newLines detects the format by the first character: JSON lines start with a brace, everything
// else is CSV.
func newLines(in io.Reader, network string) (lineReader, error) {
	r := bufio.NewReaderSize(in, 64<<10)
	if mark, _ := r.Peek(3); bytes.Equal(mark, []byte("\xef\xbb\xbf")) {
		r.Discard(3) // skips a byte order mark; cannot fail after Peek
	}
	blank, first, err := firstByte(r)
	switch {
	case errors.Is(err, io.EOF):
		return &jsonLines{r: r, network: network}, nil // the file is empty
	case err != nil:
		return nil, err
	case first == '{':
		return &jsonLines{r: r, network: network, line: blank}, nil
	case first == '[':
		return nil, errors.New("the file is a JSON array; write one object per line instead")
	}
	return newCSVLines(r, network, blank)
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

// jsonLines reads JSON lines.
type jsonLines struct {
	r       *bufio.Reader
	network string // for posts without a type
	line    int64
}

func (j *jsonLines) next() ([]byte, int64, error) {
	j.line++
	line, err := readLine(j.r, maxLineBytes)
	if err != nil {
		return nil, j.line, err
	}
	line = bytes.TrimSpace(line)
	if j.network == "" || len(line) == 0 {
		return line, j.line, nil
	}
	return withType(line, j.network), j.line, nil
}

// readLine returns a line, including its line ending, if any, or io.EOF. A line of more than limit
// bytes is read to its end and reported as a *badLine.
func readLine(r *bufio.Reader, limit int) ([]byte, error) {
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
			return nil, &badLine{fmt.Sprintf("the line is longer than %d bytes", limit)}
		case err != nil && len(line) == 0:
			return nil, io.EOF
		}
		return line, nil
	}
}

// withType adds the network to a post that has none.
func withType(line []byte, network string) []byte { return withField(line, "type", network) }

// withField adds a text field to an object that lacks it. Anything but an object is left for the
// server to reject.
func withField(line []byte, name, text string) []byte {
	var post map[string]json.RawMessage
	if text == "" || json.Unmarshal(line, &post) != nil || post == nil {
		return line
	}
	switch raw := string(post[name]); raw {
	case "", `""`, "null": // missing; the server checks any other value
	default:
		return line
	}
	value, err := json.Marshal(text)
	if err != nil {
		return line
	}
	post[name] = value
	filled, err := json.Marshal(post)
	if err != nil {
		return line
	}
	return filled
}
