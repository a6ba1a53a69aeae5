package train

import (
	"fmt"
	"strings"

	"earshot/internal/model/interest"
)

// A section is the part of the list about one interest.
type section struct {
	line    int
	group   string
	name    string
	numbers []string // taxonomy ids
	terms   []term
}

type term struct {
	strength  interest.Strength
	spellings []string
}

// nothing is the name of sections whose phrases indicate nothing.
const nothing = "-"

// kinds are the kinds of lines in a section: the strength of their terms, the separator between
// terms, and the sigil that the terms omit.
var kinds = map[string]struct {
	strength  interest.Strength
	separator string
	sigil     string
}{
	"words":    {interest.Strong, ",", ""},
	"weak":     {interest.Weak, ",", ""},
	"bio":      {interest.Bio, ",", ""},
	"es":       {interest.Strong, ",", ""},
	"pt":       {interest.Strong, ",", ""},
	"fr":       {interest.Strong, ",", ""},
	"de":       {interest.Strong, ",", ""},
	"it":       {interest.Strong, ",", ""},
	"ru":       {interest.Strong, ",", ""},
	"tags":     {interest.Strong, " ", "#"},
	"accounts": {interest.Strong, " ", "@"},
	"stocks":   {interest.Strong, " ", "$"},
}

// parse parses the list. interests.txt describes the format.
func parse(source string) ([]section, error) {
	var sections []section
	group := ""
	for i, line := range strings.Split(source, "\n") {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#':
		case strings.HasPrefix(line, "== "):
			group = line[len("== "):]
		case line[0] == '[':
			name, numbers, ok := strings.Cut(line[1:], "]")
			if !ok {
				return nil, fmt.Errorf("line %d: missing ] after the name", i+1)
			}
			sections = append(sections, section{line: i + 1, group: group, name: name, numbers: strings.FieldsFunc(numbers, isSpaceOrComma)})
		case len(sections) == 0:
			return nil, fmt.Errorf("line %d: terms before the first section", i+1)
		default:
			terms, err := parseTerms(line, sections[len(sections)-1].name)
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", i+1, err)
			}
			last := &sections[len(sections)-1]
			last.terms = append(last.terms, terms...)
		}
	}
	return sections, nil
}

func isSpaceOrComma(r rune) bool { return r == ' ' || r == ',' }

// parseTerms parses a line of terms.
func parseTerms(line, name string) ([]term, error) {
	word, rest, _ := strings.Cut(line, ":")
	kind, ok := kinds[word]
	if !ok {
		return nil, fmt.Errorf("unknown kind of terms %q", word)
	}
	var terms []term
	for text := range strings.SplitSeq(rest, kind.separator) {
		text = strings.TrimSpace(text)
		if text == "" {
			continue
		}
		t := term{strength: kind.strength}
		for spelling := range strings.SplitSeq(text, "|") {
			t.spellings = append(t.spellings, spell(kind.sigil+strings.TrimSpace(spelling))...)
		}
		if name != nothing {
			t.spellings = append(t.spellings, joined(t.spellings)...)
		}
		terms = append(terms, t)
	}
	return terms, nil
}
