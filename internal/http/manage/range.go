package manage

import (
	"time"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/workspace/card"
)

// dayParams are a range of days: Start and End, or a Range that moves with the calendar.
type dayParams struct {
	Start earshot.Date      `query:"start"`
	End   earshot.Date      `query:"end"` // exclusive
	Range card.RollingRange `query:"range"`
}

// period returns the range in the form of package card.
func (p dayParams) period() card.Period { return card.Period(p) }

// ResponseMemory implements [rest.Weighted].
func (p dayParams) ResponseMemory() int64 {
	if p.Range != "" {
		return rest.DayMemory(p.Range.Days(earshot.DateOf(time.Now())).Len())
	}
	if p.Start.IsZero() {
		return 0
	}
	end := p.End
	if end.IsZero() { // the last day with results
		end = earshot.DateOf(time.Now())
	}
	return rest.DayMemory(p.Start.DaysUntil(end))
}
