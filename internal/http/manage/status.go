package manage

import (
	"context"
	"time"

	"earshot"
)

// A Status is what an operator wants to know at a glance.
type Status struct {
	Version       Version     `json:"version"`
	UptimeSeconds int64       `json:"uptimeSeconds"`
	Pipeline      Pipeline    `json:"pipeline"`
	Store         Store       `json:"store"`
	Streams       Streams     `json:"streams"`
	Disk          Disk        `json:"disk"`
	Memory        Memory      `json:"memory"`
	DeadLetters   DeadLetters `json:"deadLetters"`
}

type Version struct {
	Earshot string `json:"earshot"`
	Commit  string `json:"commit,omitempty"`
	Go      string `json:"go"`
}

// Pipeline is how far the posts in the journal are processed.
type Pipeline struct {
	Position earshot.Position `json:"position"`
	Last     earshot.Position `json:"last"`
	Lag      int64            `json:"lag"` // journal positions not processed yet
	Posts    int64            `json:"posts"`
}

// Streams are the posts that wait in streams.
type Streams struct {
	Lag      int64 `json:"lag"` // journal positions whose posts are not in their streams yet
	Messages int64 `json:"messages"`
	Bytes    int64 `json:"bytes"`
}

type Store struct {
	Engine   string `json:"engine"`
	Posts    int64  `json:"posts"`
	Segments int    `json:"segments"`
	Bytes    int64  `json:"bytes"`

	// Quarantined are the segments that cannot be read: responses lack their posts.
	Quarantined []QuarantinedSegment `json:"setAside"`
}

type QuarantinedSegment struct {
	Name   string    `json:"name"`
	Posts  int64     `json:"posts"`
	Since  time.Time `json:"since"`
	Reason string    `json:"reason"`
}

type Disk struct {
	Used int64 `json:"used"` // by the data directory
	Free int64 `json:"free"`
}

type Memory struct {
	Heap int64 `json:"heap"`
	Sys  int64 `json:"sys"`
}

type DeadLetters struct {
	Count  int64        `json:"count"`
	Recent []DeadLetter `json:"recent"`
}

type DeadLetter struct {
	Position earshot.Position `json:"position"`
	Time     time.Time        `json:"time"`
	Reason   string           `json:"reason"`
}

func (a *API) status(ctx context.Context, _ *earshot.Caller, _ struct{}) (Status, error) {
	return a.Status(ctx)
}
