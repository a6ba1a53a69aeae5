package geo

// How many people a city must have whose name stands there without what contains it.
const (
	leastAlone     = 20_000    // the name is all there is
	leastAt        = 50_000    // behind a word like "in"
	leastAmong     = 150_000   // among other words
	leastOfWord    = 1_500_000 // it is all there is, and an everyday word, too
	leastOfCapital = 300_000   // the same, with a capital letter

	// A state needs as many people among other words.
	leastState = 500_000

	// An alternate name must be that of so many times more people.
	alternateFactor = 5

	// With more other words the text tells something else than where someone is.
	mostNoise = 4
)

// suffices reports whether the k-th mention alone is evidence enough that a place is
// meant.
func (l *location) suffices(k, place int, kind NameKind) bool {
	n := &l.mentions[k]
	noise := l.noiseAround(k)
	alone, at := noise == 0, n.role >= preposition || l.isClause(n)
	if noise > mostNoise && !at || kind != Code && l.isDescription(n) {
		return false
	}
	word := n.to-n.from == 1 && n.meanings.isWord()
	capital := l.tokens[n.from].capital && !l.shouts // as names are written
	people := populationOf(place)
	switch level := levelOf(place); {
	case kind == Code:
		return (alone || l.closes(n)) && (!word || l.tokens[n.from].isUpper())
	case level < cityLevel && l.closes(n):
		return true
	case level == countryLevel:
		return alone || !word
	case level == stateLevel && word:
		return alone && capital
	case level == stateLevel:
		return alone || at || people >= leastState
	case word:
		return alone && (people >= leastOfWord || capital && people >= leastOfCapital)
	case kind == Alternate:
		return people >= alternateFactor*leastCity(alone, at)
	default:
		return people >= leastCity(alone, at)
	}
}

// isDescription reports whether all words of a name describe places: North West is a
// province, but usually a part of something.
func (l *location) isDescription(n *mention) bool {
	for i := n.from; i < n.to; i++ {
		if l.tokens[i].role != companion {
			return false
		}
	}
	return true
}

func leastCity(alone, at bool) int64 {
	switch {
	case alone:
		return leastAlone
	case at:
		return leastAt
	}
	return leastAmong
}

// closes reports whether a mention stands at the end, behind the unknown name of a
// town: Smallville, KS.
func (l *location) closes(n *mention) bool {
	t := l.tokens[n.from]
	last := n.to == l.count || l.tokens[n.to].gap == bar || l.tokens[n.to].digits
	return last && (t.gap == comma || t.gap == spaced && t.isUpper() && !l.shouts && !n.meanings.isWord())
}

// isClause reports whether a mention is all there is between two commas.
func (l *location) isClause(n *mention) bool {
	return l.tokens[n.from].gap >= comma && (n.to == l.count || l.tokens[n.to].gap >= comma)
}

// noiseAround returns how many words between the bars around the k-th mention have
// nothing to do with places.
func (l *location) noiseAround(k int) int {
	from, to := l.mentions[k].from, l.mentions[k].to
	for from > 0 && l.tokens[from].gap != bar {
		from--
	}
	for to < l.count && l.tokens[to].gap != bar {
		to++
	}
	return l.noiseBetween(from, to)
}

// noiseBetween returns how many tokens from one to before another have nothing to do
// with places.
func (l *location) noiseBetween(from, to int) int {
	noise := 0
	for i := from; i < to; i++ {
		if l.isNoise(i) && !l.isNamed(i) {
			noise++
		}
	}
	return noise
}

// isNamed reports whether the i-th token is part of a mention.
func (l *location) isNamed(i int) bool {
	for k := range l.mentioned {
		if l.mentions[k].from <= i && i < l.mentions[k].to {
			return true
		}
	}
	return false
}
