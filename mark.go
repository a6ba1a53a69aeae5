package earshot

import "time"

// Limits on what people write down about posts.
const (
	MaxAnnotations = 2_000  // per team
	MaxMarks       = 20_000 // marked posts per team
	MaxTags        = 200    // different tags per team
	MaxPostTags    = 20     // tags of a post
	MaxPostNotes   = 50     // notes on a post
	MaxCorrections = 20_000 // per monitor
	MaxBulkPosts   = 100    // posts that one request marks or corrects
)

// An Annotation is a remark on the time axis, for example "Recall announced".
type Annotation struct {
	ID      AnnotationID
	Team    TeamID
	Monitor MonitorID // 0: on the charts of all monitors of the team
	Start   Date
	End     Date // exclusive; the day after Start for a single day
	Text    string

	CreatedBy string
	Created   time.Time
	Edited    time.Time
}

// A PostMark is what a team keeps about a post: a star, tags, an assignee, notes. It contains nothing
// from the post but its key.
type PostMark struct {
	ID       MarkID
	Team     TeamID
	Post     PostKey
	Starred  bool
	Tags     []string // sorted
	Assignee UserID   // 0: none
	Notes    []PostNote
	Edited   time.Time
}

// IsEmpty reports whether the mark says nothing and can be removed.
func (m *PostMark) IsEmpty() bool {
	return !m.Starred && len(m.Tags) == 0 && m.Assignee == 0 && len(m.Notes) == 0
}

// A MarkFilter picks posts by their marks. A post must satisfy every condition that is set.
type MarkFilter struct {
	Starred   bool
	Assigned  bool       // to anyone
	Tags      [][]string // one of each list, ignoring case
	Assignees [][]UserID // one of each list
}

// A PostNote is a note on a post.
type PostNote struct {
	ID     int64 // within the mark
	Text   string
	By     string
	Time   time.Time
	Edited time.Time // zero: never
}

// A Correction replaces what models inferred about a post of a monitor. It applies to that monitor
// and its filters only, and is kept when models change.
type Correction struct {
	ID      CorrectionID
	Monitor MonitorID
	Post    PostKey
	Posted  time.Time // of the post

	// Indexes of [BasicCategories] and [BasicEmotions] plus 1; 0: not corrected.
	Sentiment int
	Emotion   int
	Category  CategoryID // of an opinion monitor; 0: not corrected

	By   string
	Time time.Time
}

// IsEmpty reports whether nothing is corrected. Such a correction was taken back. It is kept for a
// while because it says when the metrics of the post's day last changed.
func (c *Correction) IsEmpty() bool { return c.Sentiment == 0 && c.Emotion == 0 && c.Category == 0 }
