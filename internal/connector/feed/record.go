package feed

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"time"

	"earshot/internal/state/kv"
)

// A record is the stored state of a feed. It is written after the posts of a poll are in
// the journal. After a crash in between, the feed is read again, and posts that are delivered again
// replace themselves.
type record struct {
	Address  string `json:"address,omitempty"`  // where the feed is, if not at its configured address
	ETag     string `json:"etag,omitempty"`     // as received
	Modified string `json:"modified,omitempty"` // Last-Modified, as received
	Body     uint64 `json:"body,omitempty"`     // hash of the last body
	Polled   int64  `json:"polled,omitempty"`   // Unix time of the last successful poll; 0: never
	Next     int64  `json:"next,omitempty"`     // Unix time of the next poll
	Failures int    `json:"failures,omitempty"` // since the last successful poll
	Problem  string `json:"problem,omitempty"`  // of the last poll, for people
	Status   status `json:"status,omitempty"`
	Hints    hints  `json:"hints,omitzero"`

	// SharedLinks is set once two items of the feed had the same link. From then on, its posts have
	// guids of the feed instead of links.
	SharedLinks bool `json:"sharedLinks,omitempty"`

	Items items `json:"items,omitempty"` // those of the last document first, in its order
}

// A status is whether a feed can be read.
type status string

const (
	unread  status = ""
	reading status = "reading"
	failing status = "failing"
	denied  status = "denied" // failing until a person fixes it: access is denied, or there is no feed
	gone    status = "gone"   // no longer polled
)

// address returns the address for the next poll of a feed. If the feed cannot be read where it has
// moved or was found, it may have moved again: then every second poll starts from the address that a
// person entered.
func (r *record) address(entered string) string {
	if r.Address == "" || r.Failures >= 3 && r.Failures%2 == 1 {
		return entered
	}
	return r.Address
}

// A seen is an item that was delivered.
type seen struct {
	key     uint64 // hash of the guid
	content uint32 // hash of what a reader sees
	time    uint32 // Unix time of the post: its date or, without one, when it was first seen
}

type items []seen

const seenSize = 16

// MarshalText encodes items as base64, 16 bytes each.
func (l items) MarshalText() ([]byte, error) {
	b := make([]byte, 0, len(l)*seenSize)
	for _, i := range l {
		b = binary.LittleEndian.AppendUint64(b, i.key)
		b = binary.LittleEndian.AppendUint32(b, i.content)
		b = binary.LittleEndian.AppendUint32(b, i.time)
	}
	return base64.RawStdEncoding.AppendEncode(nil, b), nil
}

// UnmarshalText is the inverse of MarshalText.
func (l *items) UnmarshalText(text []byte) error {
	b, err := base64.RawStdEncoding.AppendDecode(nil, text)
	if err != nil || len(b)%seenSize != 0 {
		return errors.New("invalid items")
	}
	*l = make(items, 0, len(b)/seenSize)
	for ; len(b) > 0; b = b[seenSize:] {
		*l = append(*l, seen{binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint32(b[8:]), binary.LittleEndian.Uint32(b[12:])})
	}
	return nil
}

// Limits on the items that are remembered. If a feed occasionally serves older documents, for example
// from another cache, its items are not delivered again.
const (
	maxItems  = 2000 // of a document
	olderKept = 300  // that the last document does not have
)

// merge puts the items of the last document before the older ones.
func (l items) merge(current items) items {
	known := make(map[uint64]bool, len(current))
	for _, i := range current {
		known[i.key] = true
	}
	merged := slices.Clone(current)
	for _, i := range l {
		if len(merged) == len(current)+olderKept {
			break
		}
		if !known[i.key] {
			merged = append(merged, i)
		}
	}
	return merged
}

func hashBytes(b []byte) uint64 {
	h := fnv.New64a()
	h.Write(b)
	return h.Sum64()
}

// hash returns a hash of texts that is stable across restarts.
func hash(parts ...string) uint64 {
	h := fnv.New64a()
	for _, s := range parts {
		h.Write([]byte(s))
		h.Write([]byte{0})
	}
	return h.Sum64()
}

// recordKey returns the key of a feed's record.
func recordKey(address string) string {
	sum := sha256.Sum256([]byte(address))
	return "feed." + base64.RawURLEncoding.EncodeToString(sum[:15])
}

// holdKey returns the key of the record of how long a host said to wait.
func holdKey(host string) string { return "hold." + base64.RawURLEncoding.EncodeToString([]byte(host)) }

// load returns the record of a feed, or an empty one. A record that cannot be read is ignored: the
// feed is then read as if it were new.
func load(ctx context.Context, store kv.Store, key string) (record, error) {
	var rec record
	e, err := store.Get(ctx, key)
	switch {
	case errors.Is(err, kv.ErrNotFound):
		return record{}, nil
	case err != nil:
		return record{}, fmt.Errorf("read the record of a feed: %w", err)
	}
	if json.Unmarshal(e.Value, &rec) != nil {
		return record{}, nil
	}
	return rec, nil
}

func save(ctx context.Context, store kv.Store, key string, rec record) error {
	value, err := json.Marshal(rec)
	if err == nil {
		_, err = store.Set(ctx, key, value)
	}
	if err != nil {
		return fmt.Errorf("write the record of a feed: %w", err)
	}
	return nil
}

// loadHolds passes the hosts that said to wait to the queue, and removes expired records.
func loadHolds(ctx context.Context, store kv.Store, q *queue, now time.Time) error {
	keys, err := store.Keys(ctx, "hold.*")
	if err != nil {
		return err
	}
	for _, key := range keys {
		e, err := store.Get(ctx, key)
		if errors.Is(err, kv.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		var until time.Time
		name, bad := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(key, "hold."))
		if bad != nil || until.UnmarshalText(e.Value) != nil || !until.After(now) {
			if err := store.Purge(ctx, key); err != nil {
				return err
			}
			continue
		}
		q.holdUntil(string(name), until)
	}
	return nil
}

// saveHold remembers that a host said to wait, so that a restart does not contact it earlier.
func saveHold(ctx context.Context, store kv.Store, host string, until time.Time) error {
	value, err := until.UTC().MarshalText()
	if err == nil {
		_, err = store.Set(ctx, holdKey(host), value)
	}
	return err
}
