package geo

import "earshot"

// Resolve returns the place that free text, such as a profile location, refers to: "Brooklyn NY",
// "São Paulo, Brasil", "パリ", "🇩🇪 Berlin", "Austin 78701", "ÜT: 40.71,-74.00". It returns false if
// the text names no place, or only a place that is unlikely to be meant: "earth", "my bed",
// "Reading books".
//
// A name that several places share refers to the one within another place in the text, or otherwise
// to the one that most people mean, usually the largest. Without such context, a city must have a
// minimum population, which is higher if the text has other words. A name that is also a common
// word counts only if the text also names the containing place, or if it appears alone and names a
// country, a state or a large city. If the text names several places, the first one wins, unless
// the words around them say where someone lives and where they were born.
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

// resolve returns the index of the place that the location refers to.
func (l *location) resolve() (int, bool) {
	chosen, priority := -1, role(0)
	for k := range l.mentionCount {
		place, ok := l.resolveMention(k)
		if !ok {
			continue
		}
		switch r := rolePriority(l.mentions[k].role); {
		case chosen < 0 || r > priority || r == priority && l.tokens[l.mentions[k].from].arrow: // Lyon → Paris
			chosen, priority = place, r
		case r == priority && isWithin(place, chosen) && !l.means(k, chosen): // Brasil, São Paulo
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

// resolveAbbreviation returns the state that the k-th mention abbreviates, such as Ind. in "Winona
// Lake, Ind.", where IND is the code of India.
func (l *location) resolveAbbreviation(k int) (int, bool) {
	n := &l.mentions[k]
	if n.to-n.from > 1 || !l.tokens[n.from].abbr || !l.endsLocation(n) {
		return 0, false
	}
	first, kind := n.meanings.at(0)
	if kind == Code && levelOf(first) == stateLevel { // Pa.
		return first, true
	}
	for i := range n.meanings.len() {
		place, k := n.meanings.at(i)
		if k == Suffix && kind >= Code && levelOf(place) == stateLevel && !isWithin(place, first) {
			return place, true
		}
	}
	return 0, false
}

// rolePriority ranks mentions: where someone lives is highest, where they are from is lowest.
func rolePriority(r role) role {
	switch r {
	case residence:
		return 2
	case birthplace:
		return 0
	}
	return 1
}

// resolveMention returns the place that the k-th mention means, or false if it is uncertain.
func (l *location) resolveMention(k int) (int, bool) {
	n := &l.mentions[k]
	if l.isInTown(k) {
		return 0, false
	}
	if place, ok := l.resolveByContext(k); ok {
		return place, true
	}
	if n.town >= 0 {
		return int(n.town), true
	}
	if k+1 < l.mentionCount && l.mentions[k+1].town >= 0 && n.from >= int(l.mentions[k+1].townFrom) {
		return 0, false // the name of the town
	}
	if place, ok := l.resolveAbbreviation(k); ok {
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
