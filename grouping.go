package earshot

import (
	"fmt"
	"slices"
	"strings"
)

// A Grouping is the time interval by which volume is grouped.
type Grouping string

const (
	Hourly  Grouping = "HOURLY"
	Daily   Grouping = "DAILY"
	Weekly  Grouping = "WEEKLY"
	Monthly Grouping = "MONTHLY"
)

// UnmarshalText ignores case. The error lists the allowed values.
func (g *Grouping) UnmarshalText(b []byte) error {
	v := Grouping(strings.ToUpper(string(b)))
	if !slices.Contains([]Grouping{Hourly, Daily, Weekly, Monthly}, v) {
		return fmt.Errorf("one of HOURLY, DAILY, WEEKLY, MONTHLY")
	}
	*g = v
	return nil
}
