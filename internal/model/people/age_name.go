package people

import (
	"strings"
	"time"

	"earshot"
)

// minAgeShare is the minimum share of a name's bearers in one age group for the name to indicate
// that group.
const minAgeShare = 0.8

// presences are the shares of people of each age who are alive and post, relative to people in
// their twenties. They are a rough estimate, the same for all networks: children do not post, and
// fewer people do at higher ages.
var presences = []struct {
	from  int // age
	share float32
}{
	{0, 0.01}, {13, 0.6}, {18, 1}, {35, 0.85}, {50, 0.6}, {65, 0.35}, {75, 0.15}, {85, 0.03},
}

// A presence is the share from presences for each age.
type presence [maxAge + 1]float32

func newPresence() (p presence) {
	for _, step := range presences {
		for age := step.from; age < len(p); age++ {
			p[age] = step.share
		}
	}
	return p
}

// Spans of years in the register of births.
const (
	firstBirthYear = 1880
	spanYears      = 5
)

// ageOfName returns the age group of most people with the first name in a display name. The
// register of births covers the United States, so it applies to profiles there and in other
// English-speaking countries.
func (m *Model) ageOfName(display string, at time.Time) earshot.AgeGroup {
	first, _, _ := strings.Cut(display, " ")
	var buffer [maxNameLetters]byte
	hash := hashLetters(plainLetters(buffer[:0], first))
	n := m.names.find(hash)
	if n == nil || n.years == 0 || m.classes.of(hash)&shortForm != 0 {
		return 0
	}
	return m.presence.likelyAge(m.names.yearsOf(n), at.Year())
}

// registered reports whether a profile may be from a country that the register represents.
func registered(p Profile) bool {
	switch p.Country {
	case "USA", "CAN", "GBR", "IRL", "AUS", "NZL":
		return true
	case "":
		return p.Language == "en"
	}
	return false
}

// yearsOf returns the births by span of years for a name that has them.
func (r *firstNames) yearsOf(n *firstName) []byte {
	return r.years[int(n.years-1)*YearBytes : int(n.years)*YearBytes]
}

// likelyAge returns the age group that contains at least minAgeShare of the name's bearers in the
// year now, or 0.
func (p *presence) likelyAge(years []byte, now int) earshot.AgeGroup {
	var sums [earshot.ThirtyFiveAndOver]float32
	var all float32
	for span := range 2 * YearBytes {
		births := years[span/2] >> (4 * (span % 2)) & 15
		if births == 0 {
			continue
		}
		from := firstBirthYear + span*spanYears
		for year := from; year < from+spanYears; year++ {
			age := now - year
			if age < 0 || age >= len(p) {
				continue
			}
			weight := float32(births) * p[age]
			sums[earshot.AgeGroupOf(int64(age))-1] += weight
			all += weight
		}
	}
	for i, sum := range sums {
		if all > 0 && sum >= minAgeShare*all {
			return earshot.AgeGroup(i + 1)
		}
	}
	return 0
}
