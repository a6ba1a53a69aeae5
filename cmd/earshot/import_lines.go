package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// A lineReader hands out the posts of a file in the form of the interface.
type lineReader interface {
	// next returns one post as a JSON object without a line break, and the line of
	// the file on which it begins. An empty line is an empty post. A *badLine says
	// that this post cannot be sent, and reading goes on; other errors end it, the
	// last of them io.EOF.
	next() (post []byte, at int64, err error)
}

// A badLine is a post that cannot be sent.
type badLine struct{ message string }

func (e *badLine) Error() string { return e.message }

// maxLineBytes bounds a post, and so the memory that an import takes. The server
// takes no longer ones.
const maxLineBytes = 1 << 20

// newLines tells by the first character what a file holds: JSON lines begin with
// a brace, and everything else is CSV.
func newLines(in io.Reader, network string) (lineReader, error) {
	r := bufio.NewReaderSize(in, 64<<10)
	if mark, _ := r.Peek(3); bytes.Equal(mark, []byte("\xef\xbb\xbf")) {
		r.Discard(3) // a byte order mark; it was just read, so this cannot fail
	}
	blank, first, err := firstByte(r)
	switch {
	case errors.Is(err, io.EOF):
		return &jsonLines{r: r, network: network}, nil // an empty file
	case err != nil:
		return nil, err
	case first == '{':
		return &jsonLines{r: r, network: network, line: blank}, nil
	case first == '[':
		return nil, errors.New("this is a JSON array; an import wants one object a line")
	}
	return newCSVLines(r, network, blank)
}

// firstByte skips white space and returns how many lines that was, and the byte
// that follows, which is left unread.
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

// jsonLines reads a file of JSON lines.
type jsonLines struct {
	r       *bufio.Reader
	network string // of posts that do not say
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

// readLine returns a line, with its end if it has one, or io.EOF when there is none.
// Of a line of more than longest bytes it reads all and keeps nothing.
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

// withType adds the network to a post that names none.
func withType(line []byte, network string) []byte { return withField(line, "type", network) }

// withField adds a text to an object that has none under that name. What is not an object
// is left for the server to reject.
func withField(line []byte, name, text string) []byte {
	var post map[string]json.RawMessage
	if text == "" || json.Unmarshal(line, &post) != nil || post == nil {
		return line
	}
	switch raw := string(post[name]); raw {
	case "", `""`, "null": // none; anything else is for the server to judge
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
