package geo

import "earshot"

// Resolve returns the place that a free text means, such as the location of a
// profile: "Brooklyn NY", "São Paulo, Brasil", "パリ", "🇩🇪 Berlin", "Austin 78701",
// "ÜT: 40.71,-74.00". It is false for what names no place, or only one that is
// unlikely to be meant: "earth", "my bed", "Reading books".
//
// A name that several places share means the one that lies in another place of the
// text, and else the one that most people mean, usually the largest. A name alone
// must be that of a place of some size, the more so among other words; names that are
// everyday words, too, need the place that contains theirs. Of several places in the
// text the first is meant, unless the words around them tell where someone lives and
// where they were born.
//
// Only the first 256 bytes are read.
func Resolve(text string) (earshot.Place, bool) {
	text = truncate(text)
	if pt, ok := findPoint(text); ok {
		return Nearest(pt)
	}
	var l location
	l.tokenize(text)
	l.findMentions()
	place, ok := l.resolve()
	if !ok {
		return earshot.Place{}, false
	}
	return placeAt(place), true
}

// truncate cuts text that is too long.
func truncate(text string) string { return text[:min(len(text), maxLocationBytes)] }

// resolve returns the index of the place that is meant.
func (l *location) resolve() (int, bool) {
	chosen, in := -1, role(0)
	for k := range l.mentionCount {
		place, ok := l.resolveMention(k)
		if !ok {
			continue
		}
		switch r := rolePriority(l.mentions[k].role); {
		case chosen < 0 || r > in:
			chosen, in = place, r
		case r == in && isWithin(place, chosen): // Brasil, São Paulo
			chosen = place
		}
	}
	switch {
	case chosen >= 0 && l.zip >= 0 && isWithin(l.zip, chosen):
		return l.zip, true
	case chosen >= 0:
		return chosen, true
	case l.zip >= 0 && l.tokenCount == 1:
		return l.zip, true
	case l.flagCount > 0 && l.noiseBetween(0, l.tokenCount)+l.skippedFields <= maxNoise/2:
		return l.flags[0], true
	}
	return 0, false
}

// rolePriority orders places by what is said of them: where someone lives goes before the
// rest, and where they are from comes last.
func rolePriority(r role) role {
	switch r {
	case residence:
		return 2
	case birthplace:
		return 0
	}
	return 1
}

// resolveMention returns the place that a mention means, and false when it may well mean none.
func (l *location) resolveMention(k int) (int, bool) {
	n := &l.mentions[k]
	if place, ok := l.resolveByContext(k); ok {
		return place, true
	}
	for i := range n.meanings.len() {
		place, kind := n.meanings.at(i)
		if kind == Suffix {
			continue
		}
		if levelOf(place) == cityLevel && l.isContradicted(k) {
			return 0, false
		}
		return place, l.isEvident(k, place, kind)
	}
	return 0, false
}
