// Package watchlist finds the monitors and filters that a post matches. It is an inverted index of
// queries: it looks up queries by post, not posts by query.
//
// [Compile] turns criteria into a [Condition]. A [List] is an immutable snapshot of the conditions
// of all active monitors. To match a monitor, a post must have at least one word from each of
// several sets, called clauses. The list indexes the monitor under its rarest clause. Looking up
// the words of a post yields the few monitors that may match it. All other monitors cost nothing.
// [List.With] derives a new list when monitors change. The new list shares nearly all of its memory
// with the old one.
//
//	monitor 7   "new york" AND pizza    clauses: {new} {york} {pizza}
//	monitor 8   nyc OR brooklyn         clauses: {nyc, brooklyn}
//
//	index                                        post: Best pizza in New York!
//
//	  york     -> 7, guards {new} {pizza}  <---  york
//	  nyc      -> 8                              best, pizza, in, new: no postings
//	  brooklyn -> 8
//
//	post -> features   hashes of its words, handles, source and so on   feature.go
//	     -> postings   the monitors listed under each feature           index.go
//	     -> entries    the monitors whose guards the post passes        posting.go, matcher.go
//	     -> ids        the monitors whose Condition accepts the post    condition.go
//
// The index affects only how fast a monitor is found, never whether it matches.
//
//	list, errs := watchlist.New(monitors, position)
//	ids := list.Match(query.NewDocument(post), nil) // [7]
//	list, errs = list.With(changed, removed, position)
//
// [List.Reindex] adjusts the index as the list learns which words are common.
package watchlist

import (
	"sync"
	"time"

	"earshot"
	"earshot/internal/query"
)

// A List is a snapshot of the monitors that posts are matched against. It is immutable and safe for
// concurrent use.
type List struct {
	entries   entries
	used      uint32           // number of slots in use or free
	freeSlots *freeSlot        // linked list
	postings  *index           // entries by features of their posts
	ids       *index           // entries by monitor ID
	kindUsers [kindCount]int32 // number of entries that use each kind of feature
	kinds     featureKinds     // kinds with at least one user
	expiries  []expiry         // sorted by lastPosition
	reindexed reindexProgress
	*sharedState
}

// An expiry is an entry that watches no journal entries after lastPosition.
type expiry struct {
	lastPosition earshot.Position
	id           earshot.MonitorID
}

// sharedState is shared by a list and all lists derived from it.
type sharedState struct {
	frequency *frequencySketch
	matchers  sync.Pool
}

// New returns a list of the monitors that watch the journal entry at a position. It omits monitors
// and filters that do not compile, and returns an error for each. If several monitors have the same
// ID, the last one is used.
func New(monitors []*earshot.Monitor, at earshot.Position) (*List, []error) {
	empty := &List{postings: newIndex(), ids: newIndex(), sharedState: &sharedState{frequency: newFrequencySketch()}}
	empty.matchers.New = func() any { return new(matcher) }
	return empty.With(monitors, nil, at)
}

// ValidTo returns the position of the last journal entry that the list is valid for. After it, at
// least one monitor stops watching, and [List.With] removes that monitor.
func (l *List) ValidTo() earshot.Position {
	if len(l.expiries) == 0 {
		return earshot.EndOfJournal
	}
	return l.expiries[0].lastPosition
}

// Match appends to into the IDs of the monitors and filters that d matches, in ascending order, and
// returns the extended slice.
func (l *List) Match(d *query.Document, into []earshot.MonitorID) []earshot.MonitorID {
	m := l.matchers.Get().(*matcher)
	into = m.match(l, d, into)
	l.matchers.Put(m)
	return into
}

// MatchSocial is [List.Match] but also returns two subsets of ids: social has the IDs of SOCIAL
// monitors and their filters, and own has those in social whose account wrote the post itself. All
// are in ascending order.
func (l *List) MatchSocial(d *query.Document) (ids, social, own []earshot.MonitorID) {
	m := l.matchers.Get().(*matcher)
	ids = m.match(l, d, nil)
	social, own = append(social, m.social...), append(own, m.own...)
	l.matchers.Put(m)
	return ids, social, own
}

// Times estimates how long posts have been matched with each monitor and its filters, since it was
// added to a list or last changed. It leaves out monitors that took no measurable time.
func (l *List) Times() map[earshot.MonitorID]time.Duration {
	times := map[earshot.MonitorID]time.Duration{}
	for slot := range l.used {
		if e := l.entries.at(slot); e.entryMeta != nil && e.spent.Load() > 0 {
			times[e.id] = time.Duration(e.spent.Load())
		}
	}
	return times
}

func (l *List) findSlot(id earshot.MonitorID) (uint32, bool) {
	for p := range l.ids.find(idFeature(id)).all() {
		if l.entries.at(p.slot).id == id {
			return p.slot, true
		}
	}
	return 0, false
}

// idFeature returns the feature under which an ID is indexed. All IDs in a bucket share one
// feature. There are few of them, and findSlot compares the IDs of the entries.
func idFeature(id earshot.MonitorID) feature { return mix(uint64(id), 0) >> bucketShift << bucketShift }
