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
	text = clip(text)
	if pt, ok := findPoint(text); ok {
		return Nearest(pt)
	}
	var l location
	l.scan(text)
	l.find()
	place, ok := l.resolve()
	if !ok {
		return earshot.Place{}, false
	}
	return placeAt(place), true
}

// clip cuts text that is too long.
func clip(text string) string { return text[:min(len(text), longestLocation)] }

// resolve returns the index of the place that is meant.
func (l *location) resolve() (int, bool) {
	chosen, in := -1, role(0)
	for k := range l.mentioned {
		place, ok := l.read(k)
		if !ok {
			continue
		}
		switch r := standing(l.mentions[k].role); {
		case chosen < 0 || r > in:
			chosen, in = place, r
		case r == in && liesIn(place, chosen): // Brasil, São Paulo
			chosen = place
		}
	}
	switch {
	case chosen >= 0 && l.zip >= 0 && liesIn(l.zip, chosen):
		return l.zip, true
	case chosen >= 0:
		return chosen, true
	case l.zip >= 0 && l.count == 1:
		return l.zip, true
	case l.flagged > 0 && l.noiseBetween(0, l.count)+l.foreign <= mostNoise/2:
		return l.flags[0], true
	}
	return 0, false
}

// standing orders places by what is said of them: where someone lives goes before the
// rest, and where they are from comes last.
func standing(r role) role {
	switch r {
	case abode:
		return 2
	case origin:
		return 0
	}
	return 1
}

// read returns the place that a mention means, and false when it may well mean none.
func (l *location) read(k int) (int, bool) {
	n := &l.mentions[k]
	if place, ok := l.readBacked(k); ok {
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
		return place, l.suffices(k, place, kind)
	}
	return 0, false
}
