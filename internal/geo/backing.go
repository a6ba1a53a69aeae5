package geo

// minPopulationAcrossBar is how many people a place must have that is backed from beyond a bar:
// "Cambridge | MA" is one place, "Paris | Texas" is two.
const minPopulationAcrossBar = 50_000

// resolveByContext returns the meaning of the k-th mention that something else in the text
// tells: a flag, a ZIP code or the name of what contains it, as in "Paris, TX". What
// stands nearer tells more.
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
	for _, j := range [...]int{k + 1, k - 1, k + 2, k - 2} {
		if j < 0 || j >= l.mentionCount || l.hasNoiseBetween(j, k) || j < k && l.mentions[j].code {
			continue
		}
		n := &l.mentions[j]
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

// meaningWithin returns the likeliest meaning of the k-th mention that lies in a place. Of a
// state and a city of the USA it is the state: "Washington, USA" is how profiles write
// that, and the city would be "Washington, DC".
func (l *location) meaningWithin(k, in int) (int, bool) {
	n := &l.mentions[k]
	first, _ := n.meanings.at(0)
	isCountry := levelOf(first) == countryLevel // which nobody uses as the other name of a town
	found := -1
	for i := range n.meanings.len() {
		place, kind := n.meanings.at(i)
		switch {
		case !isWithin(place, in) || kind == Alternate && isCountry:
		case found < 0:
			found = place
		case levelOf(place) == stateLevel && keyOf(in) == "USA":
			return place, true
		}
	}
	return found, found >= 0
}

// means reports whether the k-th mention may mean a place.
func (l *location) means(k, place int) bool {
	n := &l.mentions[k]
	for i := range n.meanings.len() {
		if p, _ := n.meanings.at(i); p == place {
			return true
		}
	}
	return false
}

// isContradicted reports whether the k-th mention, which is nothing in the next one, is
// directly followed by a state or country. It is a town there that is not listed then:
// "Carlisle, Iowa".
func (l *location) isContradicted(k int) bool {
	j := k + 1
	if j >= l.mentionCount || l.mentions[j].from > l.mentions[k].to || l.barBetween(j, k) {
		return false
	}
	first, _ := l.mentions[j].meanings.at(0)
	return levelOf(first) < cityLevel && !l.contradictsCountry(j)
}

// contradictsCountry reports whether the j-th mention is nothing in the country that directly
// follows it, and so not what it seems: MI in "Milano, MI, Italia".
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

// hasNoiseBetween reports whether words that have nothing to do with places stand between
// two mentions.
func (l *location) hasNoiseBetween(j, k int) bool {
	for i := min(j, k) + 1; i <= max(j, k); i++ {
		if l.mentions[i].noise > 0 {
			return true
		}
	}
	return false
}

// barBetween reports whether two mentions stand in different parts of the text.
func (l *location) barBetween(j, k int) bool {
	from, to := min(j, k), max(j, k)
	for i := l.mentions[from].to; i <= l.mentions[to].from; i++ {
		if l.tokens[i].gap == barGap {
			return true
		}
	}
	return false
}
