package mastodon

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"earshot/internal/connector"
)

// Streams deliver changes and deletions only while they are open. After an interruption, and regularly
// without streams, the newest stored posts are checked: those that were stored in the day before the
// interruption.
const (
	recheckAge     = 24 * time.Hour
	maxRecheck     = 1000
	maxSingle      = 100 // from servers that return posts one by one
	recheckBatch   = 20  // the most that servers return at once
	recheckEvery   = 10 * time.Minute
	maxPollRecheck = 200
	maxControls    = 3 // posts that are tried to find one that the server returns
)

// startRecheck plans to read the newest stored posts again, at most n.
func (r *reader) startRecheck(ctx context.Context, n int) (err error) {
	if r.single {
		n = min(n, maxSingle)
	}
	r.rechecked, r.missing, r.gone = r.Now(), 0, nil
	r.recheck, err = r.index.recent(ctx, time.Unix(r.cursor.Seen, 0).Add(-recheckAge), n)
	if err == nil && len(r.recheck) == 0 {
		r.setSuspended("")
	}
	return err
}

// rechecking reports whether stored posts remain to be read again.
func (r *reader) rechecking() bool { return len(r.recheck)+len(r.gone) > 0 }

// recheckSome reads the next stored posts again.
//
// A post is deleted only if the server returns Mastodon's error object for it and, after that,
// returns another post, the control. Otherwise, a maintenance page would delete posts. A post that
// is missing in a list is therefore read on its own.
func (r *reader) recheckSome(ctx context.Context) error {
	switch {
	case len(r.recheck) == 0 || len(r.gone) == recheckBatch:
		return r.findControl(ctx)
	case r.single || r.missing > 0:
		return r.recheckOne(ctx)
	}
	ids := r.recheck[:min(len(r.recheck), recheckBatch)]
	body, err := r.get(ctx, "/api/v1/statuses", url.Values{"id[]": ids}, maxPageSize)
	if isStatus(err, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusBadRequest, http.StatusUnprocessableEntity) {
		r.oneByOne()
		return nil
	}
	if err != nil {
		return err
	}
	list, err := decodeTimeline(body)
	if err != nil {
		return err
	}
	r.sink.Count(connector.Counters{Events: int64(len(list))})
	found := map[string]bool{}
	var changes []change
	for _, data := range list {
		c := newChange(current, nil, data)
		found[c.id] = true
		changes = append(changes, c)
	}
	missing := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return found[id] })
	r.recheck, r.missing = append(missing, r.recheck[len(ids):]...), len(missing)
	if len(missing) == 0 {
		r.setSuspended("")
	}
	return r.store(ctx, changes)
}

// oneByOne makes the reader request one post at a time.
func (r *reader) oneByOne() {
	r.single = true
	r.recheck = r.recheck[:min(len(r.recheck), maxSingle)]
}

// recheckOne reads the next stored post again.
func (r *reader) recheckOne(ctx context.Context) error {
	id := r.recheck[0]
	c, err := r.readOne(ctx, id)
	switch {
	case isDeleted(err):
		r.gone = append(r.gone, id)
	case isMissing(err):
		r.suspend("returned neither a stored post nor Mastodon's error for it", err)
		return nil
	case err != nil:
		return err
	}
	listed := r.missing == 0
	r.recheck, r.missing = r.recheck[1:], max(r.missing-1, 0)
	if err != nil {
		return nil
	}
	if !listed { // although the server has it
		r.oneByOne()
	}
	r.sink.Count(connector.Counters{Events: 1})
	return r.confirm(ctx, c)
}

// findControl looks for a post that the server returns, among the newest of a timeline. If there is
// one, the posts that are gone are deleted.
func (r *reader) findControl(ctx context.Context) error {
	var page []change
	for i := 0; i < len(r.streams) && len(page) == 0; i++ {
		var err error
		if page, err = r.page(ctx, r.streams[i], url.Values{}); err != nil {
			return err
		}
	}
	for _, c := range page[max(0, len(page)-maxControls):] {
		if _, err := r.readOne(ctx, c.id); err == nil {
			return r.confirm(ctx)
		} else if !isMissing(err) {
			return err
		}
	}
	r.suspend("found none of its posts", nil)
	return nil
}

// confirm deletes the posts that are gone, because the server has returned another post since then.
func (r *reader) confirm(ctx context.Context, changes ...change) error {
	for _, id := range r.gone {
		changes = append(changes, change{kind: removed, id: id})
	}
	r.gone = nil
	r.setSuspended("")
	return r.store(ctx, changes)
}

// suspend ends the recheck without deleting anything. It starts again later or after a reconnect.
// Until then, the time in the cursor stays, so that the same posts are checked.
func (r *reader) suspend(reason string, err error) {
	r.recheck, r.missing, r.gone, r.single = nil, 0, nil, false
	r.nextRecheck = r.Now().Add(recheckEvery)
	r.setSuspended("Stored posts are not checked for deletions for now: " + r.server.domain + " " + reason)
	r.Log.Warn("stored posts are not checked for deletions; will retry", "reason", r.suspended, "error", err)
}

// setSuspended changes why rechecks are suspended. The state of the source shows it.
func (r *reader) setSuspended(reason string) {
	if r.suspended == reason {
		return
	}
	r.suspended = reason
	if r.Secret == "" || len(r.live) == len(r.streams) {
		r.reportLive()
	}
}

// readOne returns a post. The error is errNotPost if the response is something else.
func (r *reader) readOne(ctx context.Context, id string) (change, error) {
	data, err := r.get(ctx, "/api/v1/statuses/"+id, nil, maxPageSize)
	c := newChange(current, nil, data)
	if err == nil && c.id != id {
		err = errNotPost
	}
	if err != nil {
		return c, fmt.Errorf("read a stored post: %w", err)
	}
	return c, nil
}

var errNotPost = errors.New("the response is not the post")

// isMissing reports whether a server did not return a post, for whatever reason.
func isMissing(err error) bool {
	return isStatus(err, http.StatusNotFound, http.StatusGone) || errors.Is(err, errNotPost)
}

// isDeleted reports whether a Mastodon server does not have a post.
func isDeleted(err error) bool {
	var status *statusError
	return errors.As(err, &status) && isMissing(err) && status.explained
}
