package vision

import "strings"

// A phrase is a name of a class, as the stems of its words.
type phrase struct {
	stems    []string
	variants []variant // empty if the phrase indicates nothing
}

// A variant is a class that a phrase may mean. A variant with a qualifier, as in "church - indoor",
// is meant if the text mentions the qualifier.
type variant struct {
	class     Class
	qualifier string
}

// phrases maps first words to phrases.
type phrases map[string][]phrase

// add adds a name of a class.
func (p phrases) add(name string, v variant) {
	stems := stems(name)
	list := p[stems[0]]
	for i := range list {
		if strings.Join(list[i].stems, " ") == strings.Join(stems, " ") {
			list[i].variants = append(list[i].variants, v)
			return
		}
	}
	p[stems[0]] = append(list, phrase{stems, []variant{v}})
}

// exclude adds a phrase that indicates nothing, so that its words do not match either.
func (p phrases) exclude(name string) {
	stems := stems(name)
	p[stems[0]] = append(p[stems[0]], phrase{stems: stems})
}

func stems(name string) []string {
	var stems []string
	for _, w := range split(name) {
		stems = append(stems, w.stem)
	}
	return stems
}

// longest returns the longest phrase at the start of words, or false if there is none.
func (p phrases) longest(words []word) (found phrase, ok bool) {
	for _, candidate := range p[words[0].stem] {
		if len(candidate.stems) > len(found.stems) && begins(words, candidate.stems) {
			found, ok = candidate, true
		}
	}
	return found, ok
}

// begins reports whether words start with stems, without used words or pauses.
func begins(words []word, stems []string) bool {
	if len(words) < len(stems) {
		return false
	}
	for i, stem := range stems {
		if words[i].stem != stem || words[i].used || i > 0 && words[i].pause != space {
			return false
		}
	}
	return true
}

// choose returns the variant that a text means, or false if it is ambiguous.
func (p phrase) choose(text []word) (Class, bool) {
	for _, v := range p.variants {
		if v.qualifier != "" && says(text, v.qualifier) {
			return v.class, true
		}
	}
	for _, v := range p.variants {
		if len(p.variants) == 1 || usual(v.qualifier) {
			return v.class, true
		}
	}
	return Class{}, false
}

// usual reports whether a qualifier is implied when a text mentions none. Most descriptions are of
// what is visible from outside.
func usual(qualifier string) bool {
	switch qualifier {
	case "", "outdoor", "exterior", "sand", "wild", "urban":
		return true
	}
	return false
}

// says reports whether a text contains a qualifier or a synonym of it.
func says(text []word, qualifier string) bool {
	for _, w := range text {
		switch {
		case w.text == qualifier:
			return true
		case qualifier == "indoor" || qualifier == "interior":
			if w.text == "inside" || w.text == "indoors" || w.text == "indoor" || w.text == "interior" {
				return true
			}
		}
	}
	return false
}
