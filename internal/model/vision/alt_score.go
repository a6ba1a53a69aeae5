package vision

// maxReach is the number of words after a negation that it applies to.
const maxReach = 4

// score computes the score of each word. A hedge applies to the end of the sentence. A negation
// applies up to a pause or a "but", and to at most maxReach words.
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

// hedges reports whether a text is uncertain about what follows position i.
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

// negates reports whether the word at position i says that something is absent.
func negates(words []word, i int) bool {
	switch words[i].text {
	case "no", "without", "isnt", "arent":
		return true
	case "not":
		return i+1 == len(words) || words[i+1].text != "only"
	}
	return false
}
