package jetstream

import (
	"errors"

	"earshot"
	"earshot/internal/state/journal"
)

const (
	// maxPartBytes is below the server's maximum message size. The difference leaves space for
	// headers and for a dead letter, which is the same message with more headers.
	maxPartBytes  = 6 << 20
	headerReserve = 8 << 10

	maxParts = 1000 // server limit for an atomic batch
)

// partLimit returns the maximum size of a message. An external server may allow less than the
// embedded one.
func (j *Journal) partLimit() int {
	return min(maxPartBytes, int(j.node.Conn().MaxPayload())-headerReserve)
}

// split encodes e as messages of at most limit bytes, splitting its posts as often as needed, in
// order.
func split(e journal.Entry, limit int) ([][]byte, error) {
	data, err := journal.Encode(e)
	switch {
	case err == nil && len(data) <= limit:
		return [][]byte{data}, nil
	case err != nil && !errors.Is(err, journal.ErrTooLarge):
		return nil, err
	case len(e.Posts) < 2:
		return nil, earshot.Errorf(earshot.TooLarge, "A post is too large to store. Please shorten it")
	}
	half := len(e.Posts) / 2
	a, b := e, e
	a.Posts, b.Posts = e.Posts[:half], e.Posts[half:]
	if e.Origin != nil {
		a.Origin = &journal.Origin{Source: e.Origin.Source} // only the last part has the cursor and the counters
	}
	first, err := split(a, limit)
	if err != nil {
		return nil, err
	}
	second, err := split(b, limit)
	if err != nil {
		return nil, err
	}
	if len(first)+len(second) > maxParts {
		return nil, earshot.Errorf(earshot.TooLarge, "The request is too large. Please split it into several requests")
	}
	return append(first, second...), nil
}
