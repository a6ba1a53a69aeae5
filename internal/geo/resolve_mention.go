package geo

const (
	maxMentions   = 12
	maxNameWords  = 6  // words
	maxNameTokens = 12 // characters in an unsegmented script
	maxTownWords  = 4
	maxContainers = 8
)

// A mention is a run of tokens that matches the name of one or more places.
type mention struct {
	from, to       int // token range [from, to)
	meanings       meanings
	containers     [maxContainers]uint16 // countries and states it may mean
	containerCount int                   // number of containers
	code           bool                  // it is a code like NY
	role           role                  // preposition, birthplace or residence
	noise          int                   // unrelated words since the previous mention
	town           int32                 // the US state that has a town of the name before it, or -1
	townFrom       int32                 // the first token of that name
}

// findMentions finds names in the tokens, from left to right, preferring the longest.
func (l *location) findMentions() {
	l.zip = -1
	noise := 0
	for i := 0; i < l.tokenCount; {
		n, found := l.longestNameAt(i)
		switch {
		case n > 0 && l.mentionCount == maxMentions:
			l.tokenCount = i // a list of places; only the first ones count
			return
		case n > 0:
			l.mentions[l.mentionCount] = mention{from: i, to: i + n, meanings: found, noise: noise, town: -1}
			l.describe(l.mentionCount)
			l.mentionCount++
			noise = 0
		case l.isNoise(i):
			n = 1
			noise++
		default:
			n = 1
			l.readZIP(i)
		}
		i += n
	}
}

// isNoise reports whether a word is unrelated to places.
func (l *location) isNoise(i int) bool {
	t := l.tokens[i]
	return (t.role == noRole || t.role >= notAPlace) && !t.digits
}

// longestNameAt returns the length in tokens of the longest name at i, and its meanings.
func (l *location) longestNameAt(i int) (length int, found meanings) {
	h := hashSeed
	words := 1
	for j := i; j < l.tokenCount && j-i < maxNameTokens; j++ {
		if g := l.tokens[j].gap; j > i && g == spaceGap {
			h = h.add(' ')
			words++
		} else if j > i && g > spaceGap {
			break
		}
		if words > maxNameWords {
			break
		}
		h = h.addAll(l.word(j))
		if got := lookupName(h.sum()); got.len() > 0 && (j > i || l.mayBeName(i, got)) {
			length, found = j+1-i, got
		}
	}
	return length, found
}

// mayBeName reports whether a token that matches a name is probably meant as one. Words with a role
// are often ordinary words, and so are state codes.
func (l *location) mayBeName(i int, means meanings) bool {
	t := l.tokens[i]
	if t.end-t.start < 2 || t.role >= notAPlace || t.digits || isOneCharacter(l.word(i)) {
		return false
	}
	last := i+1 == l.tokenCount || l.tokens[i+1].gap >= commaGap
	switch _, kind := means.at(0); {
	case kind < Code && t.role == noRole:
		return true
	case kind == Code && t.isUpper() && !l.allCaps:
		return true
	case l.endsCity(i, means):
		return true
	case kind < Code:
		return false
	case kind == Suffix:
		return t.abbr && last && t.gap == commaGap
	case last && (t.gap >= commaGap || t.isUpper()):
		return true
	case l.mentionCount > 0 && l.mentions[l.mentionCount-1].to == i && t.gap <= spaceGap:
		return last && t.capital // Bellingham Wa, but not como va
	}
	return t.role == noRole && !means.isWord()
}

// endsCity reports whether the i-th token is the code of a state or country that ends the name of a
// place within it, as in "athens ga" and "portland or". Such codes are often ordinary words.
func (l *location) endsCity(i int, means meanings) bool {
	if i == 0 || l.tokens[i].gap == barGap || !l.endsClause(i) {
		return false
	}
	if _, _, ok := l.townBefore(i, means); ok {
		return true
	}
	k := l.mentionCount - 1
	if k < 0 || l.mentions[k].to != i {
		return false
	}
	// como va is a question, not the city in Lombardy
	ordinary := !l.tokens[i].capital && l.mentions[k].meanings.isWord()
	for n := range means.len() {
		place, kind := means.at(n)
		if kind < Code || levelOf(place) == cityLevel || kind == Suffix && ordinary {
			continue
		}
		if l.mentions[k].meanings.nameWithin(place) {
			return true
		}
	}
	return false
}

// endsClause reports whether the i-th token is the last one before a separator, a number or the name
// of a country that ends the text.
func (l *location) endsClause(i int) bool {
	next := i + 1
	if next == l.tokenCount || l.tokens[next].gap >= commaGap || l.tokens[next].digits {
		return true
	}
	found := lookupName(hashSeed.addAll(l.word(next)).sum())
	if next+1 != l.tokenCount || found.len() == 0 {
		return false
	}
	place, kind := found.at(0)
	return levelOf(place) == countryLevel && (kind < Code || l.tokens[next].isUpper())
}

// townBefore returns the US state among the meanings of the i-th token that has a town of the name
// before that token, and the first token of the name.
func (l *location) townBefore(i int, means meanings) (state, from int, ok bool) {
	if !means.hasUSState() {
		return 0, 0, false
	}
	for from = i; from > 0 && i-from < maxTownWords && (from == i || l.tokens[from].gap < commaGap); {
		from--
	}
	for from < i && (l.leadsToPlace(from) || string(l.word(from)) == "the") {
		from++
	}
	if from == i {
		return 0, 0, false
	}
	h := hashSeed
	for j := from; j < i; j++ {
		if j > from && l.tokens[j].gap == spaceGap {
			h = h.add(' ')
		}
		h = h.addAll(l.word(j))
	}
	for n := range means.len() {
		if place, _ := means.at(n); isUSState(place) && isTown(h.town(keyOf(place))) {
			return place, from, true
		}
	}
	return 0, 0, false
}

// leadsToPlace reports whether the i-th token is a word like "in" or "from".
func (l *location) leadsToPlace(i int) bool {
	r := l.tokens[i].role
	return r == preposition || r == birthplace || r == residence
}

// isOneCharacter reports whether a word is a single Chinese, Japanese or Korean character, which is
// not a name on its own.
func isOneCharacter(word []byte) bool { return len(word) <= 4 && word[0] >= 0xE3 }

// readZIP sets l.zip if the i-th token is a ZIP code and none was found before.
func (l *location) readZIP(i int) {
	if !l.tokens[i].digits || l.zip >= 0 {
		return
	}
	if number, ok := parseZIP(string(l.word(i))); ok {
		if at, ok := findZIPRecord(number); ok {
			l.zip = zipPlaceIndex(at)
		}
	}
}

// addContainers adds the meanings at the levels [from, to] to the containers.
func (n *mention) addContainers(from, to level) {
	for i := range n.meanings.len() {
		place, _ := n.meanings.at(i)
		if l := levelOf(place); n.containerCount < maxContainers && from <= l && l <= to {
			n.containers[n.containerCount] = uint16(place)
			n.containerCount++
		}
	}
}

// followsCity reports whether the clause before the k-th mention is the name of a city in the place
// that it means.
func (l *location) followsCity(k int) bool {
	if k == 0 || l.mentions[k].containerCount == 0 {
		return false
	}
	n, prev := &l.mentions[k], &l.mentions[k-1]
	return prev.to == n.from && l.tokens[prev.from].gap >= commaGap && prev.meanings.nameWithin(int(n.containers[0]))
}

// describe sets the fields of a mention that derive from its meanings and the surrounding words.
func (l *location) describe(k int) {
	n := &l.mentions[k]
	_, kind := n.meanings.at(0)
	n.code = kind >= Code
	if n.code { // Adelaide SA is in South Australia, not in South Africa
		n.addContainers(stateLevel, stateLevel)
		n.addContainers(countryLevel, countryLevel)
	} else {
		n.addContainers(countryLevel, stateLevel)
	}
	if n.from > 0 && l.tokens[n.from].gap < barGap && !l.followsCity(k) {
		if state, from, ok := l.townBefore(n.from, n.meanings); ok {
			n.town, n.townFrom = int32(state), int32(from)
		}
	}
	for i := n.from; i > 0 && l.tokens[i].gap < barGap; i-- {
		r := l.tokens[i-1].role
		if r == noRole || r >= notAPlace || k > 0 && i-1 < l.mentions[k-1].to {
			break
		}
		n.role = max(n.role, r)
	}
	if n.to < l.tokenCount && l.tokens[n.to].gap <= spaceGap {
		n.role = max(n.role, rolesAfter[string(l.word(n.to))])
		if n.to+1 == l.tokenCount && l.tokens[n.to].role == residence { // Durban now
			n.role = residence
		}
	}
}
