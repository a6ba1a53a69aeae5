package earshot

import (
	"strconv"
	"time"
)

// A LiveSource is a connection to a network, a list of feeds, a webhook or a folder through which
// posts arrive continuously. Its posts have the batch [LiveSourceID.Batch].
type LiveSource struct {
	ID       LiveSourceID
	Team     TeamID
	Name     string
	Kind     string // for example bluesky
	Settings map[string]string
	Secret   []byte // encrypted; empty: none
	Keep     Keep

	// RetentionDays is how long posts are kept after they were published. 0 means the configured
	// retention.
	RetentionDays int

	// ContentSource receives the posts of sources that deliver custom content. 0: none.
	ContentSource ContentSourceID

	Created     time.Time
	Paused      bool
	Removed     bool // removal is in progress
	RemovePosts bool // with Removed: its posts are also deleted
}

// Batch returns the batch of the source's posts.
func (id LiveSourceID) Batch() string { return "live/" + strconv.FormatInt(int64(id), 10) }

// A Keep determines which posts of a live source are stored.
type Keep string

const (
	KeepMatched Keep = "matched" // those that match a monitor
	KeepAll     Keep = "all"     // all, so that new monitors have history
)

// NoLiveSource returns the error for a live source that does not exist or that the caller may not
// see.
func NoLiveSource(id LiveSourceID) *Error {
	return Errorf(NotFound, "Source %d does not exist", id)
}
