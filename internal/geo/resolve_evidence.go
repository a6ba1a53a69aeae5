package geo

// Minimum populations of a city whose name appears without its containing place. Larger values miss
// more small towns; smaller values mistake more words for places.
const (
	minPopulationAlone             = 20_000    // only the name
	minPopulationAfterPreposition  = 50_000    // after a word like "in"
	minPopulationAmongWords        = 150_000   // among other words
	minPopulationOfWord            = 1_500_000 // only the name, which is also a common word
	minPopulationOfCapitalizedWord = 300_000   // the same, capitalized

	// minStatePopulation is the minimum population of a state among other words.
	minStatePopulation = 500_000

	// alternateFactor multiplies the minimum population for alternate names.
	alternateFactor = 5

	// minSpecificWords is the minimum number of words of an alternate name that is as good as a usual
	// name.
	minSpecificWords = 3
	// maxNoise is the maximum number of unrelated words. A text with more is not about a location.
	maxNoise = 4
)

// isEvident reports whether the k-th mention is sufficient evidence for a place.
func (l *location) isEvident(k, place int, kind NameKind) bool {
	n := &l.mentions[k]
	noise := l.noiseAround(k)
	alone, at := noise == 0, n.role >= preposition || l.isClause(n)
	if noise > maxNoise && !at || kind != Code && l.isDescription(n) {
		return false
	}
	if levelOf(place) == cityLevel && (l.isStreet(n) || l.isAcronym(n) && populationOf(place) < minPopulationAmongWords) {
		return false
	}
	word := n.to-n.from == 1 && n.meanings.isWord()
	capital := l.tokens[n.from].capital && !l.allCaps // as names are written
	people := populationOf(place)
	switch level := levelOf(place); {
	case kind == Code && l.tokens[n.from].isInitials():
		return noise < maxNoise/2 // L.A. baby
	case kind == Code:
		return (alone || l.endsLocation(n)) && (!word || l.tokens[n.from].isUpper())
	case level < cityLevel && l.endsLocation(n):
		return true
	case level == countryLevel:
		return alone || !word
	case level == stateLevel && word:
		return alone && capital
	case level == stateLevel:
		return alone && people > 0 || at || people >= minStatePopulation
	case word:
		return alone && (people >= minPopulationOfWord || capital && people >= minPopulationOfCapitalizedWord)
	case kind == Alternate && n.to-n.from < minSpecificWords:
		return people >= alternateFactor*minCityPopulation(alone, at)
	default:
		return people >= minCityPopulation(alone, at)
	}
}

// isStreet reports whether a mention names a street: Fremont Street.
func (l *location) isStreet(n *mention) bool {
	return n.to < l.tokenCount && l.tokens[n.to].gap == spaceGap && l.tokens[n.to].role == street
}

// isAcronym reports whether a mention looks like an acronym: OSU.
func (l *location) isAcronym(n *mention) bool {
	t := l.tokens[n.from]
	return n.to-n.from == 1 && t.end-t.start <= 3 && t.isUpper() && !l.allCaps
}

// isDescription reports whether all words of a name are modifiers. North West is a province, but
// the words usually describe a part of another place.
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

// endsLocation reports whether a mention ends the location and follows what may be an unlisted
// town, as KS does in "Smallville, KS".
func (l *location) endsLocation(n *mention) bool {
	t := l.tokens[n.from]
	last := n.to == l.tokenCount || l.tokens[n.to].gap == barGap || l.tokens[n.to].digits
	return last && (t.gap == commaGap || t.gap == spaceGap && t.isUpper() && !l.allCaps && !n.meanings.isWord())
}

// isClause reports whether a mention fills the text between two separators.
func (l *location) isClause(n *mention) bool {
	return l.tokens[n.from].gap >= commaGap && (n.to == l.tokenCount || l.tokens[n.to].gap >= commaGap)
}

// noiseAround returns the number of unrelated words between the bars that enclose the k-th mention.
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

// noiseBetween returns the number of unrelated words among the tokens [from, to).
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

// minPopulationAcrossBar is the minimum population of a place whose container is on the other side
// of a bar: "Cambridge | MA" is one place, "Paris | Texas" is two.
const minPopulationAcrossBar = 50_000

// resolveByContext returns the meaning of the k-th mention that other parts of the text determine:
// a flag, a ZIP code or the name of a containing place, as in "Paris, TX". The nearest mention
// takes precedence.
func (l *location) resolveByContext(k int) (int, bool) {
	for _, f := range l.flags[:l.flagCount] {
		if l.means(k, f) { // Paraguay 🇵🇾
			return f, true
		}
		if place, ok := l.meaningWithin(k, f); ok {
			return place, true
		}
	}
	if l.zip >= 0 && l.means(k, l.zip) {
		return l.zip, true
	}
	if city, ok := l.cityOfRepeatedCode(k); ok {
		return city, true
	}
	for _, j := range [...]int{k + 1, k - 1, k + 2, k - 2} {
		if j < 0 || j >= l.mentionCount || l.hasNoiseBetween(j, k) || j < k && !l.mayIntroduce(j, k) {
			continue
		}
		n := &l.mentions[j]
		if n.meanings == l.mentions[k].meanings && l.tokens[max(n.from, l.mentions[k].from)].gap < commaGap {
			continue // para para
		}
		for _, c := range n.containers[:n.containerCount] {
			place, ok := l.meaningWithin(k, int(c))
			if ok && (populationOf(place) >= minPopulationAcrossBar || !l.barBetween(j, k)) {
				return place, true
			}
		}
		if j == k+1 && l.isContradicted(k) {
			break
		}
	}
	return 0, false
}

// mayIntroduce reports whether the j-th mention, which comes before the k-th one, may contain it, as
// in "Texas - Austin" but not in "raised in Ohio, live in Brooklyn".
func (l *location) mayIntroduce(j, k int) bool {
	for i := l.mentions[j].to; i < l.mentions[k].from; i++ {
		if l.leadsToPlace(i) {
			return false
		}
	}
	return !l.mentions[j].code
}

// cityOfRepeatedCode returns the city with the name of its state if the k-th mention is the code of
// that state and the next one repeats it: "NY, NY".
func (l *location) cityOfRepeatedCode(k int) (int, bool) {
	n := &l.mentions[k]
	if k+1 >= l.mentionCount || !n.code || l.mentions[k+1].meanings != n.meanings || l.mentions[k+1].from != n.to {
		return 0, false
	}
	state, _ := n.meanings.at(0)
	_, name := labelOf(state)
	means := lookupName(HashName(Normalize(name)))
	for i := range means.len() {
		if city, _ := means.at(i); isWithin(city, state) {
			return city, true
		}
	}
	return 0, false
}

// meaningWithin returns the most likely meaning of the k-th mention within a place. If both a US
// state and a city match, the state wins: "Washington, USA" is the state, because people write
// "Washington, DC" for the city.
func (l *location) meaningWithin(k, in int) (int, bool) {
	n := &l.mentions[k]
	first, _ := n.meanings.at(0)
	// A country's name is never an alternate name of a town.
	isCountry := levelOf(first) == countryLevel
	found := -1
	for i := range n.meanings.len() {
		place, kind := n.meanings.at(i)
		switch {
		case !isWithin(place, in) || kind == Alternate && isCountry:
		case kind == Alternate && first == in && levelOf(in) == stateLevel: // Long Island, NY
			return in, true
		case found < 0:
			found = place
		case levelOf(place) == stateLevel && in == usa():
			return place, true
		}
	}
	return found, found >= 0
}

// means reports whether the k-th mention may mean the given place.
func (l *location) means(k, place int) bool {
	n := &l.mentions[k]
	for i := range n.meanings.len() {
		if p, _ := n.meanings.at(i); p == place {
			return true
		}
	}
	return false
}

// isInTown reports whether the k-th mention is only part of the name of a town that a later mention
// ends: "Orange County, FL" is not in California.
func (l *location) isInTown(k int) bool {
	n := &l.mentions[k]
	for j := k + 1; j < l.mentionCount; j++ {
		end := &l.mentions[j]
		if end.town >= 0 && n.from >= int(end.townFrom) && n.to-n.from < end.from-int(end.townFrom) {
			return true
		}
	}
	return false
}

// isContradicted reports whether a state or country follows the k-th mention, which has no meaning
// within it. The mention is then an unlisted town, or part of its name: "Carlisle, Iowa", "Windsor
// Park, New Zealand".
func (l *location) isContradicted(k int) bool {
	j := k + 1
	for j+1 < l.mentionCount && l.tokens[l.mentions[j].from].gap == spaceGap && l.isSmallCity(j) {
		j++
	}
	if j >= l.mentionCount || l.barBetween(j, k) || !l.mayContain(j, k) {
		return false
	}
	for i := range l.mentions[j].meanings.len() {
		place, kind := l.mentions[j].meanings.at(i)
		if kind != Suffix {
			return levelOf(place) < cityLevel && !l.contradictsCountry(j)
		}
	}
	return false
}

// isSmallCity reports whether the most likely meaning of the j-th mention is a city that does not
// count among other words.
func (l *location) isSmallCity(j int) bool {
	place, _ := l.mentions[j].meanings.at(0)
	return levelOf(place) == cityLevel && populationOf(place) < minPopulationAmongWords
}

// mayContain reports whether the j-th mention follows the k-th one directly, or follows the other
// words of its clause after a comma.
func (l *location) mayContain(j, k int) bool {
	from, to := l.mentions[k].to, l.mentions[j].from
	if from == to {
		return true
	}
	for i := from; i < to; i++ {
		if l.tokens[i].gap > spaceGap {
			return false
		}
	}
	place, _ := l.mentions[k].meanings.at(0)
	return l.tokens[to].gap == commaGap && l.endsLocation(&l.mentions[j]) && !l.isWithinAny(place, j)
}

// isWithinAny reports whether a place is within one of the places that the j-th mention may mean.
func (l *location) isWithinAny(place, j int) bool {
	n := &l.mentions[j]
	for _, c := range n.containers[:n.containerCount] {
		if isWithin(place, int(c)) {
			return true
		}
	}
	return false
}

// contradictsCountry reports whether a country directly follows the j-th mention, which has no
// meaning within it, as with MI in "Milano, MI, Italia".
func (l *location) contradictsCountry(j int) bool {
	if j+1 >= l.mentionCount || l.mentions[j+1].from > l.mentions[j].to || l.barBetween(j, j+1) {
		return false
	}
	country, _ := l.mentions[j+1].meanings.at(0)
	if levelOf(country) != countryLevel {
		return false
	}
	_, ok := l.meaningWithin(j, country)
	return !ok
}

// hasNoiseBetween reports whether there are unrelated words between two mentions.
func (l *location) hasNoiseBetween(j, k int) bool {
	for i := min(j, k) + 1; i <= max(j, k); i++ {
		if l.mentions[i].noise > 0 {
			return true
		}
	}
	return false
}

// barBetween reports whether a bar separates two mentions.
func (l *location) barBetween(j, k int) bool {
	from, to := min(j, k), max(j, k)
	for i := l.mentions[from].to; i <= l.mentions[to].from; i++ {
		if l.tokens[i].gap == barGap {
			return true
		}
	}
	return false
}
