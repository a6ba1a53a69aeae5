package report

import (
	"cmp"
	"slices"

	"golang.org/x/text/unicode/bidi"
)

// isRightToLeft reports whether a paragraph is written from right to left: whether its first letter
// is.
func isRightToLeft(text []rune) bool {
	for _, r := range text {
		switch classOf(r) {
		case bidi.L:
			return false
		case bidi.R, bidi.AL:
			return true
		}
	}
	return false
}

func classOf(r rune) bidi.Class {
	properties, _ := bidi.LookupRune(r)
	return properties.Class()
}

// levels returns the embedding level of each character of a line, as defined by the Unicode
// Bidirectional Algorithm (UAX #9): even levels are written from left to right, odd ones from right to
// left. The text has no explicit embeddings, overrides or isolates (see clean), so rules X do not apply.
func levels(text []rune, rightToLeft bool) []int8 {
	base, outer := int8(0), bidi.L
	if rightToLeft {
		base, outer = 1, bidi.R
	}
	classes := make([]bidi.Class, len(text))
	for i, r := range text {
		classes[i] = classOf(r)
	}
	resolveWeak(classes, outer)
	resolveBrackets(text, classes, outer)
	resolveNeutral(classes, outer)
	list := make([]int8, len(text))
	for i, class := range classes {
		list[i] = base
		switch {
		case class == bidi.R && base == 0, class == bidi.L && base == 1:
			list[i]++ // I1, I2
		case class == bidi.EN || class == bidi.AN:
			list[i] = 2
		}
	}
	for i := len(text) - 1; i >= 0 && isBlank(classOf(text[i])); i-- { // L1
		list[i] = base
	}
	return list
}

func isBlank(c bidi.Class) bool { return c == bidi.WS || c == bidi.S || c == bidi.B || c == bidi.BN }

// resolveWeak applies the rules W1 to W7: marks, numbers and what belongs to numbers.
func resolveWeak(classes []bidi.Class, outer bidi.Class) {
	before, strong := outer, outer // the class before a mark; the last L, R or AL
	for i, class := range classes {
		switch class {
		case bidi.NSM, bidi.BN:
			class = before // W1; what is invisible is treated like a mark
		case bidi.EN:
			if strong == bidi.AL {
				class = bidi.AN // W2
			}
		case bidi.L, bidi.R, bidi.AL:
			strong = class
		}
		classes[i], before = class, class
	}
	at := func(i int) bidi.Class {
		if i < 0 || i >= len(classes) {
			return bidi.ON
		}
		return classes[i]
	}
	for i, class := range classes {
		switch {
		case class == bidi.AL:
			classes[i] = bidi.R // W3
		case class == bidi.ES && at(i-1) == bidi.EN && at(i+1) == bidi.EN:
			classes[i] = bidi.EN // W4
		case class == bidi.CS && at(i-1) == at(i+1) && (at(i-1) == bidi.EN || at(i-1) == bidi.AN):
			classes[i] = at(i - 1)
		}
	}
	for i := 0; i < len(classes); i++ { // W5
		if classes[i] != bidi.ET {
			continue
		}
		end := i
		for end < len(classes) && classes[end] == bidi.ET {
			end++
		}
		if at(i-1) == bidi.EN || at(end) == bidi.EN {
			for k := i; k < end; k++ {
				classes[k] = bidi.EN
			}
		}
		i = end - 1
	}
	strong = outer
	for i, class := range classes {
		switch class {
		case bidi.ES, bidi.ET, bidi.CS:
			classes[i] = bidi.ON // W6
		case bidi.EN:
			if strong == bidi.L {
				classes[i] = bidi.L // W7
			}
		case bidi.L, bidi.R:
			strong = class
		}
	}
}

// brackets are the opening brackets of closing ones.
var brackets = map[rune]rune{')': '(', ']': '[', '}': '{', '」': '「', '』': '『', '】': '【', '〉': '〈', '》': '《'}

// maxBrackets is how many brackets may be open, as the algorithm says.
const maxBrackets = 63

// resolveBrackets applies the rule N0: a pair of brackets has the direction of what it contains.
func resolveBrackets(text []rune, classes []bidi.Class, outer bidi.Class) {
	type pair struct{ open, close int }
	var pairs []pair
	var stack []int
	for i, r := range text {
		opening, isClosing := brackets[r]
		switch {
		case isClosing:
			for k := len(stack) - 1; k >= 0; k-- {
				if text[stack[k]] == opening {
					pairs = append(pairs, pair{stack[k], i})
					stack = stack[:k]
					break
				}
			}
		case isOpening(r) && len(stack) < maxBrackets:
			stack = append(stack, i)
		}
	}
	slices.SortFunc(pairs, func(a, b pair) int { return cmp.Compare(a.open, b.open) })
	for _, p := range pairs {
		inside := false // contains text of the other direction
		class := bidi.ON
		for _, c := range classes[p.open+1 : p.close] {
			switch c = strongOf(c); {
			case c == outer:
				class = outer
			case c != bidi.ON:
				inside = true
			}
		}
		if class != outer && inside {
			class = outer
			for k := p.open - 1; k >= 0; k-- {
				if c := strongOf(classes[k]); c != bidi.ON {
					class = c
					break
				}
			}
		}
		if class != bidi.ON {
			classes[p.open], classes[p.close] = class, class
		}
	}
}

func isOpening(r rune) bool {
	for _, opening := range brackets {
		if r == opening {
			return true
		}
	}
	return false
}

// strongOf returns L, R or ON. Numbers count as R.
func strongOf(c bidi.Class) bidi.Class {
	switch c {
	case bidi.L:
		return bidi.L
	case bidi.R, bidi.EN, bidi.AN:
		return bidi.R
	}
	return bidi.ON
}

// resolveNeutral applies the rules N1 and N2: what is between two texts of the same direction has that
// direction, and the direction of the paragraph otherwise.
func resolveNeutral(classes []bidi.Class, outer bidi.Class) {
	side := func(i int) bidi.Class {
		switch {
		case i < 0 || i >= len(classes):
			return outer
		case classes[i] == bidi.L:
			return bidi.L
		}
		return bidi.R // also numbers
	}
	isNeutral := func(c bidi.Class) bool { return c != bidi.L && c != bidi.R && c != bidi.EN && c != bidi.AN }
	for i := 0; i < len(classes); i++ {
		if !isNeutral(classes[i]) {
			continue
		}
		end := i
		for end < len(classes) && isNeutral(classes[end]) {
			end++
		}
		class := outer
		if left, right := side(i-1), side(end); left == right {
			class = left
		}
		for ; i < end; i++ {
			classes[i] = class
		}
		i--
	}
}

// A span is a part of a line with one level.
type span struct {
	start, end int
	level      int8
}

// visualOrder returns the spans of a line from left to right (rule L2).
func visualOrder(levels []int8) []span {
	var spans []span
	highest := int8(0)
	for i, level := range levels {
		if n := len(spans); n > 0 && spans[n-1].level == level {
			spans[n-1].end = i + 1
		} else {
			spans = append(spans, span{i, i + 1, level})
		}
		highest = max(highest, level)
	}
	for level := highest; level > 0; level-- {
		for i := 0; i < len(spans); i++ {
			end := i
			for end < len(spans) && spans[end].level >= level {
				end++
			}
			for a, b := i, end-1; a < b; a, b = a+1, b-1 {
				spans[a], spans[b] = spans[b], spans[a]
			}
			i = max(i, end-1)
		}
	}
	return spans
}
