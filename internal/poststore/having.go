package poststore

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"earshot"
)

// A Having is met by posts that have one of Keys among their values of By, which is one of
// Dims. Without keys no post meets it. Of ByImageClass and ByBrand an id alone stands for all
// keys that begin with it.
type Having struct {
	By   Dim
	Keys []string
	Zone *time.Location // of ByDay, ByHour and ByClock; nil is UTC
}

// Location returns the zone of days and hours.
func (h *Having) Location() *time.Location { return cmp.Or(h.Zone, time.UTC) }

// ByID reports whether keys of By begin with an id and a space, and no id has one.
func (h *Having) ByID() bool { return h.By == ByImageClass || h.By == ByBrand }

// Matches reports whether p meets h.
func (h *Having) Matches(p *earshot.Post) bool {
	return slices.ContainsFunc(h.By.AppendKeys(nil, p, h.Location()), h.takes)
}

// takes reports whether posts with the key among their values meet h.
func (h *Having) takes(key string) bool {
	id, _, _ := strings.Cut(key, " ")
	return slices.Contains(h.Keys, key) || h.ByID() && id != "" && slices.Contains(h.Keys, id)
}

// has reports whether p meets all of some conditions.
func has(p *earshot.Post, all []Having) bool {
	for i := range all {
		if !all[i].Matches(p) {
			return false
		}
	}
	return true
}
