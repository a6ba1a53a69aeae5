// Package poststore defines the contract of the post store: what it stores, how callers select and
// count posts, and what every engine must guarantee.
//
// The central idea is that almost every metric of a monitor is the same query, "count these posts
// by these dimensions". The store therefore has one general counting method, [Reader.Tallies],
// instead of one method per endpoint. A [Selection] picks the posts and a [Tally] states how to
// count them. This query returns the ten largest combinations of day and language for monitor 7,
// with the sum of likes:
//
//	rows, err := poststore.TallyOne(ctx, store,
//		poststore.Selection{Set: poststore.MonitorSet(7), From: from, To: to},
//		poststore.Tally{
//			By:  []poststore.Dim{poststore.ByDay, poststore.ByLanguage},
//			Sum: []poststore.Measure{poststore.Likes},
//			Top: 10,
//		})
//	// rows[0]: {Key: ["2026-10-21", "en"], Posts: 1220, Sums: [4318]}
//
// A [Store] combines three interfaces. A caller should depend on the narrowest one it needs:
//
//	journal ──► Writer      Append, Delete, AddSnapshots; Position: what is already stored
//	metrics ◄── Reader      Posts, Rank, Find, Tallies, Days, Histogram, Words, Similar, Changed, ...
//	jobs    ──► Maintainer  Rematch, Reinfer; Generations: which rules were applied
//
// A post belongs to any number of sets ([SetID]): one for each monitor or filter that matches it,
// and those that an opinion monitor's model assigns it to.
//
//	poststore          the contract
//	├── enginekit      code that engines share, such as the keys of dimensions
//	├── storetest      contract tests that every engine must pass
//	├── memory         engine for tests: small, obvious, nothing on disk
//	├── storecopy      copies everything from one engine to another
//	├── singlewriter   one store that several nodes read and one writes to
//	└── local          engine for production: segments on the local disk
//
// Caching is up to the engine and does not appear in the contract.
package poststore

import (
	"context"
	"errors"
	"time"

	"earshot"
	"earshot/internal/query/watchlist"
)

// A Store stores posts. All methods are safe for concurrent use. A query sees either all of a batch
// or none of it.
type Store interface {
	Writer
	Reader
	Maintainer
}

// A Writer stores journal entries. Every write carries the position of its journal entry. The store
// skips positions up to and including Position, so repeating a write is harmless.
type Writer interface {
	// Append adds posts together with their sets. A post whose key is already stored replaces the
	// stored version; if a batch contains a key twice, the later post wins. A tracked post inherits
	// likes, shares and comments that it does not state from the version it replaces.
	Append(ctx context.Context, at earshot.Position, posts []MatchedPost) error

	// Delete removes the posts that d selects.
	Delete(ctx context.Context, at earshot.Position, d earshot.Deletion) error

	// AddSnapshots stores snapshots of a monitor's account, at most one per day. A later snapshot
	// of the same day replaces the earlier one.
	AddSnapshots(ctx context.Context, at earshot.Position, m earshot.MonitorID, s []earshot.Snapshot) error

	// Position returns the position of the last stored journal entry.
	Position(ctx context.Context) (earshot.Position, error)
}

// A GroupWriter is a Writer for which one large write costs less than many small ones.
type GroupWriter interface {
	Writer

	// AppendGroup has the same effect as calling Append for each batch, in ascending order of
	// positions. If it fails, some of the batches may be stored.
	AppendGroup(ctx context.Context, group []Batch) error
}

// A Batch contains the posts of a journal entry.
type Batch struct {
	At    earshot.Position
	Posts []MatchedPost
}

// A Reader runs queries. Each call sees one consistent state of the store.
type Reader interface {
	// Posts returns the first limit selected posts, ordered by [earshot.ComparePosts], and the
	// total number of selected posts.
	Posts(ctx context.Context, of Selection, limit int) ([]earshot.Post, int64, error)

	// Rank returns the first selected posts in an order. It is an error to group more than
	// [MaxGrouped] posts.
	Rank(ctx context.Context, of Selection, r Ranking) (Ranked, error)

	// Find returns the posts with the given keys, in no particular order. It skips unknown keys.
	Find(ctx context.Context, keys []earshot.PostKey) ([]earshot.Post, error)

	// Tallies selects posts once and counts them once per tally. Within a tally, rows are sorted by
	// the number of posts, largest first, and ties by key. Use [TallyOne] for a single tally.
	Tallies(ctx context.Context, of Selection, ts []Tally) ([][]Row, error)

	// Days runs each tally separately for each day: result[i][d] contains the rows that Tallies
	// would return for ts[i] and the posts in [starts[d], starts[d+1]), at most Top of them. starts
	// must be ascending. Days ignores From and To of the selection. Callers must not modify the
	// rows because they may be shared.
	Days(ctx context.Context, of Selection, starts []time.Time, ts []Tally) (result [][][]Row, err error)

	// Histogram returns the number of selected posts in each interval [starts[d], starts[d+1]). starts
	// must be ascending. Histogram ignores From and To of the selection. It is the cheapest way to count
	// posts by time, because it reads nothing but their times.
	Histogram(ctx context.Context, of Selection, starts []time.Time) ([]int64, error)

	// Words calls visit once per selected post with the words of the post, in no particular order.
	// If more than sample posts are selected, it visits only the sample posts with the lowest
	// enginekit.SampleHash. It returns the total number of selected posts. visit may retain the
	// words, which may share memory. If Words returns an error, discard all words visited so far.
	Words(ctx context.Context, of Selection, sample int, visit func(words []Word)) (posts int64, err error)

	// Sample calls visit once per selected post, in no particular order. If more than sample posts
	// are selected, it visits only the sample posts with the lowest enginekit.SampleHash. It returns
	// the total number of selected posts. visit may retain what a post refers to, but not the post
	// itself. If Sample returns an error, discard all posts visited so far.
	Sample(ctx context.Context, of Selection, sample int, visit func(p *earshot.Post)) (posts int64, err error)

	// Similar returns the words of selected posts that are at most edits away from a word, as
	// [query.Edits] counts, with the number of posts that have them: nearest first, then those of
	// most posts, then by spelling, and at most limit of them. Case, accents and sigils do not
	// matter. The word itself is among the results if a post has it.
	Similar(ctx context.Context, of Selection, word string, edits, limit int) ([]Spelling, error)

	// Changed returns, for each day [starts[d], starts[d+1]), when the posts of a set last changed.
	// The time it returns is no earlier than the change and no later than the first call after the
	// change. If posts change and then return to their state at an earlier call, Changed may report
	// them as unchanged. A day that never had posts has the zero time.
	Changed(ctx context.Context, set SetID, starts []time.Time) ([]time.Time, error)

	// Fingerprint returns a hash of the posts that a set contains in [from, to). Two calls return
	// the same fingerprint only if the posts and their inferred attributes are the same.
	Fingerprint(ctx context.Context, set SetID, from, to time.Time) (Fingerprint, error)

	// CounterChanges calls visit with the counter changes of the posts that a set tracks, in no
	// particular order. It includes a change if its Time or Posted is in [from, to). Both are
	// rounded down to [CounterStep], and changes with the same pair of times are added up. visit
	// must not call the store.
	CounterChanges(ctx context.Context, set SetID, from, to time.Time, visit func(CounterChange)) error

	// Snapshots returns the stored snapshots of a monitor's account within days, in chronological
	// order.
	Snapshots(ctx context.Context, m earshot.MonitorID, days earshot.Days) ([]earshot.Snapshot, error)
}

// A Maintainer updates stored posts and reports the state of the store. Its methods may be called
// concurrently; a Rematch or Reinfer may wait for another one.
type Maintainer interface {
	// Rematch applies changed rules to stored posts. Afterward each set contains exactly the posts
	// from r.From on that its rule selects; earlier posts keep their sets. Rematch is atomic: if it
	// fails, it changes nothing. Posts appended while it runs keep the sets they were appended
	// with.
	Rematch(ctx context.Context, r Rematch) error

	// Reinfer runs newer models on posts that only older models have processed and stores the
	// inferred attributes. Posts keep their sets and their journal positions. Reinfer works in
	// steps: if it fails or is canceled, some posts are up to date, and another call processes the
	// rest. It ignores posts that are replaced, deleted or appended while it runs.
	Reinfer(ctx context.Context, r Reinfer) error

	// Generations returns the Generation of the rule last applied to each set, omitting generation
	// 0.
	Generations(ctx context.Context) (map[SetID]int64, error)

	// Stats returns information about the store for operators.
	Stats(ctx context.Context) (Stats, error)
}

// ErrElsewhere is the error of a [Maintainer] on a node that does not write to a store that several
// nodes share. Another node makes the same change, so trying again later succeeds once it has.
var ErrElsewhere = errors.New("another node writes to the post store")

// A MatchedPost is a post and the sets it belongs to.
type MatchedPost struct {
	Post earshot.Post
	Sets []SetID

	// Tracked lists the members of Sets whose counters are tracked. If the post replaces a version
	// that was already in such a set, CounterChanges reports the difference.
	Tracked []SetID

	// Received is when the post's journal entry was appended. The zero time means now.
	Received time.Time
}

// A Rematch states which posts some sets contain from now on.
type Rematch struct {
	From            time.Time // Rules ignore earlier posts; Categorizations do not
	Rules           Rules
	Categorizations []Categorization
	Progress        func(done, total int64) // called occasionally with the number of examined posts; may be nil
}

// Rules maps the sets of monitors, filters and own posts to their rules.
type Rules map[SetID]Rule

// A Rule selects the posts that a condition matches, among journal entries up to a position. The
// zero Rule selects no posts. Applying it from the zero time on removes the set: CounterChanges and
// Changed discard what they recorded about it.
type Rule struct {
	Where      *watchlist.Condition
	UpTo       earshot.Position
	Generation int64 // chosen by the caller; returned by Generations, in durable stores also after a restart
}

// A Categorization assigns the posts of a set to category sets. It covers all posts that Posts
// contains after the rules are applied, regardless of their time. None of its Sets may appear in
// Rules or in another categorization.
type Categorization struct {
	Posts SetID
	Sets  []SetID // contain exactly the posts that Categorize assigns to them

	// Retained lists sets whose posts are already categorized. A post in one of them keeps its
	// membership in Sets as long as it is in Posts, and is not passed to Categorize.
	Retained []SetID

	// Categorize appends the members of Sets that a post belongs to. Rematch fails if it appends
	// any other set. If Categorize is nil, the sets become empty. It is called concurrently,
	// possibly with a post that has since been replaced or deleted. It must not retain the post or
	// call the store. If it panics, so does Rematch.
	Categorize func(sets []SetID, p *earshot.Post) []SetID
}

// A Reinfer describes how to run newer models on stored posts.
type Reinfer struct {
	// Models is the version of the models. Posts processed by this version or a newer one are
	// skipped.
	Models uint32
	// Infer updates posts in place, including InferredBy, but must not change their identity or
	// time. It is never called concurrently. It may receive a post that has since been replaced or
	// deleted, and after a failure it may receive the same post again.
	Infer func(posts []earshot.Post)
	// Progress is called occasionally with the number of processed posts and the total number of
	// outdated posts. It may be nil.
	Progress func(done, total int64)
}

// A CounterChange is the difference between the counters of posts and of the versions they replace.
// A counter that the new version does not state is unchanged. A counter that only the new version
// states counts from 0.
type CounterChange struct {
	Time                    time.Time // when the new posts were received, rounded down to CounterStep
	Posted                  time.Time // time of the posts, rounded down to CounterStep
	Likes, Shares, Comments int64     // increase; may be negative
}

// CounterStep is the resolution of the times in a [CounterChange]. In every time zone, days begin
// at a multiple of it.
const CounterStep = 15 * time.Minute

// A Fingerprint is a hash of a set's posts.
type Fingerprint [16]byte

// A Word is a token of a post's title or contents, excluding tokens of URLs and tokens beyond the
// first [MaxWords].
type Word struct {
	Text  string // lower case, accents preserved; tags include their # or $
	Count int    // occurrences in the post
}

// A Spelling is a word in the titles or contents of posts, including URLs.
type Spelling struct {
	Word  string // lower case, without accents and sigil
	Edits int    // away from the word that it is similar to
	Posts int64
}

// MaxWords is the maximum number of tokens per post that count as words. The topic of a long
// article is clear well before that, and the words of ten thousand posts must fit in memory.
const MaxWords = 1000
