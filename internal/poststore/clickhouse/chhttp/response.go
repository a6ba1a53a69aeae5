package chhttp

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"regexp"

	"github.com/ClickHouse/ch-go/proto"
)

const (
	// protocol is the revision of the Native format that requests without a revision get.
	protocol = 0
	// readerSize is the buffer size of [proto.Reader], which then reads from ours instead of adding
	// another, so that we can look at the start of the next block.
	readerSize = 128 << 10
	// maxErrorText limits what is read of an error's text.
	maxErrorText = 128 << 10
	// maxRest limits what is read after the start of an invalid block to find the text of an error.
	maxRest = 1 << 20
)

// tagHeader is the name of the header with the tag of exceptionMark.
const tagHeader = "X-ClickHouse-Exception-Tag"

// exceptionMark starts and ends the text of an error that occurs after the first output:
//
//	__exception__\r\nTAG\r\nCode: 395. DB::Exception: ...\n71 TAG\r\n__exception__\r\n
//
// TAG is different in each response, and in a header of it. Then the server closes the connection.
var exceptionMark = []byte("__exception__")

// exceptionText finds the text of an error at the end of output if there is no tag, for example because
// a proxy removes unknown headers.
var exceptionText = regexp.MustCompile(`Code: \d+\. DB::Exception: (?s:.*)$`)

// A response is the output of a statement.
type response struct {
	status int
	header http.Header
	body   *bufio.Reader
	tail   *tail // under body
	rows   int   // decoded so far
}

func newResponse(r *http.Response) *response {
	t := &tail{r: r.Body}
	return &response{status: r.StatusCode, header: r.Header, body: bufio.NewReaderSize(t, readerSize), tail: t}
}

// blocks decodes the blocks of the response into out and calls each after every block with rows.
func (r *response) blocks(out proto.Results, each func(rows int) error) error {
	reader := proto.NewReader(r.body)
	for {
		start, err := r.body.Peek(len(exceptionMark) + 2)
		if len(start) == 0 && err == io.EOF {
			return r.ended()
		}
		if bytes.HasPrefix(bytes.TrimLeft(start, "\r\n"), exceptionMark) {
			return r.failure(io.ErrUnexpectedEOF)
		}
		if len(start) == 0 {
			return r.failure(err)
		}
		var b proto.Block
		if err := b.DecodeRawBlock(reader, protocol, out); err != nil {
			return r.failure(err)
		}
		if b.Rows == 0 {
			continue
		}
		r.rows += b.Rows
		if err := each(b.Rows); err != nil {
			return err
		}
	}
}

// discard reads the response to its end.
func discard(r *response) error {
	if _, err := io.Copy(io.Discard, r.body); err != nil {
		return r.failure(err)
	}
	return r.ended()
}

// ended returns the error that the server added to output that otherwise ended properly, or nil.
func (r *response) ended() error {
	if r.header.Get(tagHeader) == "" || !bytes.HasSuffix(bytes.TrimRight(r.tail.bytes(), "\r\n"), exceptionMark) {
		return nil
	}
	return r.exception()
}

// failure returns the error that the server added to its output, or else an error with the given
// cause: the output is invalid or incomplete.
func (r *response) failure(cause error) error {
	_, readErr := io.Copy(io.Discard, io.LimitReader(r.tail, maxRest))
	if e := r.exception(); e != nil {
		return e
	}
	if r.tail.err != nil && r.tail.err != io.EOF {
		readErr = r.tail.err
	}
	if readErr != nil {
		return &networkError{err: fmt.Errorf("incomplete response: %w", readErr)}
	}
	return fmt.Errorf("clickhouse: invalid response: %w", cause)
}

// exception returns the error at the end of the output, or nil. The tag makes sure that it is not the
// content of a post.
func (r *response) exception() error {
	text := r.tail.bytes()
	tag := regexp.QuoteMeta(r.header.Get(tagHeader))
	if tag == "" {
		if text = exceptionText.Find(text); text == nil {
			return nil
		}
		return newError(r.status, http.Header{}, string(text))
	}
	start := regexp.MustCompile(`__exception__\s*` + tag + `\s*`).FindIndex(text)
	end := regexp.MustCompile(`\n\d+ ` + tag + `\s*__exception__\s*$`).FindIndex(text)
	if start == nil && end == nil {
		return nil
	}
	if end != nil { // else the text is incomplete
		text = text[:end[0]]
	}
	if start != nil && start[1] <= len(text) { // else the text is long
		text = text[start[1]:]
	}
	return newError(r.status, http.Header{}, string(text))
}

// A tail remembers the end of what was read.
type tail struct {
	r    io.Reader
	last []byte // at most twice maxErrorText
	err  error  // of the last read
}

// Read reads from the underlying reader.
func (t *tail) Read(p []byte) (int, error) {
	n, err := t.r.Read(p)
	t.last = append(t.last, p[max(0, n-maxErrorText):n]...)
	if len(t.last) > 2*maxErrorText {
		t.last = append(t.last[:0], t.last[len(t.last)-maxErrorText:]...)
	}
	t.err = err
	return n, err
}

// bytes returns the end of what was read.
func (t *tail) bytes() []byte { return t.last[max(0, len(t.last)-maxErrorText):] }
