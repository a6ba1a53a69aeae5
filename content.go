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

// NoContentSource is the error for a content source that does not exist or is not the caller's to see.
func NoContentSource(id ContentSourceID) *Error {
	return Errorf(NotFound, "Content source %d does not exist", id)
}

// Unlimited is what is reported as contracted where nothing limits: a number that clients can
// subtract from. docs/decisions/0022-unlimited-contract.md
const Unlimited = 1<<31 - 1

// A Contract says how much may be used.
type Contract struct {
	DocumentsPerDay int64 // uploaded documents in 24 hours; 0: no limit
	QueriesPerYear  int64 // analysis queries; 0: no limit
	PeriodStart     Date  // a day on which a year of the contract begins; none: 1 January
}

// Period returns the year of the contract that a day belongs to. Years begin on the month and the
// day of PeriodStart, one that begins on 29 February on 1 March where there is none; also
// before PeriodStart, so that every day has a year.
func (c Contract) Period(today Date) Days {
	start := c.yearStart(today.Year)
	if today.Before(start) {
		return Days{Start: c.yearStart(today.Year - 1), End: start}
	}
	return Days{Start: start, End: c.yearStart(today.Year + 1)}
}

// yearStart returns the day of a calendar year on which a year of the contract begins.
func (c Contract) yearStart(year int) Date {
	if c.PeriodStart.IsZero() {
		return Date{Year: year, Month: 1, Day: 1}
	}
	begin := Date{Year: year, Month: c.PeriodStart.Month, Day: c.PeriodStart.Day}
	return begin.AddDays(0) // 29 February becomes 1 March where it does not exist
}
