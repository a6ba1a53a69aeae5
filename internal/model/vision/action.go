package vision

import "strings"

// An action is a verb in its -ing form and its object, possibly with words between them: "riding a
// red bike". Names such as "yoga" are actions of one word.
type action struct {
	stems []string
	class Class
}

// maxWordsBetween is the maximum number of words between two words of an action.
const maxWordsBetween = 3

// actions maps the forms of the first word to actions.
type actions map[string][]action

// add adds a name of an action class.
func (a actions) add(name string, class Class) {
	var words []string
	for _, stem := range stems(name) {
		if !isArticle(stem) {
			words = append(words, same(stem))
		}
	}
	for _, form := range forms(words) {
		a[form] = append(a[form], action{words, class})
	}
}

// forms returns the forms of an action's first word. If it is the only word, only the -ing form is
// unambiguous, because sails, draws and smoke are also things.
func forms(words []string) []string {
	verb, ok := strings.CutSuffix(words[0], "ing")
	if !ok || len(words) == 1 || len(verb) < 2 {
		return words[:1]
	}
	all := []string{words[0], verb, verb + "e"}
	if last := len(verb) - 1; verb[last] == verb[last-1] {
		all = append(all, verb[:last])
	}
	return all
}

// same maps synonyms in the names of actions to one word.
func same(stem string) string {
	switch stem {
	case "bicycle":
		return "bike"
	case "motorbike":
		return "motorcycle"
	}
	return stem
}

// at returns the action with the most words at position i of a text, or false if there is none.
func (a actions) at(text []word, i int) (class Class, ok bool) {
	most := 0
	for _, candidate := range a[same(text[i].stem)] {
		if len(candidate.stems) > most && candidate.matches(text, i) {
			class, ok, most = candidate.class, true, len(candidate.stems)
		}
	}
	return class, ok
}

// matches reports whether a text has the action at position i.
func (a action) matches(text []word, i int) bool {
	if len(a.stems) == 1 {
		// "a drawing" and "dining table" are things.
		return !text[i].used && (i == 0 || text[i-1].text != "a" && text[i-1].text != "an")
	}
	for _, stem := range a.stems[1:] {
		if i = next(text, i, stem); i < 0 {
			return false
		}
	}
	return true
}

// next returns the position of a word shortly after position i, or -1.
func next(text []word, i int, stem string) int {
	for j := i + 1; j < len(text) && j <= i+1+maxWordsBetween && text[j].pause == space; j++ {
		if same(text[j].stem) == stem {
			return j
		}
	}
	return -1
}

// alternatives returns the names that a name with "or" stands for: "catching or throwing baseball"
// means catching baseball and throwing baseball, and "playing squash or racquetball" means playing
// squash and playing racquetball.
func alternatives(name string) []string {
	before, after, ok := strings.Cut(name, " or ")
	if !ok {
		return []string{name}
	}
	if verb, _, more := strings.Cut(before, " "); more {
		return []string{before, verb + " " + after}
	}
	_, object, _ := strings.Cut(after, " ")
	return []string{strings.TrimSpace(before + " " + object), after}
}
