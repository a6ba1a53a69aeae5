// Package watchlist knows all monitors that watch, compiled, and answers one
// question: which of them, and which of their filters, does a post match?
//
// Criteria are compiled once into a Condition. A List is a snapshot of all of
// them, in which a monitor is filed under the rarest words that its posts must
// have, so that a post brings up the few monitors that could match it and no others
// cost anything. A changed monitor makes a new List, which shares nearly all of its
// memory with the one before.
//
// From a post to its monitors it takes four steps: what the post has (feature.go), the
// postings under that (index.go, postingList.go), those of them that the post lets through
// (posting.go, matcher.go), and the decision, which is the Condition's alone
// (condition.go). Where a monitor is filed changes how fast it is found, never
// whether it matches.
package watchlist

import (
	"sync"

	"earshot"
	"earshot/internal/query"
)

// A List is the monitors that posts are matched against. It is immutable and
// safe for parallel use.
type List struct {
	entries   entries
	used      uint32           // slots up to here were used at some time
	freeSlots *freeSlot        // those that no entry has now
	postings  *index           // the entries by what their posts have
	ids       *index           // the entries by their ids
	kindUsers [kindCount]int32 // how many entries ask for each trait of posts
	kinds     featureKinds     // those that any asks for
	expiries  []expiry         // in the order of lastPosition
	reindexed reindexProgress
	*sharedState
}

// An expiry is an entry that watches no journal entry after lastPosition.
type expiry struct {
	lastPosition earshot.Position
	id           earshot.MonitorID
}

// sharedState is what all lists have that were made of one another.
type sharedState struct {
	frequency *frequencySketch
	matchers  sync.Pool
}

// New compiles the monitors that watch the posts of a journal entry. One that does
// not compile, or a filter of one, is left out and reported; the others work. Of
// monitors with the same id the last one counts.
func New(monitors []*earshot.Monitor, at earshot.Position) (*List, []error) {
	empty := &List{postings: newIndex(), ids: newIndex(), sharedState: &sharedState{frequency: newFrequencySketch()}}
	empty.matchers.New = func() any { return new(matcher) }
	return empty.With(monitors, nil, at)
}

// ValidTo returns the last journal entry that the list is right for. Some monitors
// stop watching after it; With leaves them out.
func (l *List) ValidTo() earshot.Position {
	if len(l.expiries) == 0 {
		return earshot.EndOfJournal
	}
	return l.expiries[0].lastPosition
}

// Match appends the ids of the monitors that d matches, and of their filters
// that it matches too, and returns the extended slice. The new ids are ascending.
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

// usedKinds returns what is asked of posts besides their words.
func (l *List) usedKinds() featureKinds {
	var all featureKinds
	for t, n := range l.kindUsers {
		if n > 0 {
			all |= 1 << t
		}
	}
	return all
}

// findSlot returns where the monitor with that id is.
func (l *List) findSlot(id earshot.MonitorID) (uint32, bool) {
	for p := range l.ids.find(idFeature(id)).all() {
		if l.entries.at(p.slot).id == id {
			return p.slot, true
		}
	}
	return 0, false
}

// idFeature returns the number under which an id is filed. All ids of a bucket
// share one: they are few, and entries tell them apart.
func idFeature(id earshot.MonitorID) feature { return mix(uint64(id), 0) >> bucketShift << bucketShift }
