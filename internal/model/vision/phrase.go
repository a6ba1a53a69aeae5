package vision

import "strings"

// A phrase is the name of something, as the stems of its words.
type phrase struct {
	stems    []string
	variants []variant // none when it says nothing
}

// A variant is a class that a phrase may mean. One whose name has a qualifier, as in
// "church - indoor", is meant when a text says so.
type variant struct {
	class     Class
	qualifier string
}

// phrases are filed by their first word.
type phrases map[string][]phrase

// add adds a name for a class.
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

// exclude adds a phrase that says nothing, so that its words do not either.
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

// longest returns the longest phrase that words begin with, and false if there is none.
func (p phrases) longest(words []word) (found phrase, ok bool) {
	for _, candidate := range p[words[0].stem] {
		if len(candidate.stems) > len(found.stems) && begins(words, candidate.stems) {
			found, ok = candidate, true
		}
	}
	return found, ok
}

// begins reports whether words, not yet used and without a pause, begin with stems.
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

// choose returns the variant that a text means, and false when it does not say.
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

// usual reports whether a qualifier is what is meant when nothing is said: most
// descriptions are of what can be seen from outside.
func usual(qualifier string) bool {
	switch qualifier {
	case "", "outdoor", "exterior", "sand", "wild", "urban":
		return true
	}
	return false
}

// says reports whether a text has a qualifier, or a word for it.
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
