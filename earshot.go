// Package earshot is the domain: posts, the monitors that select them, teams, users,
// streams and content sources, and the value types that every other package shares:
// ids, dates, places, sources, languages, scores and errors.
//
// Types are plain data with the rules that follow from the specification alone. They are
// not wire formats: surfaces have response types of their own, though ids, dates and counts
// parse and print themselves as text and JSON. The catalog stores records of teams, users,
// monitors, streams and content sources as JSON by field name; a tag keeps the stored
// spelling where a field was renamed. The package imports only the standard library.
package earshot

import (
	"errors"
	"strconv"
	"strings"
)

// Ids come from one sequence, so no two things share one. FirstID is the first
// that is handed out; ids stay below 2^53 so that JavaScript reads them exactly.
const FirstID = 1<<31 + 1

type (
	TeamID          int64
	UserID          int64
	ContentSourceID int64
	CategoryID      int64
	StreamID        int64
	ResultID        int64

	// A MonitorID names a monitor or one of its filters: every query works on both.
	MonitorID int64
)

// A Position is the sequence number of a journal entry; 0 is before the first one.
type Position uint64

// EndOfJournal is after every entry there will ever be.
const EndOfJournal Position = 1<<64 - 1

// Ids arrive as text in URLs and as numbers or strings in JSON.

func (id *TeamID) UnmarshalText(b []byte) error          { return parseID(id, b) }
func (id *UserID) UnmarshalText(b []byte) error          { return parseID(id, b) }
func (id *ContentSourceID) UnmarshalText(b []byte) error { return parseID(id, b) }
func (id *CategoryID) UnmarshalText(b []byte) error      { return parseID(id, b) }
func (id *StreamID) UnmarshalText(b []byte) error        { return parseID(id, b) }
func (id *ResultID) UnmarshalText(b []byte) error        { return parseID(id, b) }
func (id *MonitorID) UnmarshalText(b []byte) error       { return parseID(id, b) }

func (id *TeamID) UnmarshalJSON(b []byte) error          { return parseJSONID(id, b) }
func (id *UserID) UnmarshalJSON(b []byte) error          { return parseJSONID(id, b) }
func (id *ContentSourceID) UnmarshalJSON(b []byte) error { return parseJSONID(id, b) }
func (id *CategoryID) UnmarshalJSON(b []byte) error      { return parseJSONID(id, b) }
func (id *StreamID) UnmarshalJSON(b []byte) error        { return parseJSONID(id, b) }
func (id *ResultID) UnmarshalJSON(b []byte) error        { return parseJSONID(id, b) }
func (id *MonitorID) UnmarshalJSON(b []byte) error       { return parseJSONID(id, b) }

var errID = errors.New("a positive whole number")

func parseID[T ~int64](id *T, b []byte) error {
	n, err := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64)
	if err != nil || n < 1 {
		return errID
	}
	*id = T(n)
	return nil
}

// parseJSONID also accepts 0, which stored records use for "none", and null.
func parseJSONID[T ~int64](id *T, b []byte) error {
	text := string(b)
	if quoted, err := strconv.Unquote(text); err == nil {
		text = quoted
	}
	if text == "0" || text == "null" {
		*id = 0
		return nil
	}
	return parseID(id, []byte(text))
}
