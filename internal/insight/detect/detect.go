// Package detect decides whether a count is unusual, at a stated rate of false alarms. It is pure
// statistics: it knows counts and times, no posts, monitors or stores.
//
// Its one idea: a budget of false alarms per year is what people choose, and everything else
// follows from it. A [Model] learns from a history of hourly counts how many posts any window of
// time should have, and how much such counts vary. From the budget it computes how improbable a
// count must be in a window that slides on every five minutes, so that alarms without a cause start
// as often as stated. [Share] does the same for a share of the posts, [Newcomers] for subjects
// without a past. docs/signals.md describes the method and how well it works; TestMeasure
// measures it.
//
// A caller keeps a model and its limits for each monitor, fits them again every few hours, and
// counts every five minutes:
//
//	model, err := detect.Fit(series, now) // errors.As(err, **detect.Learning) for two weeks
//	budget := detect.Divide(12, detect.Volume, detect.Shares, detect.Newcomer)
//	limit := model.Limit(budget[detect.Volume], detect.MinPosts)
//	for i, window := range detect.Windows {
//		e := model.Expect(now.Add(-window), now)
//		if limit.Exceeded(i, e, posts[i]) && authors[i] >= detect.MinAuthors {
//			// unusual: e.Mean posts were expected, low to high of e.Interval(0.99),
//			// and e.Chance(posts[i]) is the probability of so many
//		}
//	}
//
// An alarm lasts until no window has exceeded its limit for [Calm].
package detect

import (
	"fmt"
	"time"
)

// Windows are the lengths of the windows in which posts are counted, shortest first. All of them
// slide on every [Step].
var Windows = [...]time.Duration{time.Hour, 4 * time.Hour, 24 * time.Hour}

const (
	// Step is the time between evaluations that limits are computed for.
	Step = 5 * time.Minute
	// Calm is how long counts stay within their limits before an alarm is over.
	Calm = 3 * time.Hour
	// History is how far a model looks back.
	History = 8 * 7 * 24 * time.Hour
	// LearningHours is the number of observed hours that a model needs.
	LearningHours = 14 * 24
	// Exclude is the most recent time that a model does not learn from, so that what is unusual now
	// is not expected.
	Exclude = 24 * time.Hour
)

// Guards: an alarm needs more than a small chance.
const (
	MinPosts   = 10  // in the window, unless a rule has another minimum
	MinRatio   = 1.5 // observed to expected
	MinAuthors = 3   // different ones, in the window
)

// A Series is the history of a count in hours, oldest first.
type Series struct {
	Start time.Time      // of the first hour
	Zone  *time.Location // of the monitor; nil means UTC
	Hours []Hour
}

// An Hour is one hour of a [Series].
type Hour struct {
	Count   float64
	Missing bool // unknown: a source had a gap, or the monitor did not exist
}

// Learning is the error of a history that is too short.
type Learning struct {
	Hours int       // observed so far
	Until time.Time // when enough hours will have been observed, if none is missing from now on
}

func (l *Learning) Error() string {
	return fmt.Sprintf("learning: %d of %d hours observed", l.Hours, LearningHours)
}

// A Kind is a group of alarms that shares a part of the budget.
type Kind int

const (
	Volume   Kind = iota // number of posts
	Shares               // share of a sentiment, category, country or language
	Newcomer             // hashtag, link, author or topic
	Kinds                // number of kinds
)

// parts are the parts of the budget, relative to each other. Volume gets as much as the others
// together: it is what people ask for first, and its detection gains most from a larger budget.
var parts = [Kinds]float64{Volume: 2, Shares: 1, Newcomer: 1}

// Divide divides a budget of false alarms per year among the kinds that are watched. Kinds that are
// not watched get nothing. Divide the part of Shares and Newcomer further, by the number of shares
// and kinds of newcomers that are watched.
func Divide(perYear float64, watched ...Kind) [Kinds]float64 {
	var budget [Kinds]float64
	sum := 0.0
	for _, k := range watched {
		if budget[k] == 0 {
			budget[k] = parts[k]
			sum += parts[k]
		}
	}
	for k := range budget {
		if sum > 0 {
			budget[k] *= perYear / sum
		}
	}
	return budget
}
