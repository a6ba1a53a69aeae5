package bluesky

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/coder/websocket"
	"github.com/klauspost/compress/zstd"

	"earshot"
	"earshot/internal/connector"
)

// Reasons why something that was read is not stored.
const (
	undecodable   = "cannot be decoded"
	tooLarge      = "message too large"
	unknownRepost = "repost of a post that is not stored"
)

// A decoded event is the effect of an event on posts.
type decoded struct {
	kind   kind
	did    string        // account of a profile or departed event
	guid   string        // of a deleted post or repost
	post   *earshot.Post // of a post event, or of a repost event (without text)
	seen   time.Time     // when the server received a post
	skip   string        // reason why there is no post
	events int           // number of events, for the counters
}

// A reader reads the messages of one connection.
type reader struct {
	*stream
	conn     *websocket.Conn
	watchdog *watchdog
	host     string
	asked    cursor // where the connection started
	first    bool   // an event was read
	message  []byte // buffer
	unzipped []byte // buffer
}

// run reads messages until the connection ends.
func (r *reader) run(ctx context.Context) error {
	for {
		size, kept, err := r.read(ctx)
		if err != nil {
			return err
		}
		r.watchdog.beat()
		i := item{bytes: size}
		i.events = 1
		if !kept {
			i.skip = tooLarge
		} else if e, ok := parseEvent(r.unzipped, r.second); !ok {
			i.skip = undecodable
		} else {
			if e.kind == errorEvent {
				return fmt.Errorf("%s ended the connection: %s", r.host, earshot.Clip(e.message, 100))
			}
			if r.repeated(&e) {
				continue
			}
			if err := r.checkStart(ctx, &e); err != nil {
				return err
			}
			i.decoded = interpret(&e)
			i.cursor = r.after(&e)
		}
		if err := r.send(ctx, r.watchdog, i); err != nil {
			return err
		}
		if i.cursor != (cursor{}) {
			r.cursor = i.cursor
		}
	}
}

// after returns the cursor after an event. Events of a server may be a little out of order.
func (r *reader) after(e *event) cursor {
	c := cursor{micros: e.micros, seq: e.seq, host: r.host}
	if e.micros == 0 {
		return cursor{}
	}
	if r.cursor.host == r.host {
		c.micros = max(c.micros, r.cursor.micros)
	}
	return c
}

// read reads a message to r.unzipped. It reports false for a message that is too long or cannot be
// decompressed, which it skips.
func (r *reader) read(ctx context.Context) (size int, kept bool, err error) {
	kind, from, err := r.conn.Reader(ctx)
	if err != nil {
		return 0, false, fmt.Errorf("read from %s: %w", r.host, err)
	}
	r.message, err = readInto(r.message[:0], io.LimitReader(from, maxMessage+1))
	if err != nil {
		return 0, false, fmt.Errorf("read from %s: %w", r.host, err)
	}
	if len(r.message) > maxMessage {
		r.message = nil // do not keep the buffer
		n, err := io.Copy(io.Discard, io.LimitReader(from, maxDiscard))
		switch {
		case err != nil:
			return 0, false, fmt.Errorf("read from %s: %w", r.host, err)
		case n == maxDiscard:
			return 0, false, fmt.Errorf("read from %s: a message is larger than %d MB", r.host, maxDiscard>>20)
		}
		return maxMessage + int(n), false, nil
	}
	if kind == websocket.MessageText {
		r.unzipped = append(r.unzipped[:0], r.message...)
		return len(r.message), true, nil
	}
	r.unzipped, err = r.decoder.DecodeAll(r.message, r.unzipped[:0])
	if errors.Is(err, zstd.ErrDecoderSizeExceeded) || errors.Is(err, zstd.ErrWindowSizeExceeded) {
		return len(r.message), false, nil
	}
	if err != nil {
		r.unzipped = r.unzipped[:0] // which cannot be parsed
	}
	return len(r.message), true, nil
}

// readInto appends everything from a reader to buf.
func readInto(buf []byte, from io.Reader) ([]byte, error) {
	for {
		if len(buf) == cap(buf) {
			buf = append(buf, make([]byte, max(4096, len(buf)))...)[:len(buf)]
		}
		n, err := from.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if err == io.EOF {
			return buf, nil
		}
		if err != nil {
			return buf, err
		}
	}
}

// repeated reports whether the second protocol sends the event of the cursor again.
func (r *reader) repeated(e *event) bool {
	return r.asked.seq > 0 && r.asked.host == r.host && e.seq > 0 && e.seq <= r.asked.seq
}

// checkStart examines the first event after the cursor. If it is much later, the server no longer
// has the events in between: the first protocol silently continues with the oldest event it has.
// Another server may have them. If none does, the one with the oldest events is used, and the rest is
// a gap.
func (r *reader) checkStart(ctx context.Context, e *event) error {
	if r.first || e.micros == 0 {
		return nil
	}
	r.first = true
	numbered := r.asked.seq > 0 && r.asked.host == r.host // the server reports missing events after a number
	if r.asked.host == "" || numbered || e.micros-r.asked.micros < maxSilence.Microseconds() {
		clear(r.clamped)
		return nil
	}
	r.clamped[r.host] = e.micros
	best := r.current
	for i, u := range r.hosts {
		start, tried := r.clamped[u.Host]
		if !tried {
			r.stream.current = i
			return errAdjusted
		}
		if start < r.clamped[r.hosts[best].Host] {
			best = i
		}
	}
	if best != r.current && r.clamped[r.hosts[best].Host] < e.micros-maxSilence.Microseconds() {
		r.stream.current = best
		return errAdjusted
	}
	clear(r.clamped)
	gap := connector.Gap{From: r.asked.time(), To: e.time(), Reason: "Bluesky no longer had the posts from this period"}
	return r.send(ctx, r.watchdog, item{gap: &gap})
}

// interpret decodes the record of an event. The result shares no memory with the event.
func interpret(e *event) decoded {
	d := decoded{kind: e.kind, events: 1}
	switch e.kind {
	case postEvent:
		p, skip := newPost(string(e.did), string(e.rkey), e.record, e.time())
		if d.skip, d.seen = skip, e.time(); skip == "" {
			d.post = &p
		} else if e.update {
			d.kind, d.guid = deleteEvent, e.guid() // the old version no longer exists either
		}
	case repostEvent:
		p, skip := newRepost(e)
		if d.skip, d.seen = skip, e.time(); skip == "" {
			d.post = &p
		}
	case deleteEvent:
		d.guid = e.guid()
	case profileEvent, departedEvent:
		d.did = string(e.did)
	}
	return d
}

// newRepost returns a post for a repost, without the text of the original post.
func newRepost(e *event) (earshot.Post, string) {
	var r repostRecord
	if !decode(e.record, &r) {
		return earshot.Post{}, undecodable
	}
	did, rkey, ok := splitURI(r.Subject.URI)
	if !ok {
		return earshot.Post{}, undecodable
	}
	return earshot.Post{
		Source:          earshot.Bluesky,
		GUID:            e.guid(),
		URL:             postURL(did, rkey),
		Site:            site,
		Time:            postTime(r.CreatedAt, e.time()),
		AuthorProfileID: string(e.did),
		PageID:          string(e.did),
		Engagement:      earshot.Retweet,
		ParentGUID:      r.Subject.URI,
	}, ""
}
