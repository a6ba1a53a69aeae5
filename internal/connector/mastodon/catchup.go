package mastodon

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"time"

	"earshot"
	"earshot/internal/connector"
	"earshot/internal/fetch"
)

const (
	pageSize    = 40      // the most that servers return
	maxPageSize = 4 << 20 // bytes; a page has 300 KB on average
	firstPages  = 3       // with which a new source starts
	maxPages    = 500     // of a catch-up: 20,000 posts, ten minutes at the server's rate limit
)

// IDs are times, but a post from another server has the time when it was written, and may arrive
// later. A catch-up therefore starts a little before the cursor. Duplicates are recognized.
const (
	overlap       = time.Minute
	publicOverlap = 15 * time.Second // a busy timeline has many posts in a minute
)

// noPosts is the cursor of a timeline that had no posts when the source started. It precedes all
// IDs.
const noPosts = "0"

// start reads what a stream missed while the source was down, or the newest posts for a new one.
func (r *reader) start(ctx context.Context, s *stream) error {
	id := r.cursor.IDs[s.name]
	if id == "" {
		return r.first(ctx, s)
	}
	if n, err := strconv.ParseUint(id, 10, 64); err == nil && id != noPosts {
		older, err := r.page(ctx, s, url.Values{"max_id": {strconv.FormatUint(n+1, 10)}})
		if err != nil {
			return err
		}
		if len(older) == 0 {
			if err := r.gap(ctx, time.Unix(r.cursor.Seen, 0), "The server no longer has the posts that followed the last one read"); err != nil {
				return err
			}
		}
	}
	return r.catchUp(ctx, s, true)
}

func (r *reader) gap(ctx context.Context, from time.Time, reason string) error {
	to := r.Now()
	if !from.Before(to) {
		from = to.Add(-time.Second)
	}
	return r.sink.Gap(ctx, connector.Gap{From: from, To: to, Reason: reason})
}

// first reads the newest posts of a timeline.
func (r *reader) first(ctx context.Context, s *stream) error {
	var changes []change
	query := url.Values{}
	for range firstPages {
		page, err := r.page(ctx, s, query)
		if err != nil {
			return err
		}
		if len(page) == 0 {
			break
		}
		changes = append(page, changes...)
		query.Set("max_id", page[0].id)
	}
	if len(changes) == 0 {
		r.cursor.IDs[s.name] = noPosts
	}
	return r.store(ctx, changes)
}

// catchUp reads a timeline from the cursor to its end. Without toEnd, it stops at a page that is not
// full, which may be before the end.
func (r *reader) catchUp(ctx context.Context, s *stream, toEnd bool) error {
	after := r.cursor.IDs[s.name]
	if after == "" {
		return r.first(ctx, s)
	}
	if toEnd {
		after = r.before(after)
	}
	last := time.Unix(r.cursor.Seen, 0)
	for range maxPages {
		page, err := r.page(ctx, s, url.Values{"min_id": {after}})
		if err != nil || len(page) == 0 {
			return err
		}
		highest := page[len(page)-1]
		if err := r.store(ctx, page); err != nil {
			return err
		}
		if compareIDs(highest.id, after) <= 0 {
			return fmt.Errorf("%s keeps returning the same posts", r.base)
		}
		after = highest.id
		if !toEnd && len(page) < pageSize {
			return nil
		}
		if highest.status != nil {
			last = highest.status.CreatedAt
		}
		if lag := r.Now().Sub(last); len(page) == pageSize && lag > 0 {
			r.sink.Report(connector.State{Phase: connector.CatchingUp, Lag: lag})
		}
	}
	if err := r.gap(ctx, last, "The server has more posts than could be read in time"); err != nil {
		return err
	}
	return r.first(ctx, s)
}

// before returns an id that is the overlap older than id, if ids of the server are times.
func (r *reader) before(id string) string {
	n, err := strconv.ParseUint(id, 10, 64)
	if err != nil {
		return id
	}
	written := time.UnixMilli(int64(n >> 16))
	if written.Year() < 2016 || written.After(r.Now().Add(24*time.Hour)) {
		return id
	}
	back := overlap
	if r.timeline == publicTimeline || r.timeline == remoteTimeline {
		back = publicOverlap
	}
	return strconv.FormatUint(uint64(written.Add(-back).UnixMilli())<<16, 10)
}

// page reads a page of a timeline, and returns posts with ascending ids. If the page is too large, it
// reads a smaller one.
func (r *reader) page(ctx context.Context, s *stream, query url.Values) ([]change, error) {
	for name, values := range s.query {
		query[name] = values
	}
	for _, size := range []int{pageSize, pageSize / 4, 2} {
		query.Set("limit", strconv.Itoa(size))
		body, err := r.get(ctx, s.path, query, maxPageSize)
		if errors.Is(err, fetch.ErrTooLarge) {
			continue
		}
		if err != nil {
			return nil, err
		}
		list, err := decodeTimeline(body)
		if err != nil {
			return nil, err
		}
		var changes []change
		for _, data := range list {
			if c := newChange(current, s, data); c.id != "" {
				changes = append(changes, c)
			}
		}
		r.sink.Count(connector.Counters{Events: int64(len(list)), Skipped: map[string]int64{cannotDecode: int64(len(list) - len(changes))}})
		slices.SortStableFunc(changes, func(a, b change) int { return compareIDs(a.id, b.id) })
		return changes, nil
	}
	return nil, fmt.Errorf("%s returns pages larger than %d MB", r.base, maxPageSize>>20)
}

// Sample implements [connector.Connector]. It returns the newest posts.
func (m *mastodon) Sample(ctx context.Context, n int) (posts []earshot.Post, err error) {
	cfg, err := parseSettings(m.Settings)
	if err != nil {
		return nil, err
	}
	r := &reader{client: newClient(m.Env, cfg, func(connector.Counters) {}), sink: nopSink{}}
	if err := r.checkServer(ctx); err != nil {
		return nil, err
	}
	for _, s := range r.streams {
		page, err := r.page(ctx, s, url.Values{})
		if err != nil {
			return posts, err
		}
		for _, c := range page {
			if c.status == nil || len(posts) == n {
				continue
			}
			if p, skip := c.status.post(r.server.domain, r.Now()); skip == "" {
				posts = append(posts, p)
			}
		}
	}
	return posts, nil
}

// A nopSink counts nothing.
type nopSink struct{ connector.Sink }

func (nopSink) Count(connector.Counters) {}
