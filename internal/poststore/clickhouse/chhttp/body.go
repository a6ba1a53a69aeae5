package chhttp

import (
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/ClickHouse/ch-go/proto"
)

// A body is the rows of an insert in the Native format. It shares the memory of their columns, which
// would otherwise be copied once more.
type body struct {
	parts [][]byte
	size  int64

	mu       sync.Mutex
	released bool // guarded by mu
}

var errReleased = errors.New("clickhouse: the insert has ended")

// newBody returns the body with the rows of an insert.
func newBody(in proto.Input) (*body, error) {
	b := new(body)
	w := proto.NewWriter(b, new(proto.Buffer))
	if err := (proto.Block{Columns: len(in), Rows: in[0].Data.Rows()}).WriteBlock(w, protocol, in); err != nil {
		return nil, err
	}
	if _, err := w.Flush(); err != nil {
		return nil, fmt.Errorf("collect the columns: %w", err)
	}
	return b, nil
}

// Write adds a part. Unlike other writers it retains p: newBody flushes only once, so that neither a
// column nor the buffer changes afterward.
func (b *body) Write(p []byte) (int, error) {
	b.parts = append(b.parts, p)
	b.size += int64(len(p))
	return len(p), nil
}

// open returns a reader from the beginning. Several may be open.
func (b *body) open() io.ReadCloser { return &bodyReader{body: b} }

// release makes readers fail that are still in use. The HTTP client may read a body after it has
// returned a response or an error, but the caller of Insert may change the columns then.
func (b *body) release() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.released = true
}

type bodyReader struct {
	body   *body
	part   int // that is read next
	offset int // in the part
}

func (r *bodyReader) Read(p []byte) (n int, err error) {
	r.body.mu.Lock()
	defer r.body.mu.Unlock()
	for n < len(p) && r.part < len(r.body.parts) {
		if r.body.released {
			return n, errReleased
		}
		rest := r.body.parts[r.part][r.offset:]
		copied := copy(p[n:], rest)
		n, r.offset = n+copied, r.offset+copied
		if copied == len(rest) {
			r.part, r.offset = r.part+1, 0
		}
	}
	if n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

func (r *bodyReader) Close() error { return nil }
