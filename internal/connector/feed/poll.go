package feed

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"
	"time"

	"earshot"
	"earshot/internal/connector"
)

// A subscription is a feed of a running source. It contains only what the scheduler needs; the
// feed's record contains the rest.
type subscription struct {
	Feed
	key     string // of the record
	host    string // to which the next request goes
	due     time.Time
	polled  int64 // Unix time of the last successful poll, which the record may not have yet
	status  status
	problem string // if the feed cannot be read
}

// A poll is an attempt to read a feed, and its outcome.
type poll struct {
	feed  *subscription
	rec   record // to write after posts were delivered
	write bool   // the record has changed in a way that must survive a restart
	posts []earshot.Post
	gap   *connector.Gap
	count connector.Counters
	err   error     // the feed cannot be read now
	resp  *response // holds memory until the posts are delivered
}

// accept is the Accept header of requests for feeds. Pages are accepted: they link to their feed.
const accept = "application/rss+xml,application/atom+xml,application/feed+json,application/rdf+xml;q=0.9," +
	"application/xml;q=0.8,text/xml;q=0.8,application/json;q=0.7,text/html;q=0.6,*/*;q=0.1"

var (
	errGone   = errors.New("the feed is gone")
	errNoFeed = errors.New("no feed was found at this address; enter the address of the feed itself")
)

// A reader reads feeds of a source.
type reader struct {
	*client
	source      earshot.Source
	fullText    bool
	minInterval time.Duration
	robots      robotsCache
}

// read polls a feed whose host the caller holds. It returns an error only if ctx ends, or if a
// record cannot be read or written: then Run must end.
func (r *reader) read(ctx context.Context, s *subscription) (*poll, error) {
	rec, err := load(ctx, r.env.Store, s.key)
	if err != nil {
		return nil, err
	}
	p := &poll{feed: s, rec: rec}
	p.err = r.fetchSafely(ctx, p)
	if ctx.Err() != nil {
		free(p.resp)
		return nil, ctx.Err()
	}
	if p.err == nil {
		return p, nil
	}
	now := r.env.Now()
	if retry, ok := errors.AsType[*connector.RetryError](p.err); ok && p.resp != nil {
		if err := saveHold(ctx, r.env.Store, hostOf(p.resp.url), now.Add(retry.After)); err != nil {
			return nil, err
		}
	}
	p.rec = rec // discard the attempt
	p.fail(now)
	return p, nil
}

// fetchSafely turns a panic into an error, so that one feed cannot end the program.
func (r *reader) fetchSafely(ctx context.Context, p *poll) (err error) {
	defer func() {
		if v := recover(); v != nil {
			r.env.Log.Error("panic while reading a feed", "feed", p.feed.URL, "panic", fmt.Sprint(v), "stack", string(debug.Stack()))
			p.posts, p.gap, err = nil, nil, errors.New("internal error; see the log for details")
		}
	}()
	return r.fetch(ctx, p, true)
}

// fail records why a feed could not be read, and when to try again.
func (p *poll) fail(now time.Time) {
	free(p.resp)
	rec := &p.rec
	rec.Failures++
	wait := backoff(rec.Failures)
	if retry, ok := errors.AsType[*connector.RetryError](p.err); ok {
		wait = max(wait, retry.After)
	}
	rec.Next = now.Add(wait).Unix()
	rec.Problem = earshot.Clip(strings.TrimPrefix(p.err.Error(), connector.ErrAttention.Error()+": "), 200)
	switch {
	case errors.Is(p.err, errGone):
		rec.Status = gone
	case errors.Is(p.err, connector.ErrAttention), errors.Is(p.err, errNoFeed) && rec.Polled == 0:
		rec.Status = denied
	default:
		rec.Status = failing
	}
	p.write = true
	p.count.Reconnects++
}

// fetch requests the feed and decodes it. It finds the feed of a page, and remembers where a feed has
// moved.
func (r *reader) fetch(ctx context.Context, p *poll, held bool) error {
	address := p.rec.address(p.feed.URL)
	u, err := url.Parse(address)
	if err != nil {
		return err
	}
	req := request{url: u, held: held}
	if address == firstNonEmpty(p.rec.Address, p.feed.URL) {
		req.etag, req.modified = p.rec.ETag, p.rec.Modified
	}
	err = r.fetchFrom(ctx, p, req)
	if !errors.Is(err, errPage) {
		return err
	}
	page := p.resp.url
	candidates := discover(p.resp.body, page)
	free(p.resp)
	for _, candidate := range candidates {
		u, err := url.Parse(candidate)
		if err != nil || *u == *page {
			continue
		}
		err = r.fetchFrom(ctx, p, request{url: u})
		if err == nil || ctx.Err() != nil {
			return err
		}
		if retry, ok := errors.AsType[*connector.RetryError](err); ok {
			return retry
		}
		free(p.resp)
	}
	return fmt.Errorf("%s: %w", p.feed.URL, errNoFeed)
}

// fetchFrom requests a feed at an address. It returns errPage, with p.resp set, for a page. A
// permanent redirect counts only if it leads to a feed.
func (r *reader) fetchFrom(ctx context.Context, p *poll, req request) error {
	req.accept, req.limit, req.slot = accept, maxBody, r.feeds
	resp, moved, err := r.follow(ctx, req)
	if err != nil {
		return err
	}
	p.resp = resp
	p.count.Bytes += int64(len(resp.body))
	now := r.env.Now()
	if moved == nil {
		moved = req.url
	}
	switch {
	case resp.StatusCode == http.StatusNotModified:
		p.foundAt(moved)
		p.unchanged(now, r.minInterval)
		return nil
	case resp.StatusCode == http.StatusGone:
		return fmt.Errorf("%s: %w", hostOf(resp.url), errGone)
	case resp.StatusCode != http.StatusOK:
		if err := connector.ResponseError(resp.Response, now); err != nil {
			return err
		}
		return fmt.Errorf("%s returned %s", hostOf(resp.url), resp.Status)
	}
	body := hashBytes(resp.body)
	var list []entry
	if body != p.rec.Body {
		if list, p.rec.Hints, err = r.parse(resp); err != nil {
			return err
		}
	}
	p.foundAt(moved)
	p.rec.ETag, p.rec.Modified = resp.Header.Get("ETag"), resp.Header.Get("Last-Modified")
	if len(p.rec.ETag) > 1000 || len(p.rec.Modified) > 100 {
		p.rec.ETag, p.rec.Modified = "", ""
	}
	if body == p.rec.Body {
		p.unchanged(now, r.minInterval)
		return nil
	}
	p.rec.Body = body
	return r.compare(ctx, p, list, now)
}

// foundAt remembers the address of the feed.
func (p *poll) foundAt(u *url.URL) {
	address := u.String()
	if address == p.feed.URL {
		address = ""
	}
	if address != p.rec.Address {
		p.rec.Address, p.write = address, true
	}
}

// parse decodes a document. Only a few are decoded at the same time, because decoding takes several
// times their size in memory.
func (r *reader) parse(resp *response) ([]entry, hints, error) {
	r.decoders <- struct{}{}
	defer func() { <-r.decoders }()
	doc, err := decode(resp.body, resp.Header.Get("Content-Type"), decodeTime)
	if err != nil {
		return nil, hints{}, err
	}
	return entries(doc, resp.url, r.source), documentHints(doc), nil
}

// unchanged schedules a feed that has nothing new.
func (p *poll) unchanged(now time.Time, shortest time.Duration) {
	previous := p.rec
	p.succeed(now, shortest)
	// Most polls find nothing. Their records are written once an hour: after a crash, some feeds are
	// polled earlier than necessary.
	p.write = p.write || previous.Status != reading || previous.Failures > 0 || now.Unix()-previous.Polled > 3600
}

// succeed schedules the next poll.
func (p *poll) succeed(now time.Time, shortest time.Duration) {
	rec := &p.rec
	rec.Polled, rec.Failures, rec.Problem, rec.Status = now.Unix(), 0, "", reading
	rec.Next = rec.Hints.after(now, rec.interval(now, p.resp.Header, shortest)).Unix()
}

// compare finds new and changed items and converts them to posts.
func (r *reader) compare(ctx context.Context, p *poll, list []entry, now time.Time) error {
	rec := &p.rec
	rec.SharedLinks = rec.SharedLinks || sharedLinks(list)
	known := make(map[uint64]seen, len(rec.Items))
	for _, i := range rec.Items {
		known[i.key] = i
	}
	skip := func(reason string) { p.count.Add(connector.Counters{Events: 1, Skipped: map[string]int64{reason: 1}}) }

	current := make(items, 0, len(list))
	listed := make(map[uint64]bool, len(list))
	overlap, oldest, articles := false, now, 0
	for i := range list {
		e := &list[i]
		e.post.GUID = e.key(p.feed.URL, r.env.Source.Team, rec.SharedLinks)
		key := hash(e.post.GUID)
		if listed[key] && e.post.GUID != "" {
			continue // listed twice
		}
		listed[key] = true
		if e.foreign && !rec.SharedLinks {
			// Version 1.0 delivered it without the team. It is stored under that key, and stays as it is.
			if before, isKnown := known[hash(linkKey(e.link))]; isKnown {
				overlap = true
				current = append(current, before)
				continue
			}
		}
		before, isKnown := known[key]
		overlap = overlap || isKnown
		switch {
		case !e.post.Time.IsZero() && !e.post.Time.After(now):
		case isKnown:
			e.post.Time = time.Unix(int64(before.time), 0).UTC()
		default:
			e.post.Time = now.UTC().Truncate(time.Second)
		}
		if e.post.Time.Before(oldest) {
			oldest = e.post.Time
		}
		item := seen{key, e.contentHash(), uint32(e.post.Time.Unix())}
		if !isKnown || before.content != item.content {
			if r.fullText && e.summary && e.link != nil && articles < articlesPerPoll {
				articles++
				if err := r.complete(ctx, p, e); err != nil {
					return err
				}
			}
			if reason := clean(&e.post, p.feed.URL); reason != "" {
				skip(reason)
				if e.post.GUID == "" {
					continue
				}
			} else {
				p.count.Events++
				p.posts = append(p.posts, e.post)
			}
		}
		current = append(current, item)
	}
	if len(rec.Items) > 0 && len(current) > 0 && !overlap {
		p.gap = gapSince(time.Unix(max(rec.Polled, p.feed.polled), 0).UTC(), oldest, p.feed.URL)
	}
	rec.Items = rec.Items.merge(current)
	p.succeed(now, r.minInterval)
	p.write = true
	return nil
}

// complete replaces a summary with the text of the article. If the article cannot be read, the
// summary stays.
func (r *reader) complete(ctx context.Context, p *poll, e *entry) error {
	article, err := r.article(ctx, &r.robots, e.link)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		r.env.Log.Debug("cannot read article", "url", e.post.URL, "error", err)
	case len(article.Text) > len(e.post.Contents):
		e.post.Contents = article.Text
		for _, link := range article.Links {
			if u := canonical(link); u != nil && u.Host != e.link.Host {
				e.post.Links = append(e.post.Links, u.String())
			}
		}
	}
	return nil
}

// gapSince returns the gap of a feed that no longer lists any known item, so items between the last
// poll and its oldest item may be missing. If the oldest item is older than the last poll, nothing is
// missing: the site has given its items new addresses.
func gapSince(polled, oldest time.Time, address string) *connector.Gap {
	if !polled.Before(oldest) {
		return nil
	}
	return &connector.Gap{From: polled, To: oldest, Reason: fmt.Sprintf("%s published more items than it lists", address)}
}
