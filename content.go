package earshot

import (
	"slices"
	"strings"
)

// A ContentSource is a collection of documents that a customer uploads.
type ContentSource struct {
	ID           ContentSourceID
	Team         TeamID
	Name         string
	Description  string
	Domain       TextDomain // empty: not yet guessed
	DomainChosen bool       // a person chose the domain
	CustomFields []string   // field names its documents have used, at most 10
	Removed      bool       // removal is in progress: its documents are being deleted
}

// A TextDomain is the kind of texts in a content source. People write differently in each, so the
// sentiment model and estimates of shares depend on it.
type TextDomain string

const (
	SocialTexts TextDomain = "social" // also texts of unknown origin
	NewsTexts   TextDomain = "news"
	ReviewTexts TextDomain = "reviews"
	ForumTexts  TextDomain = "forums"
	SurveyTexts TextDomain = "survey"
	OtherTexts  TextDomain = "other"
)

// TextDomains lists the domains.
var TextDomains = []TextDomain{SocialTexts, NewsTexts, ReviewTexts, ForumTexts, SurveyTexts, OtherTexts}

// CheckTextDomain returns an error unless d is a domain or empty.
func CheckTextDomain(d TextDomain) error {
	if d == "" || slices.Contains(TextDomains, d) {
		return nil
	}
	names := make([]string, len(TextDomains))
	for i, known := range TextDomains {
		names[i] = string(known)
	}
	return InvalidBody("domain '%s' is not one of %s; leave it empty to have it guessed", Clip(string(d), 60), strings.Join(names, ", "))
}

// NoContentSource returns the error for a content source that does not exist or that the caller may
// not see.
func NoContentSource(id ContentSourceID) *Error {
	return Errorf(NotFound, "Content source %d does not exist", id)
}

// Unlimited is the contracted amount that responses report when there is no limit. It is a number
// rather than null so that clients can subtract usage from it. See
// docs/decisions/0022-unlimited-contract.md.
const Unlimited = 1<<31 - 1

// A Contract limits how much an installation may use.
type Contract struct {
	DocumentsPerDay int64 // uploaded documents in 24 hours; 0: no limit
	QueriesPerYear  int64 // analysis queries; 0: no limit
	PeriodStart     Date  // first day of a contract year; zero: January 1
}

// Period returns the contract year that contains today. Each year starts on the month and day of
// PeriodStart; a contract that starts on February 29 renews on March 1 in other years. Years extend
// back before PeriodStart, so every day belongs to one.
func (c Contract) Period(today Date) Days {
	start := c.yearStart(today.Year)
	if today.Before(start) {
		return Days{Start: c.yearStart(today.Year - 1), End: start}
	}
	return Days{Start: start, End: c.yearStart(today.Year + 1)}
}

// yearStart returns the day on which the contract year that starts in a calendar year begins.
func (c Contract) yearStart(year int) Date {
	if c.PeriodStart.IsZero() {
		return Date{Year: year, Month: 1, Day: 1}
	}
	begin := Date{Year: year, Month: c.PeriodStart.Month, Day: c.PeriodStart.Day}
	return begin.AddDays(0) // normalizes February 29 to March 1 outside leap years
}
