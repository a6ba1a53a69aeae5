package geo

import "earshot"

// Resolve returns the place that a free text means, such as the location of a profile:
// "Brooklyn NY", "São Paulo, Brasil", "パリ", "🇩🇪 Berlin", "Austin 78701", "ÜT: 40.71,-74.00".
// It returns false when the text names no place, or only one that is unlikely to be meant:
// "earth", "my bed", "Reading books".
//
// A name that several places share means the one within another place of the text, or else
// the one that most people mean, usually the largest. A name without its context must be that
// of a place of some size, even more so among other words; a name that is also an everyday
// word needs the place that contains it. Of several places in the text the first is meant,
// unless the words around them tell where someone lives and where they were born.
//
// Resolve reads only the first 256 bytes.
func Resolve(text string) (earshot.Place, bool) {
	text = text[:min(len(text), maxLocationBytes)]
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

// resolve returns the index of the place that the location means.
func (l *location) resolve() (int, bool) {
	chosen, priority := -1, role(0)
	for k := range l.mentionCount {
		place, ok := l.resolveMention(k)
		if !ok {
			continue
		}
		switch r := rolePriority(l.mentions[k].role); {
		case chosen < 0 || r > priority:
			chosen, priority = place, r
		case r == priority && isWithin(place, chosen): // Brasil, São Paulo
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

// rolePriority ranks mentions: where someone lives comes first, where they are from last.
func rolePriority(r role) role {
	switch r {
	case residence:
		return 2
	case birthplace:
		return 0
	}
	return 1
}

// resolveMention returns the place that the k-th mention means, and false when that is
// uncertain.
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
