// Package integrity describes damage to stored data and planned repairs. The stores find damage and
// repair it; package operate combines what they report for the start of the service, the commands
// "earshot check" and "earshot repair", and the background scrub.
package integrity

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// The parts of the stored data, as people see them in messages.
const (
	Journal         = "journal"
	DeadLetters     = "dead letters"
	Catalog         = "catalog"
	Analyses        = "analyses"
	Streams         = "streams"
	Sources         = "live sources"
	Acknowledgments = "acknowledgments"
	Posts           = "posts"
	Secret          = "secret"
	Directory       = "data directory"
)

// A Finding is one thing that is damaged or missing.
type Finding struct {
	Part    string `json:"part"`             // one of the constants above
	File    string `json:"file"`             // with its path
	Problem string `json:"problem"`          // such as "42 bytes at offset 4096 are unreadable"
	Effect  string `json:"effect,omitempty"` // such as "entries 17 to 19 are lost, the first from 2026-11-16 10:12:00 UTC"

	// Degraded means that the service can run without the data, as without a quarantined segment.
	// Everything else prevents a start until the operator has decided.
	Degraded bool `json:"degraded"`
}

// String returns the finding on one line.
func (f Finding) String() string {
	s := fmt.Sprintf("%s: %s: %s", f.Part, f.File, f.Problem)
	if f.Effect != "" {
		s += ": " + f.Effect
	}
	return s
}

// A DamageError prevents a start. The data is unchanged.
type DamageError struct{ Findings []Finding }

// maxListed bounds the findings in a message.
const maxListed = 20

func (e *DamageError) Error() string {
	var b strings.Builder
	b.WriteString("stored data is damaged or missing, so Earshot does not start. Nothing was changed.\n")
	for i, f := range e.Findings {
		if i == maxListed {
			fmt.Fprintf(&b, "  … and %d more\n", len(e.Findings)-maxListed)
			break
		}
		fmt.Fprintf(&b, "  %s\n", f)
	}
	b.WriteString(`Run "earshot check" to verify all data. Run "earshot repair" to recover everything that is readable; ` +
		`it lists what is lost and asks before it writes. Or restore a backup to a new directory with "earshot restore"`)
	return b.String()
}

// Stopping returns an error with the findings that prevent a start, or nil if there are none.
func Stopping(findings []Finding) error {
	var stopping []Finding
	for _, f := range findings {
		if !f.Degraded {
			stopping = append(stopping, f)
		}
	}
	if len(stopping) == 0 {
		return nil
	}
	return &DamageError{stopping}
}

// A Status is the state of the verification of all stored data, which runs once a day.
type Status struct {
	Running      bool      `json:"running"`
	LastStarted  time.Time `json:"lastStarted,omitzero"`
	LastFinished time.Time `json:"lastFinished,omitzero"` // omitted if it has not finished since startup
	Bytes        int64     `json:"bytes"`                 // verified by the running or last verification
	Findings     []Finding `json:"findings"`              // of the last verification that finished
}

// Progress is called with the number of bytes that were verified since the last call.
type Progress func(bytes int64)

// A Repair is a planned repair. Nothing is written before Apply.
type Repair struct {
	Part    string
	Summary string   // such as "rebuild the stream JOURNAL from 812 readable records"
	Lost    []string // what cannot be recovered, one line each; none: nothing is lost

	// Apply writes the repaired data and keeps the damaged files. If it is interrupted, the next
	// repair can continue.
	Apply func(context.Context) error
}
