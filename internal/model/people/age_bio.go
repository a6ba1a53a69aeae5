package people

import (
	"strings"
	"time"

	"earshot"
)

// A token is a word of a bio with its classes.
type token struct {
	word
	class class
}

// bioTokens are the first words of a bio. Ages are usually stated at the beginning.
type bioTokens struct {
	list    [100]token
	n       int
	none    token // before the first and after the last word
	all     class // classes of all words
	numbers bool  // the bio contains a number
}

// at returns the word at i, or an empty word if i is out of range.
func (c *bioTokens) at(i int) *token {
	if i < 0 || i >= c.n {
		return &c.none
	}
	return &c.list[i]
}

// has reports whether the word at i belongs to a class.
func (c *bioTokens) has(i int, class class) bool { return c.at(i).class&class != 0 }

// is reports whether the word at i is the given single character.
func (c *bioTokens) is(i int, character rune) bool { return c.at(i).single == character }

// isNumber reports whether the word at i is a number with the given number of digits.
func (c *bioTokens) isNumber(i, digits int) bool {
	return c.at(i).kind == number && c.at(i).length == digits
}

// ageOfBio returns the age group of the first statement in a bio that implies one. Stated numbers
// take precedence over stages of life.
func (r *Extractor) ageOfBio(bio string, at time.Time) earshot.AgeGroup {
	if bio == "" {
		return 0
	}
	var c bioTokens
	c.none.kind = mark
	r.tokenizeBio(&c, bio)
	if c.numbers {
		for i := range c.n {
			if g := statedAge(&c, i); g != 0 {
				return g
			}
		}
		for i := range c.n {
			if g := statedYear(&c, i, at); g != 0 {
				return g
			}
		}
	}
	if c.numbers || c.all&stageWords != 0 {
		for i := range c.n {
			if g := stageOfLife(&c, i); g != 0 {
				return g
			}
		}
	}
	return 0
}

func (r *Extractor) tokenizeBio(c *bioTokens, bio string) {
	s := wordScanner{text: bio}
	for c.n < len(c.list) && s.next(&c.list[c.n].word) {
		w := &c.list[c.n]
		if w.kind == letters {
			w.class = r.classes.of(w.hash)
		}
		c.all |= w.class
		c.numbers = c.numbers || w.kind == number
		c.n++
	}
}

// statedAge reads an age at i: 19yo, 19 y/o, age 34, I'm 22, turning 30, or a number alone between
// separators. An age after I'm is the author's own, whatever precedes it.
func statedAge(c *bioTokens, i int) earshot.AgeGroup {
	if !c.isNumber(i, 2) || c.ofOthers(i) && !c.has(i-1, amWord) {
		return 0
	}
	age := c.at(i).value
	switch {
	case c.yearsOld(i + 1):
	case c.has(c.before(i), ageWord):
	case c.has(i-1, amWord) && c.endsAge(i+1):
	case c.has(i-1, turningWord) && c.endsAge(i+1):
		age--
	case age <= maxBareAge && c.separates(i-1, -1) && c.separates(i+1, 1) && !c.isChapter(i):
	default:
		return 0
	}
	if age < minAge {
		return 0
	}
	return earshot.AgeGroupOf(int64(age))
}

// maxBareAge is the maximum value of a bare number that counts as an age.
const maxBareAge = 65

// maxOwnerDistance is the number of words before an age that may say whose age it is.
const maxOwnerDistance = 3

// ofOthers reports whether the number at i is about somebody else: my son is 19, dad of a 19 year
// old. A mark other than an opening parenthesis starts a new statement.
func (c *bioTokens) ofOthers(i int) bool {
	for at, words := i-1, 0; at >= 0 && words < maxOwnerDistance; at-- {
		switch {
		case c.is(at, '('):
			continue
		case c.at(at).kind == mark:
			return false
		case c.has(at, othersWord), c.has(at, ofWord) && c.has(at+1, articleWord):
			return true
		}
		words++
	}
	return false
}

// isChapter reports whether a book of scripture precedes the number at i, ignoring marks.
func (c *bioTokens) isChapter(i int) bool {
	at := i - 1
	for at >= 0 && c.at(at).kind == mark {
		at--
	}
	return c.has(at, scriptureWord)
}

// before returns the index of the word before i, skipping a colon.
func (c *bioTokens) before(i int) int {
	if c.is(i-1, ':') {
		return i - 2
	}
	return i - 1
}

// yearsOld reports whether the words at i mean "years old".
func (c *bioTokens) yearsOld(i int) bool {
	if c.is(i, '-') {
		i++
	}
	if c.has(i, yearsOldWord) {
		return !c.has(i+1, spentWord)
	}
	if c.has(i, yearWord) {
		i++
		if c.is(i, '-') {
			i++
		}
		return c.has(i, oldWord)
	}
	return c.is(i, 'y') && c.is(i+1, '/') && c.is(i+2, 'o')
}

// endsAge reports whether the word at i can follow "I'm 22".
func (c *bioTokens) endsAge(i int) bool {
	return c.has(i, smallWord|oldWord|yearWord) && !c.has(i+1, seasonedWord) || c.separates(i, 1)
}

// separates reports whether i is a separator or an end of the bio. step is the direction away from
// a number. For most marks, another number on the other side makes it a date, a score, a range or a
// price, so the mark does not separate.
func (c *bioTokens) separates(i, step int) bool {
	m := c.at(i)
	switch {
	case m.kind != mark:
		return false
	case m.single == 0:
		return true
	case strings.ContainsRune(`#$%+:@&*'"=<>^\()[]{}°’£€`, m.single):
		return false
	case strings.ContainsRune("/.,-–", m.single):
		return c.at(i+step).kind != number
	}
	return true
}
