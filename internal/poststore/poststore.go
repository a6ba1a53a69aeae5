// Package poststore is the contract of the store that holds posts. Almost every metric of a
// monitor is one query, "count these posts by these dimensions", so there is one method for it,
// Tallies, and not one per endpoint.
//
// A store is three interfaces in one: a Writer that ingest feeds from the journal, a Reader that
// metrics query, and a Maintainer that applies changed monitors and newer models to stored
// posts. A service takes the narrowest one that it needs.
//
//	journal ──► Writer      Append, Delete, AddSnapshots; Position says what is stored
//	metrics ◄── Reader      Posts, Find, Tallies, Days, Words, Changed, Fingerprint, ...
//	jobs    ──► Maintainer  Rematch, Reinfer; Generations says what was applied
//
// A post is in any number of sets (SetID): those of the monitors that match it, and those of the
// categories that a model assigns it to. What engines share is in enginekit; storetest holds
// what every engine promises. Caching is an engine's own business.
package poststore

import (
	"context"
	"time"

	"earshot"
	"earshot/internal/query/watchlist"
)

// A Store holds posts. All methods may be called concurrently; a query sees each batch entirely
// or not at all.
type Store interface {
	Writer
	Reader
	Maintainer
}

// A Writer stores what the journal holds. Every write carries the journal position it came from.
// A position that is not after Position is skipped, so a repeat is harmless.
type Writer interface {
	// Append adds posts, each with the sets it belongs to. A post with a known key replaces the
	// old one; of two posts with the same key in a batch the later wins. A tracked post inherits
	// the likes, shares and comments that only the post it replaces states.
	Append(ctx context.Context, at earshot.Position, posts []MatchedPost) error

	// Delete removes the posts that d names.
	Delete(ctx context.Context, at earshot.Position, d earshot.Deletion) error

	// AddSnapshots stores account counters, one snapshot a day; the latest wins.
	AddSnapshots(ctx context.Context, at earshot.Position, m earshot.MonitorID, s []earshot.Snapshot) error

	// Position returns the journal position up to which everything is stored.
	Position(ctx context.Context) (earshot.Position, error)
}

// A Reader answers queries. The result of each call is about one state of the store.
type Reader interface {
	// Posts returns the first limit posts selected, in the order of earshot.ComparePosts, and
	// the total number of posts selected.
	Posts(ctx context.Context, of Selection, limit int) ([]earshot.Post, int64, error)

	// Find returns the posts that have these keys, in no order. It skips keys that no post has.
	Find(ctx context.Context, keys []earshot.PostKey) ([]earshot.Post, error)

	// Tallies counts the same posts in several ways, and finds them once. Rows come back largest
	// first, ties in key order. TallyOne is Tallies for a single tally.
	Tallies(ctx context.Context, of Selection, ts []Tally) ([][]Row, error)

	// Days counts each day by itself: result[i][d] has the rows that Tallies would return for
	// ts[i] of the posts from starts[d] to before starts[d+1], at most Top of them. From and To
	// of the selection are ignored; starts ascend. Rows may be shared with other callers: they
	// must not be changed.
	Days(ctx context.Context, of Selection, starts []time.Time, ts []Tally) (result [][][]Row, err error)

	// Words calls visit with the words of the selected posts, one post after the other and in no
	// order; of more than sample posts, with those of the sample posts whose
	// enginekit.SampleHash is lowest. It returns the total number of posts. The words may be
	// retained, and may share memory. If it fails, the words visited so far are worthless.
	Words(ctx context.Context, of Selection, sample int, visit func(words []Word)) (posts int64, err error)

	// Changed returns for each day, from starts[d] to before starts[d+1], when the posts of a set
	// last changed. That is not before the change, and not after the first call that follows it;
	// posts that have become again what they were at an earlier call may count as unchanged. It
	// is the zero time for a day that never had any.
	Changed(ctx context.Context, set SetID, starts []time.Time) ([]time.Time, error)

	// Fingerprint returns a fingerprint of the posts that a set has from a time to before
	// another. It is the same only while the posts and their inferred attributes are the same.
	Fingerprint(ctx context.Context, set SetID, from, to time.Time) (Fingerprint, error)

	// CounterChanges calls visit, in no order, with the changes of the counters of posts that a
	// set tracks whose Time or Posted is from a time to before another. Both times are rounded
	// down to CounterStep, and changes with the same times are one. visit must not call the
	// store.
	CounterChanges(ctx context.Context, set SetID, from, to time.Time, visit func(CounterChange)) error

	// Snapshots returns the snapshots of a monitor's account on the days that have one, in
	// order.
	Snapshots(ctx context.Context, m earshot.MonitorID, days earshot.Days) ([]earshot.Snapshot, error)
}

// A Maintainer changes stored posts and describes the store.
type Maintainer interface {
	// Rematch applies changed rules to stored posts: from r.From on, each set has exactly the
	// posts that its rule selects; earlier ones stay as they are. It changes all of them at once
	// or, if it fails, none. Posts appended in the meantime keep the sets they came with.
	Rematch(ctx context.Context, r Rematch) error

	// Reinfer runs newer models on the posts that older ones have seen, and stores what they
	// infer. Posts keep their sets and their journal position. It works in steps, so when it
	// fails or is canceled, some posts are done, and a repeat does the rest. Posts replaced,
	// deleted or appended in the meantime are left alone.
	Reinfer(ctx context.Context, r Reinfer) error

	// Generations returns the Generation of the rule that was last applied to each set, where
	// it is not 0.
	Generations(ctx context.Context) (map[SetID]int64, error)

	// Stats describes the store to operators.
	Stats(ctx context.Context) (Stats, error)
}

// A MatchedPost is a post together with the sets that it belongs to.
type MatchedPost struct {
	Post earshot.Post
	Sets []SetID

	// Tracked are those of Sets whose counters are tracked: when the post replaces one that was
	// in the set, CounterChanges reports the difference.
	Tracked []SetID

	// Received is when the journal entry was appended that the post came with; zero: now.
	Received time.Time
}

// A Rematch says which posts sets have from now on.
type Rematch struct {
	From            time.Time // Rules leave earlier posts as they are; Categorizations do not
	Rules           Rules
	Categorizations []Categorization
	Progress        func(done, total int64) // called now and then with the number of posts examined; may be nil
}

// Rules are the rules of the sets of monitors, filters and own posts.
type Rules map[SetID]Rule

// A Rule selects the posts that a condition matches, of the journal entries up to a position.
// The zero Rule selects nothing. Applied to all posts, that is from the zero time on, it says
// that the set is removed, and CounterChanges and Changed forget it.
type Rule struct {
	Where      *watchlist.Condition
	UpTo       earshot.Position
	Generation int64 // chosen by the caller; Generations returns it, also after a restart of a durable store
}

// A Categorization assigns the posts of a set to sets of categories: all posts that it has once
// the rules are applied, of any time. No set is in Rules, or in two categorizations.
type Categorization struct {
	Posts SetID
	Sets  []SetID // have exactly the posts that Categorize puts into them

	// Retained are sets whose posts are already categorized: a post in one of them stays in
	// those of Sets that it is in, as long as it is in Posts, and is not passed to Categorize.
	Retained []SetID

	// Categorize appends those of Sets that a post belongs to; Rematch fails when it appends
	// another. A nil Categorize puts no post into any. It is called concurrently, perhaps with a
	// post that was replaced or deleted since. It must neither retain the post nor call the
	// store. When it panics, so does Rematch.
	Categorize func(sets []SetID, p *earshot.Post) []SetID
}

// A Reinfer says what newer models infer about posts.
type Reinfer struct {
	// Models is the version of the models. Posts seen by it, or by a newer one, stay as they are.
	Models uint32
	// Infer changes posts in place, InferredBy too, but not their identity or time. It is not
	// called concurrently. It may get a post that was replaced or deleted since, and after a
	// failure one that it got before.
	Infer func(posts []earshot.Post)
	// Progress is called now and then with the number of posts done, of all that are outdated.
	// It may be nil.
	Progress func(done, total int64)
}

// A CounterChange is the difference between the counters of posts and of those that they
// replace. A counter that a post does not state has not changed, and one that the replaced post
// did not state counts from 0.
type CounterChange struct {
	Time                    time.Time // when the new posts were received, rounded down to CounterStep
	Posted                  time.Time // time of the posts, rounded down to CounterStep
	Likes, Shares, Comments int64     // by how much they grew; may be negative
}

// CounterStep is what the times of a CounterChange are rounded down to. Days begin at a
// multiple of it in every time zone.
const CounterStep = 15 * time.Minute

// A Fingerprint is a hash of a set's posts.
type Fingerprint [16]byte

// A Word is a token of a post's title or contents. Tokens of addresses are left out, and so are
// the tokens after the first MaxWords.
type Word struct {
	Text  string // lower case, as it is spelled, with the sigil of a tag
	Count int    // in the post
}

// MaxWords is how many tokens of a post are words: a long article says what it is about well
// before that, and ten thousand of them must fit in memory.
const MaxWords = 1000
