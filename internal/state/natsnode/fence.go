package natsnode

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"earshot/internal/state/kv"
)

// A Fence is the right of a role to write to some streams. It ends when anyone raises the fence of the
// same role again: from then on, the server rejects all writes under the earlier fence.
//
// The fence of a role is the last message of a subject in each of the streams, for example
// journal.fence.source.7, and its sequence number is the token of whoever raised it. Writes under the
// fence make the server check the token, in the same atomic step that stores the message. A message
// has room for one check. If it already has one, as a compare-and-set does, it becomes a batch with
// a second message, the mark, whose only purpose is to carry the check of the token.
type Fence struct {
	node    *Node
	role    string
	streams []*fencedStream
	lost    chan struct{} // closed when another fence was raised
	once    sync.Once     // guards closing lost
}

// A fencedStream is the fence in one stream.
type fencedStream struct {
	fence    *Fence
	name     string
	stream   jetstream.Stream
	subject  string // of the fence
	mark     string // subject of marks
	subjects []string
	expires  bool // the fence disappears from the stream unless it is refreshed

	// writing contains a value while a write is in progress. A clustered server rejects a check of
	// a subject while another check of the subject is in progress.
	writing chan struct{}
	token   uint64 // guarded by writing
}

const (
	fencePrefix = "fence."
	markPrefix  = "fencemark."
)

// RaiseFence raises the fence of a role in some streams, which must have been opened on a node with
// Options.Fences. When it returns, no write under an earlier fence of the role can succeed.
func (n *Node) RaiseFence(ctx context.Context, role string, streams ...string) (*Fence, error) {
	f := &Fence{node: n, role: role, lost: make(chan struct{})}
	for _, name := range streams {
		s, err := f.open(ctx, name)
		if err == nil {
			s.token, err = n.Publish(ctx, &nats.Msg{Subject: s.subject})
		}
		if err != nil {
			return nil, fmt.Errorf("raise the fence of %s in %s: %w", role, name, err)
		}
		f.streams = append(f.streams, s)
	}
	return f, nil
}

func (f *Fence) open(ctx context.Context, name string) (*fencedStream, error) {
	s := &fencedStream{fence: f, name: name, writing: make(chan struct{}, 1)}
	err := f.node.Retry(ctx, func(ctx context.Context) (err error) {
		s.stream, err = f.node.js.Stream(ctx, name)
		return err
	})
	if err != nil {
		return nil, err
	}
	config := s.stream.CachedInfo().Config
	if !config.AllowAtomicPublish {
		return nil, errors.New("the stream has no fences")
	}
	base := fenceBase(config.Subjects)
	s.subject, s.mark, s.subjects = base+fencePrefix+f.role, base+markPrefix+f.role, config.Subjects
	s.expires = config.MaxAge > 0 || config.MaxMsgsPerSubject <= 0
	return s, nil
}

// HasFences reports whether streams of the node contain messages of fences.
func (n *Node) HasFences() bool { return n.fences }

// withFences returns the subjects of a stream, and those of fences unless the stream has them.
func withFences(subjects []string) []string {
	if base := fenceBase(subjects); !slices.Contains(subjects, base+">") {
		return slices.Concat(subjects, []string{base + fencePrefix + ">", base + markPrefix + ">"})
	}
	return subjects
}

// fenceBase returns the start of the subjects of fences: "journal." for the subject journal,
// "$KV.catalog." for $KV.catalog.>
func fenceBase(subjects []string) string {
	return strings.TrimSuffix(strings.TrimRight(subjects[0], "*>"), ".") + "."
}

// isFenceKey reports whether a key of a bucket belongs to a fence.
func isFenceKey(key string) bool {
	return strings.HasPrefix(key, fencePrefix) || strings.HasPrefix(key, markPrefix)
}

// WithFence returns a context under whose writes the server checks the fence, in addition to those
// that ctx already has. They fail with [kv.ErrFenced] once the fence was raised again. Writes to
// other streams are not affected. Purges are not atomic: they only check the fence before.
func WithFence(ctx context.Context, f *Fence) context.Context {
	outer, _ := ctx.Value(fenceKey{}).([]*Fence)
	return context.WithValue(ctx, fenceKey{}, append(slices.Clip(outer), f))
}

type fenceKey struct{}

// fencesOf returns the fences of ctx in the stream of a subject.
func fencesOf(ctx context.Context, subject string) []*fencedStream {
	return findFences(ctx, func(s *fencedStream) bool {
		return slices.ContainsFunc(s.subjects, func(filter string) bool { return matchesSubject(filter, subject) })
	})
}

func findFences(ctx context.Context, in func(*fencedStream) bool) (list []*fencedStream) {
	fences, _ := ctx.Value(fenceKey{}).([]*Fence)
	for _, f := range fences {
		if i := slices.IndexFunc(f.streams, in); i >= 0 {
			list = append(list, f.streams[i])
		}
	}
	return list
}

// matchesSubject reports whether a subject matches a filter with wildcards.
func matchesSubject(filter, subject string) bool {
	for {
		f, filterRest, more := strings.Cut(filter, ".")
		s, subjectRest, left := strings.Cut(subject, ".")
		switch {
		case f == ">":
			return true
		case f != "*" && f != s || more != left:
			return false
		case !more:
			return true
		}
		filter, subject = filterRest, subjectRest
	}
}

// Lost returns a channel that is closed when a write or Keep finds that the fence was raised again.
func (f *Fence) Lost() <-chan struct{} { return f.lost }

// check returns kv.ErrFenced if it is known that the fence was raised again.
func (f *Fence) check() error {
	select {
	case <-f.lost:
		return fmt.Errorf("%w: %s", kv.ErrFenced, f.role)
	default:
		return nil
	}
}

func (f *Fence) lose() { f.once.Do(func() { close(f.lost) }) }

// lock waits for other writes under the fence. It fails if the fence is lost.
func (s *fencedStream) lock(ctx context.Context) error {
	select {
	case s.writing <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	err := s.fence.check()
	if err != nil {
		s.unlock()
	}
	return err
}

func (s *fencedStream) unlock() { <-s.writing }

// last returns the last message of the fence, read through the leader. It is empty if there is none.
func (s *fencedStream) last(ctx context.Context) (m *jetstream.RawStreamMsg, err error) {
	err = s.fence.node.Retry(ctx, func(ctx context.Context) (err error) {
		m, err = s.stream.GetLastMsgForSubject(ctx, s.subject)
		return err
	})
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return &jetstream.RawStreamMsg{}, nil
	}
	return m, err
}

// verify returns kv.ErrFenced if the fence was raised again. s must be locked.
func (s *fencedStream) verify(ctx context.Context) error {
	m, err := s.last(ctx)
	if err == nil && m.Sequence != s.token {
		s.fence.lose()
		err = s.fence.check()
	}
	return err
}

// require makes m fail unless the fence still has its token. s must be locked.
func (s *fencedStream) require(m *nats.Msg) {
	m.Header.Set(jetstream.ExpectedLastSubjSeqHeader, strconv.FormatUint(s.token, 10))
	m.Header.Set(expectedSubjectHeader, s.subject)
}

const expectedSubjectHeader = "Nats-Expected-Last-Subject-Sequence-Subject"
