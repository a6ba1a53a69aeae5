package people

import (
	"time"

	"earshot"
)

// statedYear reads a year at i: born in 1990, b. 1987, class of 2024. The year of an establishment
// (est. 1985) does not count.
func statedYear(c *bioTokens, i int, at time.Time) earshot.AgeGroup {
	switch {
	case !c.has(i, bornWord|classWord) && c.at(i).single == 0:
		return 0
	case c.has(i, bornWord) || c.is(i, '🎂'):
		return bornAt(c, i+1, at)
	case c.has(i, classWord) && c.has(i+1, ofWord):
		return c.graduated(i+2, at)
	case c.is(i, 'c') && c.is(i+1, '/') && c.is(i+2, 'o'):
		return c.graduated(i+3, at)
	}
	return 0
}

// bornAt reads a year of birth at i, optionally after one word or mark.
func bornAt(c *bioTokens, i int, at time.Time) earshot.AgeGroup {
	if c.is(i, '.') || c.is(i, ':') || c.has(i, smallWord) {
		i++
	}
	if !c.isNumber(i, 4) {
		return 0
	}
	return bornIn(c.at(i).value, at)
}

// Typical ages at graduation from high school and college.
const (
	schoolGraduationAge  = 18
	collegeGraduationAge = 22
	maxGraduationYears   = 60 // maximum years before or after a graduation
)

// graduated reads a year of graduation at i. It implies an age group if school and college
// graduation lead to the same one, or if the bio says which is meant.
func (c *bioTokens) graduated(i int, at time.Time) earshot.AgeGroup {
	year, ok := c.shortYear(i)
	since := at.Year() - year
	if !ok || since > maxGraduationYears || since < -maxGraduationYears {
		return 0
	}
	school, college := c.bracketAt(schoolGraduationAge+since), c.bracketAt(collegeGraduationAge+since)
	switch {
	case school == college:
		return school
	case c.any(collegeWord | undergradWord):
		return college
	case c.any(highWord | pupilWord):
		return school
	}
	return 0
}

func (c *bioTokens) bracketAt(age int) earshot.AgeGroup {
	if age < minAge || age > maxAge {
		return 0
	}
	return earshot.AgeGroupOf(int64(age))
}

// any reports whether any word belongs to a class.
func (c *bioTokens) any(class class) bool {
	for i := range c.n {
		if c.list[i].class&class != 0 {
			return true
		}
	}
	return false
}

// shortYear reads a year at i, written as 2024, '24, 24 or 2k24.
func (c *bioTokens) shortYear(i int) (year int, ok bool) {
	if c.is(i, '\'') || c.is(i, '’') || c.is(i, '‘') {
		i++
	}
	switch {
	case c.isNumber(i, 4):
		return c.at(i).value, true
	case c.isNumber(i, 1) && c.is(i+1, 'k') && c.isNumber(i+2, 2):
		return 1000*c.at(i).value + c.at(i+2).value, true
	case c.isNumber(i, 2) && c.at(i).value < 50:
		return 2000 + c.at(i).value, true
	case c.isNumber(i, 2):
		return 1900 + c.at(i).value, true
	}
	return 0, false
}
