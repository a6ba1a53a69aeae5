package catalog

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"

	"earshot/internal/state/kv"
)

// formatsKey is the key of the formats.
const formatsKey = "formats"

// Formats are the versions of what all nodes of an installation share. 0 means that nothing was
// recorded, which counts as 1.
type Formats struct {
	Journal int
	Catalog int
	Streams int
}

// AtLeast returns the higher number of each part.
func (f Formats) AtLeast(g Formats) Formats {
	return Formats{Journal: max(f.Journal, g.Journal), Catalog: max(f.Catalog, g.Catalog), Streams: max(f.Streams, g.Streams)}
}

// A formatWatch keeps the current formats in memory.
type formatWatch struct {
	mu      sync.Mutex
	current Formats       // guarded by mu
	notify  func(Formats) // guarded by mu; may be nil
}

// apply applies a change of the formats.
func (w *formatWatch) apply(e kv.Entry, log *slog.Logger) {
	var f Formats
	if e.Value != nil {
		if err := json.Unmarshal(e.Value, &f); err != nil {
			log.Error("the record of formats is unreadable", "error", err)
			return
		}
	}
	w.mu.Lock()
	w.current = f
	notify := w.notify
	w.mu.Unlock()
	if notify != nil {
		notify(f)
	}
}

// Formats returns the formats that nodes write, as this process has read them.
func (c *Catalog) Formats() Formats {
	c.formats.mu.Lock()
	defer c.formats.mu.Unlock()
	return c.formats.current
}

// OnFormats makes the catalog call notify when the formats change, before it applies any change that
// was written later. There is one function; notify must not block.
func (c *Catalog) OnFormats(notify func(Formats)) {
	c.formats.mu.Lock()
	defer c.formats.mu.Unlock()
	c.formats.notify = notify
}

// RaiseFormats records that nodes write these formats from now on. Formats never go back: a part
// that is newer already stays as it is.
func (c *Catalog) RaiseFormats(ctx context.Context, f Formats) error {
	return c.update(ctx, formatsKey, func(value []byte) ([]byte, error) {
		var current Formats
		if value != nil {
			if err := json.Unmarshal(value, &current); err != nil {
				return nil, err
			}
		}
		return json.Marshal(current.AtLeast(f))
	})
}
