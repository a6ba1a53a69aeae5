package vision

import (
	"slices"
	"strconv"

	"earshot"
)

// Scores of what alt text says: for plain statements, and for statements that the text itself
// hedges ("may be an image of a dog").
const (
	Stated = 0.9
	Hedged = 0.6
)

// Alt returns what English alt text says an image shows: objects, scenes and actions, and brands,
// without duplicates and in the order of the text. It omits what the text says is absent. An object
// with a parent follows it: "a poodle" is a dog and a poodle.
func (m *Model) Alt(text string) (objects []earshot.ImageObject, brands []earshot.ImageBrand) {
	r := matcher{words: split(text)}
	r.score()
	for i := range r.words {
		m.matchBrand(&r, i)
	}
	for i := range r.words {
		m.matchThing(&r, i)
	}
	for i := range r.words {
		if class, ok := m.actions.at(r.words, i); ok {
			r.addMatch(class, i)
		}
	}
	slices.SortStableFunc(r.matches, func(a, b match) int { return a.position - b.position })
	for _, s := range r.matches {
		if s.class.Type == Logo {
			brands = append(brands, earshot.ImageBrand{ID: strconv.FormatInt(s.class.ID, 10), Name: s.class.Name, Score: s.score})
		} else {
			objects = append(objects, earshot.ImageObject{Score: s.score, ClassID: s.class.ID, ClassName: s.class.Name})
		}
	}
	return objects, brands
}

func (m *Model) matchBrand(r *matcher, i int) {
	if r.words[i].used {
		return
	}
	if b, length := m.brandAt(r.words, i); length > 0 {
		r.use(i, length)
		r.addMatch(b.Class, i)
	}
}

func (m *Model) matchThing(r *matcher, i int) {
	if r.words[i].used {
		return
	}
	p, ok := m.things.longest(r.words[i:])
	if !ok || isColor(r.words, i) {
		return
	}
	r.use(i, len(p.stems))
	if class, ok := p.choose(r.words); ok {
		if parent, ok := m.Parent(class.ID); ok {
			r.addMatch(parent, i)
		}
		r.addMatch(class, i)
	}
}

// isColor reports whether the word at position i is a color and not the fruit.
func isColor(words []word, i int) bool {
	if words[i].text != "orange" {
		return false
	}
	last := i+1 == len(words) || words[i+1].pause != space || isArticle(words[i+1].text) || words[i+1].text == "and"
	return !last || i == 0 || words[i-1].text != "an" && words[i-1].text != "the" && words[i-1].text != "one"
}

// A matcher holds the state of matching alt text.
type matcher struct {
	words   []word
	scores  []float64 // score of each word; 0 where the text negates it
	matches []match
}

// A match is a class that a text mentions, with its position.
type match struct {
	class    Class
	position int
	score    float64
}

func (r *matcher) use(i, length int) {
	for j := i; j < i+length; j++ {
		r.words[j].used = true
	}
}

// addMatch adds the class that the word at position i indicates. If a class is mentioned twice, the
// higher score wins.
func (r *matcher) addMatch(class Class, i int) {
	if r.scores[i] == 0 {
		return
	}
	for j := range r.matches {
		if r.matches[j].class == class {
			r.matches[j].score = max(r.matches[j].score, r.scores[i])
			return
		}
	}
	r.matches = append(r.matches, match{class, i, r.scores[i]})
}
