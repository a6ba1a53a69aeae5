package api

import (
	"strconv"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/jsonvalue"
)

// A daySpan is the day that an element of a response covers.
type daySpan struct {
	StartDate earshot.Timestamp `json:"startDate" doc:"start of the day"`
	EndDate   earshot.Timestamp `json:"endDate" doc:"end of the day, exclusive"`
}

func newDaySpan(day earshot.Date) daySpan {
	return daySpan{earshot.Midnight(day), earshot.Midnight(day.AddDays(1))}
}

// counts is a JSON object that maps names to numbers and preserves their order, largest first.
type counts []insight.Count

// AppendJSON implements [rest.Appender].
func (list counts) AppendJSON(b []byte) []byte {
	b = append(b, '{')
	for i, c := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(jsonvalue.AppendString(b, c.Name), ':')
		b = strconv.AppendInt(b, c.Posts, 10)
	}
	return append(b, '}')
}

// JSONShape implements [rest.JSONShaper].
func (counts) JSONShape() any { return map[string]int64{} }
