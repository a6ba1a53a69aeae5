// Package poststore says what is asked of the store that holds posts: take
// batches in, give posts back, and above all count. Almost every metric of a
// monitor is one question, "count these posts by these things", so there is one
// method for it, Tally, and not one per endpoint.
//
// internal/poststore/storetest holds what every store promises.
package poststore

import (
	"context"
	"time"

	"earshot"
	"earshot/internal/query/watchlist"
)

// A Store holds posts. All methods may be called at the same time; a question
// sees each batch as a whole or not at all.
type Store interface {
	// Append adds posts, each with the monitors and filters it matched, and
	// records the journal position they came from. A post with a known key
	// replaces the old one; of two with the same key in a batch the later wins. One
	// that is tracked keeps the likes, shares and comments that only the old one states.
	// A position that is not after Position is skipped, so a repeat is harmless.
	Append(ctx context.Context, at earshot.Position, posts []MatchedPost) error

	// Delete removes the posts that d names, under the same rule of positions.
	Delete(ctx context.Context, at earshot.Position, d earshot.Deletion) error

	// AddSnapshots keeps account figures, one a day, the latest winning, under
	// the same rule of positions.
	AddSnapshots(ctx context.Context, at earshot.Position, m earshot.MonitorID, s []earshot.Snapshot) error

	// Position returns the journal position up to which everything is stored.
	Position(ctx context.Context) (earshot.Position, error)

	// Rematch makes the posts of each monitor from a moment on exactly those that
	// its rule selects; earlier ones stay as they are. It changes all of them at once
	// or, when it fails, none. Posts appended meanwhile keep the monitors they came
	// with.
	Rematch(ctx context.Context, r Rematch) error

	// Reinfer has newer models see the posts that older ones have seen, and keeps what they
	// tell. Posts stay in the monitors that have them and keep the journal entry that
	// they came with. It takes some at a time, so when it fails or is called off, a part of
	// them is done, and a repeat does the rest. What is replaced or deleted meanwhile stays
	// so, and what is appended stays as it came.
	Reinfer(ctx context.Context, r Reinfer) error

	// Generations returns the stamps of the rules that were applied last, for the
	// monitors whose stamp is not 0.
	Generations(ctx context.Context) (map[SetID]int64, error)

	// Posts returns the first limit posts selected, in the order of
	// earshot.ComparePosts, and how many there are in all.
	Posts(ctx context.Context, of Selection, limit int) ([]earshot.Post, int64, error)

	// Tally counts. Rows come back largest first, ties in key order.
	Tally(ctx context.Context, t Tally) ([]Row, error)

	// Tallies counts the same posts in several ways and looks for them once. Of in
	// each tally is not looked at. All answers are about the same state of the store.
	Tallies(ctx context.Context, of Selection, ts []Tally) ([][]Row, error)

	// Days counts each day by itself: answers[i][d] has the rows that Tally would give for
	// ts[i] of the posts from starts[d] to before starts[d+1], at most Top of them. From and
	// To of the selection, and Of in each tally, are not looked at; starts ascend. All
	// answers are about the same state of the store. Rows may be shared with others who ask:
	// they must not be changed.
	Days(ctx context.Context, of Selection, starts []time.Time, ts []Tally) (answers [][][]Row, err error)

	// Fingerprint returns a fingerprint of the posts that a monitor has from a moment to before
	// another: it is the same only while they are the same, and what models tell of them.
	Fingerprint(ctx context.Context, m SetID, from, to time.Time) (Fingerprint, error)

	// Changed returns for each day, from starts[d] to before starts[d+1], when the posts that
	// a monitor has of it last changed. That is not before the change, and not after the
	// first call that came after it; posts that have become again what they were at an earlier
	// call may count as unchanged. It is the zero time for a day that never had any.
	Changed(ctx context.Context, m SetID, starts []time.Time) ([]time.Time, error)

	// Find returns the posts that have these keys, in no order. Keys that no post has are
	// left out.
	Find(ctx context.Context, keys []earshot.PostKey) ([]earshot.Post, error)

	// Words calls visit with the words of the selected posts, one post after the other and in
	// no order; when there are more than sample, with those of sample posts whose SampleHash
	// is least. It returns how many posts there are in all. The words may be kept, and several
	// may be the same string. When it fails, visit may have been called, and what it was called
	// with is worth nothing.
	Words(ctx context.Context, of Selection, sample int, visit func(words []Word)) (posts int64, err error)

	// CounterChanges calls visit, in no order, with how the figures of posts that m tracks
	// changed: with the changes whose Time or Posted is from a moment to before another. Both
	// are rounded down to quarter hours, and changes with the same are one. visit must not
	// call the store.
	CounterChanges(ctx context.Context, m SetID, from, to time.Time, visit func(CounterChange)) error

	// Snapshots returns the figures of m for the days that have any, in order.
	Snapshots(ctx context.Context, m earshot.MonitorID, days earshot.Days) ([]earshot.Snapshot, error)

	// Stats describes the store for operators.
	Stats(ctx context.Context) (Stats, error)
}

// A Rematch says which posts monitors and filters have from now on, and which of them are
// in the sets of categories.
type Rematch struct {
	From            time.Time // earlier posts stay as they are, but for Sortings
	Rules           Rules
	Categorizations []Categorization
	Progress        func(done, total int64) // is told now and then how many posts were looked at; may be nil
}

// A Categorization puts the posts of a monitor into sets: all that it has once the rules are applied,
// of any time. Sets have ids like monitors. No set is in Rules, or in two sortings.
type Categorization struct {
	Posts SetID
	Sets  []SetID // have exactly the posts that Sort puts in them

	// Retained are sets of which a post that is in one is not handed to Sort: it stays in those of
	// Sets that it is in, as long as it is the monitor's.
	Retained []SetID

	// Categorize appends those of Sets that a post belongs to; another makes Rematch fail, and a nil
	// Sort puts none in any. It is called by several at a time, and a post may be handed in that
	// was replaced or deleted since. It must neither keep the post nor call the store. When it
	// panics, so does Rematch.
	Categorize func(sets []SetID, p *earshot.Post) []SetID
}

// Rules are what monitors and filters select.
type Rules map[SetID]Rule

// A Rule selects the posts that a condition matches, of the journal entries up to
// one. The zero Rule selects nothing. Applied to all posts, that is from the zero time on, it
// says that the monitor is gone, and CounterChanges and Changed know nothing of it any more.
type Rule struct {
	Where      *watchlist.Condition
	UpTo       earshot.Position
	Generation int64 // of the caller; Stamps tells it after a restart, too, where the store survives one
}

// MatchedPost is a post together with the monitors and filters that select it.
type MatchedPost struct {
	Post earshot.Post
	Sets []SetID

	// Tracked are those of Monitors that want to know how figures change: when the post
	// replaces one that was theirs, the difference is kept for CounterChanges.
	Tracked []SetID

	// Received is when the entry was appended that the post came with; zero: now.
	Received time.Time
}

// A CounterChange is that posts came again with other figures. A figure that is not stated
// has not changed, and one that was not counts from 0.
type CounterChange struct {
	Time                    time.Time // quarter hour in which they came again
	Posted                  time.Time // quarter hour of the posts as they came
	Likes, Shares, Comments int64     // by how much they grew; may be negative
}

// A Fingerprint is a fingerprint.
type Fingerprint [16]byte

// A Word is a token of a post's title or contents, as often as it is there. Tokens of
// addresses are left out, and so is what comes after the first MaxWords others.
type Word struct {
	Text  string // lower case, as it is spelled, with the sigil of a tag
	Count int
}

// A Selection picks posts. Every condition that is set must hold.
type Selection struct {
	Set           SetID            // posts of this monitor or filter
	From, To      time.Time        // To is exclusive
	FromPost      *earshot.Post    // this one, and those that earshot.ComparePosts puts behind it
	Sources       []earshot.Source // any of these
	ContentSource earshot.ContentSourceID
	Where         *watchlist.Condition
	Sites         []string // any of these domains, or a subdomain of one
	Authors       []string // any of these, as author or user name, in any case
	Parents       []string // any of these is the guid of the post that it answers or repeats
	Engagement    earshot.Engagement
	Geotagged     bool
	Categories    CategoryFilter
	Having        []Having         // all of these
	After         earshot.Position // came with a journal entry after this one
}

// CategoryFilter are sentiments, emotions and sets of posts, of which a post must have one, or be
// in one: bit i of the former is for place i. None at all stand for any post.
type CategoryFilter struct {
	Sentiments, Emotions uint8
	Sets                 []SetID
}

// IsZero reports whether every post will do.
func (f CategoryFilter) IsZero() bool {
	return f.Sentiments == 0 && f.Emotions == 0 && len(f.Sets) == 0
}

// Has reports whether f has the sentiment or the emotion at these places, -1 for unknown.
func (f CategoryFilter) Has(sentiment, emotion int) bool {
	return sentiment >= 0 && f.Sentiments>>sentiment&1 != 0 || emotion >= 0 && f.Emotions>>emotion&1 != 0
}

// A Tally asks for counts of the selected posts, one row for each combination
// of By. A post that has several values of a dimension counts in a row for each;
// one that has none is in no row.
type Tally struct {
	Of          Selection
	By          []Dim          // none: one row for everything, also when nothing is selected
	Zone        *time.Location // of ByDay, ByHour and ByClock; nil is UTC
	Sum         []Measure      // Row.Sums has these, in this order
	Top         int            // keep the Top largest rows; 0 keeps all
	IncludeKeys []string       // with one dimension: rows of these keys are kept besides the Top largest

	// TopSum is how many rows are kept besides, those whose first sum is largest. Of the same
	// sums the larger rows are kept, and none where it is 0.
	TopSum int

	// Once says that answers about single days and months are neither looked up nor kept, for
	// the one who keeps the whole answer: to count it all at once takes less time.
	Once bool

	// Sources are those whose posts are counted, of the selected ones; none: all.
	Sources []earshot.Source

	// Sets are those of BySets, and Sorting a number that is another whenever Rematch has put
	// posts into them otherwise: answers about the same posts are remembered by it.
	Sets    []SetID
	Sorting int64
}

// A Dim is something that posts are counted by.
type Dim int

const (
	ByHour          Dim = iota + 1 // RFC 3339 instant at which the hour of Zone began, in UTC
	ByDay                          // YYYY-MM-DD in Zone
	BySource                       // display name
	ByContentSource                // id of the content source, decimal
	BySite                         // registered domain, as RegisteredDomain gives it
	ByLanguage
	ByCountry    // geography id
	ByState      // geography id
	ByCity       // geography id
	ByGender     // M, F
	ByAge        // ZERO_TO_SEVENTEEN, EIGHTEEN_TO_TWENTYFOUR, TWENTYFIVE_TO_THIRTYFOUR, THIRTYFIVE_AND_OVER
	ByAuthor     // user name, else author
	ByHashtag    // lower case, without #
	ByEngagement // POST, RETWEET, REPLY, COMMENT
	ByParent     // guid of the post it answers or repeats
	BySentiment  // one of earshot.BasicCategories
	ByEmotion    // one of earshot.BasicEmotions
	ByInterest   // id of an interest of the post or of its author, decimal
	ByImageClass // what its images show: id of the class, space, name
	ByBrand      // whose logos they show: id of the brand, "_" for spaces in it, space, name
	ByPicture    // "yes" for posts that have images
	ByClock      // weekday and hour at the author's place, where its zone is known, else in Zone: "Monday 13"
	ByRetweeted  // source, space and guid of the post that a RETWEET repeats
	BySets       // which of Tally.Sets it is in, as SetsKey spells it; by nothing else, without sums
	ByCashtag    // lower case, without $
	ByEthnicity  // one of people.Ethnicities, as EthnicityRows tells; by nothing else, without sums
)

// A Measure is something added up besides the number of posts.
type Measure int

const (
	Authors     Measure = iota + 1 // distinct authors, by ByAuthor's key
	Impressions                    // sum of the authors' followers
	Likes
	Shares
	Comments
	Replies
	Retweets
	Views
)

// A Row is one line of a tally.
type Row struct {
	Key   []string // one value for each of Tally.By
	Posts int64
	Sums  []int64 // one for each of Tally.Sum
}

// Stats describes a store.
type Stats struct {
	Engine      string
	Posts       int64
	Segments    int
	Bytes       int64         // on disk
	Quarantined []Quarantined // what answers lack
}

// Quarantined is a part of the store that cannot be read.
type Quarantined struct {
	Name   string
	Posts  int64
	Since  time.Time
	Reason string
}
