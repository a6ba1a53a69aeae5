package hackernews

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"earshot"
	"earshot/internal/connector"
)

const (
	headStart = 100 // items before the newest one with which a new source starts: about ten minutes
	chunkSize = 64  // items of a delivery; eight at a time take less than a second

	// updateWindow is how long updates.json is certain to list a change. After a longer pause,
	// changes are found by checking stored items.
	updateWindow = 30 * time.Second

	// recheckAge is the maximum age of stored items that are checked after a pause. Authors can
	// change and delete their items for two hours; most kills and points come within a day.
	recheckAge = 24 * time.Hour

	// quiet is the minimum time between two checks of an item, unless the text of a stored item
	// changes: stories get points and comments every few seconds.
	quiet = 10 * time.Minute

	maxMissing = 200              // items that are not visible yet
	maxWait    = 10 * time.Minute // for a missing item
	maxAgain   = 20_000           // items to read again
)

// A cursor is the position of a reader. It is stored as JSON.
type cursor struct {
	Last    int64     `json:"last"`              // all items up to here were read, except the missing ones
	Polled  int64     `json:"polled"`            // when updates.json was last read, in Unix seconds
	Missing []missing `json:"missing,omitempty"` // in ascending order
	Search  *progress `json:"search,omitempty"`  // of the backfill
}

// A missing item has a number, but the network does not show it yet.
type missing struct {
	ID    int64 `json:"id"`
	Since int64 `json:"since"` // Unix seconds
	next  time.Time
}

func parseCursor(s string) (c cursor, err error) {
	if s == "" {
		return c, nil
	}
	if err := json.Unmarshal([]byte(s), &c); err != nil || c.Last < 0 {
		return c, fmt.Errorf("the cursor %q cannot be decoded", earshot.Clip(s, 60))
	}
	return c, nil
}

// A reader is one run of a source.
type reader struct {
	client
	config
	sink  connector.Sink
	known *known

	cursor cursor
	newest int64               // number of the newest item
	polled int64               // when updates.json was last read, in Unix seconds
	moved  time.Time           // when the cursor was last delivered
	again  []int64             // items to read again, in order
	recent map[int64]time.Time // when stored items were last stored again, and others last read again; at most quiet ago
	later  map[int64]bool      // items in recent that changed since

	nextPoll, nextFlush time.Time
	backfill            backfill
}

// Run implements [connector.Connector].
func (h *hackerNews) Run(ctx context.Context, text string, sink connector.Sink) error {
	sink.Report(connector.State{Phase: connector.Starting})
	r, err := h.open(ctx, text, sink)
	if err != nil {
		return err
	}
	for {
		if err := r.step(ctx); err != nil {
			return err
		}
	}
}

func (h *hackerNews) client(c config, count func(connector.Counters)) client {
	return client{Env: h.Env, base: c.url, count: count}
}

func (h *hackerNews) open(ctx context.Context, text string, sink connector.Sink) (*reader, error) {
	cfg, err := parseSettings(h.Settings)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", connector.ErrAttention, err)
	}
	r := &reader{client: h.client(cfg, sink.Count), config: cfg, sink: sink, recent: map[int64]time.Time{}, later: map[int64]bool{}}
	if r.cursor, err = parseCursor(text); err != nil {
		return nil, err
	}
	if r.known, err = openKnown(ctx, h.Store); err != nil {
		return nil, err
	}
	if r.cursor.Last == 0 {
		newest, err := r.maxItem(ctx)
		if err != nil {
			return nil, err
		}
		r.cursor = cursor{Last: max(newest-headStart, 0), Polled: h.Now().Unix(), Search: r.cursor.Search}
	}
	r.polled = r.cursor.Polled
	r.openBackfill()
	return r, nil
}

// step does what is due, or waits until something is.
func (r *reader) step(ctx context.Context) error {
	now := r.Now()
	if !now.Before(r.nextPoll) {
		if err := r.poll(ctx, now); err != nil {
			return err
		}
		r.nextPoll = now.Add(r.interval)
	}
	switch {
	case r.cursor.Last < r.newest:
		return r.walk(ctx)
	case len(r.again) > 0:
		return r.readAgain(ctx)
	case r.backfill.due(now):
		return r.search(ctx)
	case !now.Before(r.nextFlush):
		r.nextFlush = now.Add(quiet)
		return r.known.flush(ctx)
	}
	r.sink.Report(connector.State{Phase: connector.Live})
	if now.Sub(r.moved) > time.Minute {
		if err := r.deliver(ctx, connector.Batch{}); err != nil {
			return err
		}
	}
	next := r.nextPoll
	if due := r.backfill.next; !r.backfill.done && due.Before(next) {
		next = due
	}
	return r.Wait(ctx, next.Sub(now))
}

// poll finds out which items are new and which have changed.
func (r *reader) poll(ctx context.Context, now time.Time) (err error) {
	if r.newest, err = r.maxItem(ctx); err != nil {
		return err
	}
	changed, err := r.updates(ctx)
	if err != nil {
		return err
	}
	if polled := time.Unix(r.polled, 0); now.Sub(polled) > updateWindow {
		changed = append(changed, r.known.since(polled.Add(-recheckAge))...)
	}
	r.polled = now.Unix()

	for id, t := range r.recent {
		if now.Sub(t) < quiet {
			continue
		}
		delete(r.recent, id)
		if r.later[id] {
			delete(r.later, id)
			changed = append(changed, id)
		}
	}
	queued := make(map[int64]bool, len(r.again))
	for _, id := range r.again {
		queued[id] = true
	}
	for _, id := range changed {
		_, stored := r.known.find(id)
		_, read := r.recent[id]
		switch {
		case id < 1 || id > r.cursor.Last || queued[id]: // the walk comes to it, or readAgain does
		case read && !stored:
			r.later[id] = true
		case len(r.again) < maxAgain:
			queued[id] = true
			r.again = append(r.again, id)
		}
	}
	for i := range r.cursor.Missing {
		m := &r.cursor.Missing[i]
		if !now.Before(m.next) && !queued[m.ID] {
			m.next = now.Add(now.Sub(time.Unix(m.Since, 0)) / 4)
			r.again = append(r.again, m.ID)
		}
	}
	return nil
}

// walk reads the next new items.
func (r *reader) walk(ctx context.Context) error {
	ids := make([]int64, 0, chunkSize)
	for id := r.cursor.Last + 1; id <= r.newest && len(ids) < chunkSize; id++ {
		ids = append(ids, id)
	}
	results, err := r.items(ctx, ids)
	if err != nil {
		return err
	}
	r.cursor.Last = ids[len(ids)-1]
	now := r.Now()
	var last time.Time
	for _, result := range results {
		switch {
		case result.item != nil:
			last = time.Unix(result.item.Time, 0)
		case result.skip == "":
			r.cursor.Missing = append(r.cursor.Missing, missing{ID: result.id, Since: now.Unix()})
		}
	}
	if r.newest-r.cursor.Last > chunkSize && !last.IsZero() {
		r.sink.Report(connector.State{Phase: connector.CatchingUp, Lag: max(now.Sub(last), 0)})
	}
	return r.store(ctx, results, true)
}

// readAgain reads the next items that changed.
func (r *reader) readAgain(ctx context.Context) error {
	n := min(len(r.again), chunkSize)
	results, err := r.items(ctx, r.again[:n])
	if err != nil {
		return err
	}
	r.again = slices.Delete(r.again, 0, n)
	return r.store(ctx, results, false)
}

// store delivers the current versions of items, and deletions of items that no longer exist. isNew means
// that the items were read for the first time.
func (r *reader) store(ctx context.Context, results []result, isNew bool) error {
	var (
		now     = r.Now()
		skipped = map[string]int64{}
		batch   = connector.Batch{Selected: true}
		unknown = map[string]*item{} // by guid: not stored yet
		posts   []earshot.Post       // of unknown
		stored  []*item              // by the batch
		gone    []string
	)
	for _, result := range results {
		it := result.item
		if it != nil || result.skip != "" {
			r.found(result.id)
		}
		if it == nil {
			if result.skip != "" {
				skipped[result.skip]++
			}
			continue
		}
		old, isKnown := r.known.find(it.ID)
		if !isNew && !isKnown {
			r.recent[it.ID] = now
		}
		p, skip := it.post(now)
		switch {
		case it.gone() && (isKnown || !isNew):
			gone = append(gone, guid(it.ID))
		case skip != "":
			skipped[skip]++
		case !isKnown:
			unknown[p.GUID] = it
			posts = append(posts, p)
		case it.version() == old:
		case it.version().text == old.text && now.Sub(r.recent[it.ID]) < quiet:
			r.later[it.ID] = true
		default:
			batch.Posts = append(batch.Posts, p) // a monitor has selected it before, even if none does now
			stored = append(stored, it)
			r.recent[it.ID] = now
		}
	}
	r.giveUp(now, skipped)
	r.sink.Count(connector.Counters{Skipped: skipped})

	for _, p := range r.sink.Select(ctx, posts) {
		batch.Posts = append(batch.Posts, p)
		stored = append(stored, unknown[p.GUID])
	}
	if len(gone) > 0 {
		batch.Deletions = []earshot.Deletion{{Source: earshot.HackerNews, GUIDs: gone}}
	}
	ids := make([]int64, len(stored))
	for i, it := range stored {
		ids[i] = it.ID
	}
	if err := r.known.add(ctx, ids, now); err != nil {
		return err
	}
	if err := r.deliver(ctx, batch); err != nil {
		return err
	}
	for _, it := range stored {
		r.known.stored(it.ID, it.version())
	}
	for _, result := range results {
		if result.item != nil && result.item.gone() {
			r.known.remove(result.id)
		}
	}
	return nil
}

// found removes an item from the missing ones.
func (r *reader) found(id int64) {
	r.cursor.Missing = slices.DeleteFunc(r.cursor.Missing, func(m missing) bool { return m.ID == id })
}

// giveUp stops waiting for items that have been missing for too long, or if there are too many.
func (r *reader) giveUp(now time.Time, skipped map[string]int64) {
	before := len(r.cursor.Missing)
	excess := before - maxMissing
	r.cursor.Missing = slices.DeleteFunc(r.cursor.Missing, func(m missing) bool {
		excess--
		return excess >= 0 || now.Sub(time.Unix(m.Since, 0)) > maxWait
	})
	if n := before - len(r.cursor.Missing); n > 0 {
		skipped["never became visible"] += int64(n)
	}
}

// deliver delivers a batch with the cursor after it.
func (r *reader) deliver(ctx context.Context, b connector.Batch) error {
	if len(r.again) == 0 {
		r.cursor.Polled = r.polled // all changes that were known then have been read
	}
	text, err := json.Marshal(r.cursor)
	if err != nil {
		return err
	}
	b.Cursor = string(text)
	r.moved = r.Now()
	return r.sink.Deliver(ctx, b)
}
