package cluster

import (
	"fmt"

	"earshot/internal/state/catalog"
	"earshot/internal/state/journal"
)

// Formats are the versions of what nodes share. See [catalog.Formats].
type Formats = catalog.Formats

// Known are the newest formats that this program reads and writes. Increment one when programs that do
// not know the change would misread it, and write the new format only once the catalog has it: see
// [Agreed] and docs/decisions/0074-data-formats.md.
var Known = Formats{Journal: journal.LooksFormat, Catalog: 1, Streams: 1}

// A FormatError means that this program is too old for what another one has written.
type FormatError struct {
	Part         string // "journal"
	Found, Known int
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("a newer version of Earshot has written the %s (format %d, and this version knows formats up to %d): "+
		"start that version, on every node", e.Part, e.Found, e.Known)
}

// CheckFormats returns a *[FormatError] if a format is newer than known.
func CheckFormats(found, known Formats) error {
	for _, f := range []FormatError{
		{"journal", found.Journal, known.Journal},
		{"catalog", found.Catalog, known.Catalog},
		{"streams", found.Streams, known.Streams},
	} {
		if f.Found > f.Known {
			return &f
		}
	}
	return nil
}

// WatchFormats returns an error if other nodes have written formats that this program does not know, and
// calls outdated with one if they do so later.
func WatchFormats(c *catalog.Catalog, outdated func(error)) error {
	c.OnFormats(func(f Formats) {
		if err := CheckFormats(f, Known); err != nil {
			outdated(err)
		}
	})
	return CheckFormats(c.Formats(), Known)
}

// Agreed returns the newest formats that all nodes know that were seen within the last day. It returns
// false if that is not known yet.
func (m *Members) Agreed() (Formats, bool) {
	m.mu.Lock()
	known := m.complete
	m.mu.Unlock()
	agreed, now := m.Formats, m.Now()
	for _, member := range m.List() {
		if !member.Forgotten(now) {
			agreed.Journal = min(agreed.Journal, member.Formats.Journal)
			agreed.Catalog = min(agreed.Catalog, member.Formats.Catalog)
			agreed.Streams = min(agreed.Streams, member.Formats.Streams)
		}
	}
	return agreed, known
}
