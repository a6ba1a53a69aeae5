package manage

import (
	"context"
	"time"

	"earshot"
	"earshot/internal/connector"
	"earshot/internal/operate/integrity"
	"earshot/internal/picture"
	"earshot/internal/state/journal"
)

// A Status is an overview of the service for operators.
type Status struct {
	Version       Version             `json:"version"`
	UptimeSeconds int64               `json:"uptimeSeconds"`
	Pipeline      Pipeline            `json:"pipeline"`
	Store         Store               `json:"store"`
	Streams       Streams             `json:"streams"`
	Pictures      picture.Status      `json:"pictures"`
	Disk          Disk                `json:"disk"`
	Memory        Memory              `json:"memory"`
	DeadLetters   journal.DeadLetters `json:"deadLetters"`
	Integrity     integrity.Status    `json:"integrity"`

	// Sources is the number of live sources by state.
	Sources map[connector.Phase]int `json:"sources"`
}

// A Version identifies the program.
type Version struct {
	Earshot string `json:"earshot"`
	Commit  string `json:"commit,omitempty"`
	Go      string `json:"go"`
}

// Pipeline reports how many posts in the journal have been processed.
type Pipeline struct {
	Position earshot.Position `json:"position"`
	Last     earshot.Position `json:"last"`
	Lag      int64            `json:"lag"` // journal positions not yet processed
	Posts    int64            `json:"posts"`
}

// Streams reports the posts that are queued in streams.
type Streams struct {
	Lag      int64 `json:"lag"` // journal positions whose posts are not yet in their streams
	Messages int64 `json:"messages"`
	Bytes    int64 `json:"bytes"`
}

// Store reports the size and state of the post store.
type Store struct {
	Engine   string `json:"engine"`
	Posts    int64  `json:"posts"`
	Segments int    `json:"segments"`
	Bytes    int64  `json:"bytes"`

	// Quarantined lists the segments that cannot be read. Responses lack their posts.
	Quarantined []QuarantinedSegment `json:"quarantined" old:"setAside"`
}

// A QuarantinedSegment is a damaged segment that is not read.
type QuarantinedSegment struct {
	Name   string    `json:"name"`
	Posts  int64     `json:"posts"`
	Since  time.Time `json:"since"`
	Reason string    `json:"reason"`
}

// Disk reports disk usage in bytes.
type Disk struct {
	Used int64 `json:"used"` // by the data directory
	Free int64 `json:"free"`
}

// Memory reports memory usage in bytes.
type Memory struct {
	Heap int64 `json:"heap"`
	Sys  int64 `json:"sys"`
}

func (a *API) status(ctx context.Context, _ *earshot.Caller, _ struct{}) (Status, error) {
	return a.Status(ctx)
}
