package earshot

// A ContentSource holds documents that a customer uploads.
type ContentSource struct {
	ID           ContentSourceID
	Team         TeamID
	Name         string
	Description  string
	CustomFields []string // names its documents have used, at most 10
	Removed      bool     // being removed: its documents are on their way out
}

// NoContentSource is the answer for a content source that does not exist or is not the caller's to see.
func NoContentSource(id ContentSourceID) *Error {
	return Errorf(NotFound, "Content source %d does not exist", id)
}

// A Contract says how much may be used.
type Contract struct {
	DocumentsPerDay int64 // uploaded documents in 24 hours; 0: no limit
	QueriesPerYear  int64 // analysis queries; 0: no limit
	PeriodStart     Date
}
