package geo

const (
	maxMentions   = 12
	maxNameWords  = 6  // words
	maxNameTokens = 12 // characters in an unsegmented script
	maxContainers = 6
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
			l.mentions[l.mentionCount] = mention{from: i, to: i + n, meanings: found, noise: noise}
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
	return (t.role == noRole || t.role == notAPlace) && !t.digits
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
	if t.end-t.start < 2 || t.role == notAPlace || t.digits || isOneCharacter(l.word(i)) {
		return false
	}
	if _, kind := means.at(0); kind < Code {
		return t.role == noRole
	}
	last := i+1 == l.tokenCount || l.tokens[i+1].gap >= commaGap
	switch {
	case t.isUpper() && !l.allCaps:
		return true
	case last && (t.gap >= commaGap || t.isUpper()):
		return true
	case last && t.capital && l.mentionCount > 0 && l.mentions[l.mentionCount-1].to == i: // Bellingham Wa
		return true
	}
	return t.role == noRole && !means.isWord()
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

// describe sets the fields of a mention that derive from its meanings and the surrounding words.
func (l *location) describe(k int) {
	n := &l.mentions[k]
	_, kind := n.meanings.at(0)
	n.code = kind >= Code
	for i := range n.meanings.len() {
		if place, _ := n.meanings.at(i); n.containerCount < maxContainers && levelOf(place) < cityLevel {
			n.containers[n.containerCount] = uint16(place)
			n.containerCount++
		}
	}
	for i := n.from; i > 0 && l.tokens[i].gap < barGap; i-- {
		r := l.tokens[i-1].role
		if r == noRole || r == notAPlace || k > 0 && i-1 < l.mentions[k-1].to {
			break
		}
		n.role = max(n.role, r)
	}
	if n.to < l.tokenCount && l.tokens[n.to].gap <= spaceGap {
		n.role = max(n.role, rolesAfter[string(l.word(n.to))])
	}
}
