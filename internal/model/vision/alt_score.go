package vision

// maxReach is how many words after a "no" are said not to be there.
const maxReach = 4

// score computes the weight of each word. A hedge lasts to the end of the
// sentence; a "no" to a pause or a "but", and not far in any case.
func (r *matcher) score() {
	r.scores = make([]float64, len(r.words))
	hedged, negated := false, 0
	for i, w := range r.words {
		if w.pause == sentence {
			hedged = false
		}
		if w.pause != space || w.text == "but" || w.text == "except" {
			negated = 0
		}
		hedged = hedged || hedges(r.words, i)
		switch {
		case negated > 0:
			negated--
		case hedged:
			r.scores[i] = Hedged
		default:
			r.scores[i] = Stated
		}
		if negates(r.words, i) {
			negated = maxReach
		}
	}
}

// hedges reports whether a text is not sure of what comes from place i on.
func hedges(words []word, i int) bool {
	switch words[i].text {
	case "maybe", "possibly", "probably", "perhaps", "likely", "apparently":
		return true
	case "be", "contain", "show":
		return i > 0 && (words[i-1].text == "may" || words[i-1].text == "might" || words[i-1].text == "could")
	case "to":
		return i > 0 && (words[i-1].text == "appears" || words[i-1].text == "seems" || words[i-1].text == "appear" || words[i-1].text == "seem")
	case "like":
		return i > 0 && (words[i-1].text == "looks" || words[i-1].text == "look")
	}
	return false
}

// negates reports whether a text says that something is not there after place i.
func negates(words []word, i int) bool {
	switch words[i].text {
	case "no", "without", "isnt", "arent":
		return true
	case "not":
		return i+1 == len(words) || words[i+1].text != "only"
	}
	return false
}
