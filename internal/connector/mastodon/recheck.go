package mastodon

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
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
)

// startRecheck plans to read the newest stored posts again, at most n.
func (r *reader) startRecheck(ctx context.Context, n int) (err error) {
	if r.single {
		n = min(n, maxSingle)
	}
	r.rechecked = r.Now()
	r.recheck, err = r.index.recent(ctx, time.Unix(r.cursor.Seen, 0).Add(-recheckAge), n)
	return err
}

// recheckSome reads the next stored posts again.
func (r *reader) recheckSome(ctx context.Context) error {
	if r.single {
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
	if len(list) == 0 && len(ids) > 1 {
		// All are deleted, or the server does not return what it should.
		if _, err := r.readOne(ctx, ids[0]); !isStatus(err, http.StatusNotFound) {
			r.oneByOne()
			return err
		}
	}
	r.recheck = r.recheck[len(ids):]
	r.sink.Count(connector.Counters{Events: int64(len(list))})
	found := map[string]bool{}
	var changes []change
	for _, data := range list {
		c := newChange(current, nil, data)
		found[c.id] = true
		changes = append(changes, c)
	}
	for _, id := range ids {
		if !found[id] {
			changes = append(changes, change{kind: removed, id: id})
		}
	}
	return r.store(ctx, changes)
}

// oneByOne makes the reader request one post at a time.
func (r *reader) oneByOne() {
	r.single = true
	r.recheck = r.recheck[:min(len(r.recheck), maxSingle)]
}

func (r *reader) recheckOne(ctx context.Context) error {
	id := r.recheck[0]
	data, err := r.readOne(ctx, id)
	c := change{kind: removed, id: id}
	switch {
	case err == nil:
		c = newChange(current, nil, data)
		r.sink.Count(connector.Counters{Events: 1})
	case !isStatus(err, http.StatusNotFound, http.StatusGone):
		return err
	}
	r.recheck = r.recheck[1:]
	return r.store(ctx, []change{c})
}

func (r *reader) readOne(ctx context.Context, id string) (json.RawMessage, error) {
	data, err := r.get(ctx, "/api/v1/statuses/"+id, nil, maxPageSize)
	if err != nil {
		return nil, fmt.Errorf("read a stored post: %w", err)
	}
	return data, nil
}
