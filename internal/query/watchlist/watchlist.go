// Package watchlist compiles all active monitors and tells which of them, and which of
// their filters, a post matches. It is an inverted index of queries.
//
// Criteria are compiled once into a [Condition]. A [List] is a snapshot of all of them, in
// which a monitor is indexed under the rarest words that its posts must have, so that a
// post retrieves the few monitors that may match it, and all others cost nothing. A changed
// monitor makes a new List, which shares nearly all of its memory with the one before.
//
//	post -> features (feature.go)
//	     -> postings of each feature (index.go)
//	     -> entries whose other features the post may have (posting.go, matcher.go)
//	     -> the monitors that Condition.Match accepts (condition.go)
//
// The index decides how fast a monitor is found, never whether it matches.
package watchlist

import (
	"sync"

	"earshot"
	"earshot/internal/query"
)

// A List is the monitors that posts are matched against. It is immutable and safe for
// parallel use.
type List struct {
	entries   entries
	used      uint32           // slots in use or free
	freeSlots *freeSlot        // linked list
	postings  *index           // entries by features of their posts
	ids       *index           // entries by monitor ID
	kindUsers [kindCount]int32 // number of entries that use each kind of feature
	kinds     featureKinds     // those with users
	expiries  []expiry         // by lastPosition
	reindexed reindexProgress
	*sharedState
}

// An expiry is an entry that watches no journal entry after lastPosition.
type expiry struct {
	lastPosition earshot.Position
	id           earshot.MonitorID
}

// sharedState is shared by all lists that derive from one another.
type sharedState struct {
	frequency *frequencySketch
	matchers  sync.Pool
}

// New compiles the monitors that watch the posts of a journal entry. It omits and reports
// monitors and filters that do not compile. Of monitors with the same id it uses the last.
func New(monitors []*earshot.Monitor, at earshot.Position) (*List, []error) {
	empty := &List{postings: newIndex(), ids: newIndex(), sharedState: &sharedState{frequency: newFrequencySketch()}}
	empty.matchers.New = func() any { return new(matcher) }
	return empty.With(monitors, nil, at)
}

// ValidTo returns the last journal entry that the list is valid for. Some monitors stop
// watching after it; With removes them.
func (l *List) ValidTo() earshot.Position {
	if len(l.expiries) == 0 {
		return earshot.EndOfJournal
	}
	return l.expiries[0].lastPosition
}

// Match appends the ids of the monitors and filters that d matches, ascending, and returns
// the extended slice.
func (l *List) Match(d *query.Document, into []earshot.MonitorID) []earshot.MonitorID {
	m := l.matchers.Get().(*matcher)
	into = m.match(l, d, into)
	l.matchers.Put(m)
	return into
}

// MatchSocial is Match, and also returns which of the ids belong to SOCIAL monitors, and for
// which of these the monitor's account wrote the post itself.
func (l *List) MatchSocial(d *query.Document) (ids, social, own []earshot.MonitorID) {
	m := l.matchers.Get().(*matcher)
	ids = m.match(l, d, nil)
	social, own = append(social, m.social...), append(own, m.own...)
	l.matchers.Put(m)
	return ids, social, own
}

// findSlot returns the slot of a monitor.
func (l *List) findSlot(id earshot.MonitorID) (uint32, bool) {
	for p := range l.ids.find(idFeature(id)).all() {
		if l.entries.at(p.slot).id == id {
			return p.slot, true
		}
	}
	return 0, false
}

// idFeature returns the feature under which an id is indexed. All ids of a bucket share one:
// they are few, and entries tell them apart.
func idFeature(id earshot.MonitorID) feature { return mix(uint64(id), 0) >> bucketShift << bucketShift }
