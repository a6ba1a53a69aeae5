// Package earshot is the domain model: posts, the monitors that select them, teams, users, streams
// and sources. It also defines the value types that all other packages share: IDs, dates,
// places, sources, languages, scores and errors.
//
// Types are plain data plus the rules that follow from the specification alone. They are not wire
// formats: each HTTP interface has its own response types, although IDs, dates and counts marshal
// themselves as text and JSON. The catalog stores teams, users, monitors, streams and content
// sources as JSON keyed by field name; a struct tag preserves the stored name of a renamed field.
// The package imports only the standard library.
package earshot

import (
	"errors"
	"strconv"
	"strings"
)

// FirstID is the first ID that Earshot assigns. All kinds of objects share one sequence, so no two
// objects have the same ID. IDs stay below 2^53 so that JavaScript can represent them exactly.
const FirstID = 1<<31 + 1

// FirstDerivedID is above all IDs of the sequence. IDs from here on are hashes of what they identify:
// adding the same object twice fails, even in two processes.
const FirstDerivedID = 1 << 52

type (
	TeamID          int64
	UserID          int64
	ContentSourceID int64
	CategoryID      int64
	StreamID        int64
	LiveSourceID    int64
	ResultID        int64
	ErasureID       int64
	DashboardID     int64
	ViewID          int64
	ShareLinkID     int64
	AnnotationID    int64
	MarkID          int64
	CorrectionID    int64
	LabelSampleID   int64
	RuleID          int64
	SignalID        int64
	ChannelID       int64
	DeliveryID      int64
	ReportID        int64
	FeedLinkID      int64
	InvitationID    int64
	ClientID        int64

	// A MonitorID identifies a monitor or one of its filters. Every query accepts either.
	MonitorID int64
)

// A Position is the sequence number of a journal entry. 0 is before the first entry.
type Position uint64

// EndOfJournal is a position after every possible entry.
const EndOfJournal Position = 1<<64 - 1

// IDs are text in URLs, and numbers or strings in JSON.

func (id *TeamID) UnmarshalText(b []byte) error          { return parseID(id, b) }
func (id *UserID) UnmarshalText(b []byte) error          { return parseID(id, b) }
func (id *ContentSourceID) UnmarshalText(b []byte) error { return parseID(id, b) }
func (id *CategoryID) UnmarshalText(b []byte) error      { return parseID(id, b) }
func (id *StreamID) UnmarshalText(b []byte) error        { return parseID(id, b) }
func (id *LiveSourceID) UnmarshalText(b []byte) error    { return parseID(id, b) }
func (id *ResultID) UnmarshalText(b []byte) error        { return parseID(id, b) }
func (id *DashboardID) UnmarshalText(b []byte) error     { return parseID(id, b) }
func (id *ViewID) UnmarshalText(b []byte) error          { return parseID(id, b) }
func (id *ShareLinkID) UnmarshalText(b []byte) error     { return parseID(id, b) }
func (id *AnnotationID) UnmarshalText(b []byte) error    { return parseID(id, b) }
func (id *MarkID) UnmarshalText(b []byte) error          { return parseID(id, b) }
func (id *CorrectionID) UnmarshalText(b []byte) error    { return parseID(id, b) }
func (id *LabelSampleID) UnmarshalText(b []byte) error   { return parseID(id, b) }
func (id *InvitationID) UnmarshalText(b []byte) error    { return parseID(id, b) }
func (id *MonitorID) UnmarshalText(b []byte) error       { return parseID(id, b) }

func (id *TeamID) UnmarshalJSON(b []byte) error          { return parseJSONID(id, b) }
func (id *UserID) UnmarshalJSON(b []byte) error          { return parseJSONID(id, b) }
func (id *ContentSourceID) UnmarshalJSON(b []byte) error { return parseJSONID(id, b) }
func (id *CategoryID) UnmarshalJSON(b []byte) error      { return parseJSONID(id, b) }
func (id *StreamID) UnmarshalJSON(b []byte) error        { return parseJSONID(id, b) }
func (id *LiveSourceID) UnmarshalJSON(b []byte) error    { return parseJSONID(id, b) }
func (id *ResultID) UnmarshalJSON(b []byte) error        { return parseJSONID(id, b) }
func (id *DashboardID) UnmarshalJSON(b []byte) error     { return parseJSONID(id, b) }
func (id *ViewID) UnmarshalJSON(b []byte) error          { return parseJSONID(id, b) }
func (id *ShareLinkID) UnmarshalJSON(b []byte) error     { return parseJSONID(id, b) }
func (id *AnnotationID) UnmarshalJSON(b []byte) error    { return parseJSONID(id, b) }
func (id *MarkID) UnmarshalJSON(b []byte) error          { return parseJSONID(id, b) }
func (id *CorrectionID) UnmarshalJSON(b []byte) error    { return parseJSONID(id, b) }
func (id *LabelSampleID) UnmarshalJSON(b []byte) error   { return parseJSONID(id, b) }
func (id *InvitationID) UnmarshalJSON(b []byte) error    { return parseJSONID(id, b) }
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

// parseJSONID also accepts 0 and null, because stored records use 0 for "none".
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
