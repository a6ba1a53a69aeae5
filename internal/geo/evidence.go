package geo

// How many people a city must have whose name stands there without what contains it.
const (
	minPopulationAlone             = 20_000    // the name is all there is
	minPopulationAfterPreposition  = 50_000    // behind a word like "in"
	minPopulationAmongWords        = 150_000   // among other words
	minPopulationOfWord            = 1_500_000 // it is all there is, and an everyday word, too
	minPopulationOfCapitalizedWord = 300_000   // the same, with a capital letter

	// A state needs as many people among other words.
	minStatePopulation = 500_000

	// An alternate name must be that of so many times more people.
	alternateFactor = 5

	// With more other words the text tells something else than where someone is.
	maxNoise = 4
)

// isEvident reports whether the k-th mention alone is evidence enough that a place is
// meant.
func (l *location) isEvident(k, place int, kind NameKind) bool {
	n := &l.mentions[k]
	noise := l.noiseAround(k)
	alone, at := noise == 0, n.role >= preposition || l.isClause(n)
	if noise > maxNoise && !at || kind != Code && l.isDescription(n) {
		return false
	}
	word := n.to-n.from == 1 && n.meanings.isWord()
	capital := l.tokens[n.from].capital && !l.allCaps // as names are written
	people := populationOf(place)
	switch level := levelOf(place); {
	case kind == Code:
		return (alone || l.endsLocation(n)) && (!word || l.tokens[n.from].isUpper())
	case level < cityLevel && l.endsLocation(n):
		return true
	case level == countryLevel:
		return alone || !word
	case level == stateLevel && word:
		return alone && capital
	case level == stateLevel:
		return alone || at || people >= minStatePopulation
	case word:
		return alone && (people >= minPopulationOfWord || capital && people >= minPopulationOfCapitalizedWord)
	case kind == Alternate:
		return people >= alternateFactor*minCityPopulation(alone, at)
	default:
		return people >= minCityPopulation(alone, at)
	}
}

// isDescription reports whether all words of a name describe places: North West is a
// province, but usually a part of something.
func (l *location) isDescription(n *mention) bool {
	for i := n.from; i < n.to; i++ {
		if l.tokens[i].role != modifier {
			return false
		}
	}
	return true
}

func minCityPopulation(alone, at bool) int64 {
	switch {
	case alone:
		return minPopulationAlone
	case at:
		return minPopulationAfterPreposition
	}
	return minPopulationAmongWords
}

// endsLocation reports whether a mention stands at the end, behind the unknown name of a
// town: Smallville, KS.
func (l *location) endsLocation(n *mention) bool {
	t := l.tokens[n.from]
	last := n.to == l.tokenCount || l.tokens[n.to].gap == barGap || l.tokens[n.to].digits
	return last && (t.gap == commaGap || t.gap == spaceGap && t.isUpper() && !l.allCaps && !n.meanings.isWord())
}

// isClause reports whether a mention is all there is between two commas.
func (l *location) isClause(n *mention) bool {
	return l.tokens[n.from].gap >= commaGap && (n.to == l.tokenCount || l.tokens[n.to].gap >= commaGap)
}

// noiseAround returns how many words between the bars around the k-th mention have
// nothing to do with places.
func (l *location) noiseAround(k int) int {
	from, to := l.mentions[k].from, l.mentions[k].to
	for from > 0 && l.tokens[from].gap != barGap {
		from--
	}
	for to < l.tokenCount && l.tokens[to].gap != barGap {
		to++
	}
	return l.noiseBetween(from, to)
}

// noiseBetween returns how many tokens from one to before another have nothing to do
// with places.
func (l *location) noiseBetween(from, to int) int {
	noise := 0
	for i := from; i < to; i++ {
		if l.isNoise(i) && !l.inMention(i) {
			noise++
		}
	}
	return noise
}

// inMention reports whether the i-th token is part of a mention.
func (l *location) inMention(i int) bool {
	for k := range l.mentionCount {
		if l.mentions[k].from <= i && i < l.mentions[k].to {
			return true
		}
	}
	return false
}
