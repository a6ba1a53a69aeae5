package earshot

import (
	"fmt"
	"slices"
	"strings"
)

// A Grouping is the length of the steps of a volume.
type Grouping string

const (
	Hourly  Grouping = "HOURLY"
	Daily   Grouping = "DAILY"
	Weekly  Grouping = "WEEKLY"
	Monthly Grouping = "MONTHLY"
)

func (g *Grouping) UnmarshalText(b []byte) error {
	v := Grouping(strings.ToUpper(string(b)))
	if !slices.Contains([]Grouping{Hourly, Daily, Weekly, Monthly}, v) {
		return fmt.Errorf("one of HOURLY, DAILY, WEEKLY, MONTHLY")
	}
	*g = v
	return nil
}
