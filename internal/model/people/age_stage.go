package people

import "earshot"

// Numbers that indicate a stage of life.
const (
	minChildren      = 3  // children of a parent of 35 or older
	minSeasonedYears = 18 // years of experience or marriage
	maxGrade         = 12
)

// stageWords are the classes of words, other than numbers, that stageOfLife starts with.
const stageWords = olderWord | parentWord | doctoralWord | pupilWord | highWord | studentWord | gradeWord | undergradWord | collegeWord

// stageOfLife reads a stage of life at i that implies one age group.
func stageOfLife(c *bioTokens, i int) earshot.AgeGroup {
	if !c.has(i, stageWords) && c.at(i).kind != number {
		return 0
	}
	switch {
	case c.has(i, olderWord):
		return earshot.ThirtyFiveAndOver
	case c.has(i, parentWord) && c.has(i+1, ofWord) && c.several(i+2):
		return earshot.ThirtyFiveAndOver
	case c.at(i).kind == number && c.seasoned(i):
		return earshot.ThirtyFiveAndOver
	case c.has(i, doctoralWord) && c.has(i+1, studentWord):
		return earshot.TwentyFiveToThirtyFour
	case c.has(i, pupilWord) || c.has(i, highWord) && c.has(i+1, schoolWord) && c.has(i+2, studentWord):
		return earshot.UnderEighteen
	case c.has(i, studentWord) && c.has(i+1, smallWord) && c.has(i+2, highWord) && c.has(i+3, schoolWord):
		return earshot.UnderEighteen
	case c.has(i, gradeWord) && c.graded(i-1):
		return earshot.UnderEighteen
	case c.has(i, undergradWord), c.has(i, collegeWord) && c.has(i+1, studentWord):
		return earshot.EighteenToTwentyFour
	}
	return 0
}

// several reports whether the word at i is a number of children that takes years to have.
func (c *bioTokens) several(i int) bool {
	w := c.at(i)
	return w.class&severalWord != 0 || w.kind == number && minChildren <= w.value && w.value <= 12
}

// seasoned reports whether the number at i is a number of years that only older people can look
// back on: 20 years of experience, married for 25 years.
func (c *bioTokens) seasoned(i int) bool {
	if years := c.at(i).value; years < minSeasonedYears || years > maxAge {
		return false
	}
	next := i + 1
	if c.is(next, '+') {
		next++
	}
	if !c.has(next, yearWord) {
		return false
	}
	if c.has(next+1, seasonedWord) || c.has(next+1, smallWord) && c.has(next+2, seasonedWord) {
		return true
	}
	return c.has(i-1, seasonedWord) || c.has(i-1, smallWord) && c.has(i-2, seasonedWord)
}

// graded reports whether the ordinal of a school grade ends at i. "8th" is tokenized as a number
// and letters.
func (c *bioTokens) graded(i int) bool {
	grade := c.at(i - 1)
	return c.at(i).joined && grade.kind == number && 1 <= grade.value && grade.value <= maxGrade
}
