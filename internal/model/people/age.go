package people

import (
	"time"

	"earshot"
)

// Age returns the age group that a profile indicates at the time of its post, or 0 if it indicates
// none. An age or stage of life in the bio takes precedence, then a year of birth in the handle,
// then the birth years of people with the same first name. Organizations have no age.
func (m *Model) Age(p Profile, at time.Time) earshot.AgeGroup {
	g := m.ageOfBio(truncate(p.Bio, maxBioBytes), at)
	handle, display := p.names()
	if g == 0 {
		g = m.ageOfHandle(handle, at)
	}
	if g == 0 && registered(p) {
		g = m.ageOfName(display, at)
	}
	if g != 0 && m.Organization(p) {
		return 0
	}
	return g
}

// Plausible ages of authors.
const (
	minAge = 13
	maxAge = 95
)

// bornIn returns the age group of a person born in the given year. It assumes a birthday in the
// middle of the year.
func bornIn(year int, at time.Time) earshot.AgeGroup {
	age := at.Year() - year
	if at.Month() < time.July {
		age--
	}
	if age < minAge || age > maxAge {
		return 0
	}
	return earshot.AgeGroupOf(int64(age))
}

// Numbers at the end of a handle that count as a year of birth. Later years are more often the year
// in which the account was created.
const (
	minHandleYear = 1945
	maxHandleYear = 2005
)

// ageOfHandle reads a year of birth from the end of a handle that contains a first name, as in
// john1994.
func (m *Model) ageOfHandle(handle string, at time.Time) earshot.AgeGroup {
	n := len(handle) - 4
	if n < minName || !isDigits(handle[n:]) || isDigits(handle[n-1:n]) {
		return 0
	}
	year := 0
	for _, c := range []byte(handle[n:]) {
		year = 10*year + int(c-'0')
	}
	if year < minHandleYear || year > maxHandleYear || !m.hasName(handle) {
		return 0
	}
	return bornIn(year, at)
}

// hasName reports whether a part of a handle is, or begins with, a first name.
func (m *Model) hasName(handle string) bool {
	var s spelling
	s.read(handle)
	for i := range s.parts {
		if name, _, _ := m.prefix(s.part(i)); name != nil {
			return true
		}
	}
	return false
}

func isDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}
