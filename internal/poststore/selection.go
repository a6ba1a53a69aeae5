package poststore

import (
	"cmp"
	"slices"
	"time"

	"earshot"
	"earshot/internal/query/watchlist"
)

// A Selection picks posts. A post must satisfy every condition that is set.
type Selection struct {
	Set           SetID            // posts in this set; 0: all posts
	Keys          *KeySet          // posts with one of these keys; nil: all posts
	From, To      time.Time        // To is exclusive
	FromPost      *earshot.Post    // this post and those after it in the order of earshot.ComparePosts
	Sources       []earshot.Source // any of these
	ContentSource earshot.ContentSourceID
	Where         *watchlist.Condition
	Sites         []string // any of these domains or their subdomains
	Authors       []string // any of these author or usernames, ignoring case
	Handles       []string // any of these usernames, as earshot.Post.Handle returns them; see earshot.AccountName
	Accounts      []string // any of these names of accounts, as earshot.Post.AccountNames yields them
	Parents       []string // guids of posts that the post replies to or reposts
	Engagement    earshot.Engagement
	Geotagged     bool
	Categories    CategoryFilter
	Having        []Having         // must satisfy all of these
	Ranges        []Range          // must satisfy all of these
	After         earshot.Position // from a journal entry after this position
	Except        []Selection      // must satisfy none of these; every post satisfies the zero Selection

	// Corrections apply before anything else: to the conditions, including those of Except, to what is
	// counted, and to the posts that are returned. Corrections within Except are ignored.
	Corrections *Corrections
}

// IsCorrectable reports whether corrections can change which posts the selection picks.
func (s *Selection) IsCorrectable() bool {
	return s.Set.IsCategory() || !s.Categories.IsZero() ||
		slices.ContainsFunc(s.Having, func(h Having) bool { return h.By.IsCorrectable() }) ||
		slices.ContainsFunc(s.Except, func(other Selection) bool { return other.IsCorrectable() })
}

// A CategoryFilter picks posts that have one of the given sentiments or emotions, or are in one of
// the given sets. The zero CategoryFilter picks every post.
type CategoryFilter struct {
	Sentiments, Emotions uint8 // bit i stands for index i of earshot.BasicCategories or BasicEmotions
	Sets                 []SetID
}

// IsZero reports whether the filter picks every post.
func (f CategoryFilter) IsZero() bool {
	return f.Sentiments == 0 && f.Emotions == 0 && len(f.Sets) == 0
}

// Has reports whether the filter includes a sentiment or an emotion, each given by its index or -1
// if unknown.
func (f CategoryFilter) Has(sentiment, emotion int) bool {
	return sentiment >= 0 && f.Sentiments>>sentiment&1 != 0 || emotion >= 0 && f.Emotions>>emotion&1 != 0
}

// A Range picks posts with a number from Min to Max, inclusive. The number is the sum of the given
// measures, other than Authors. A measure that the post does not state counts as 0; a post that
// states none of them has no number and is in no range.
type Range struct {
	Of       []Measure
	Min, Max int64
}

// Contains reports whether the range contains a number.
func (r *Range) Contains(n int64) bool { return r.Min <= n && n <= r.Max }

// A Having picks posts for which dimension By has one of the values in Keys. By must be one of
// [Dims]. Without keys it picks no posts. For ByImageClass and ByBrand, an id without a name
// matches every key with that id.
type Having struct {
	By   Dim
	Keys []string
	Zone *time.Location // of ByDay, ByHour and ByClock; nil is UTC
}

// Location returns the time zone of days and hours.
func (h *Having) Location() *time.Location { return cmp.Or(h.Zone, time.UTC) }

// ByID reports whether keys of By consist of an id without spaces, a space and a name.
func (h *Having) ByID() bool { return h.By == ByImageClass || h.By == ByBrand }
