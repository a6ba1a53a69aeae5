package demo

import (
	"embed"
	"fmt"
	"math/rand/v2"
	"strings"
)

// languages are the languages of posts.
var languages = strings.Fields("en de es fr pt it nl tr ja ar")

//go:embed text/*.txt
var texts embed.FS

// A grammar contains the sentences and words of one language.
type grammar struct {
	sections map[string][]template // by name, for example joy
	lists    map[string][]string   // words for a slot ([$part]), and names ([female])
	joint    string                // inserted between two sentences
}

// A template is a sentence with slots.
type template []piece

// A piece is plain text or a slot, which is filled with one of words or with a part of the subject.
type piece struct {
	text    string
	words   []string
	subject slot
}

// slot is the part of a subject that fills a piece; 0 means none.
type slot int

const (
	brandSlot slot = iota + 1
	productSlot
	modelSlot
	rivalSlot
	citySlot
)

var slots = map[string]slot{
	"brand":   brandSlot,
	"product": productSlot,
	"model":   modelSlot,
	"rival":   rivalSlot,
	"city":    citySlot,
}

// nameLists are the sections that contain names instead of sentences.
var nameLists = map[string]bool{"female": true, "male": true, "surname": true}

// A subject is what a sentence is about.
type subject struct {
	brand, model, rival, city string
}

// readGrammar reads the file of a language. It consists of sections with a name in brackets and one
// template or word per line. {name} is a slot; section [$name] lists its words.
func readGrammar(language string) (*grammar, error) {
	file, err := texts.ReadFile("text/" + language + ".txt")
	if err != nil {
		return nil, err
	}
	lines := map[string][]string{}
	section := ""
	for line := range strings.Lines(string(file)) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "["):
			section = strings.Trim(line, "[]")
		default:
			lines[section] = append(lines[section], line)
		}
	}
	return compileGrammar(language, lines)
}

func compileGrammar(language string, lines map[string][]string) (*grammar, error) {
	g := &grammar{sections: map[string][]template{}, lists: map[string][]string{}, joint: ". "}
	if language == "ja" {
		g.joint = "" // sentences in this language end with their own period
	}
	for section, all := range lines {
		if name, isSlot := strings.CutPrefix(section, "$"); isSlot || nameLists[section] {
			g.lists[name] = all
		}
	}
	for section, all := range lines {
		if strings.HasPrefix(section, "$") || nameLists[section] {
			continue
		}
		for _, line := range all {
			t, err := g.compile(line)
			if err != nil {
				return nil, fmt.Errorf("%s: [%s] %s: %w", language, section, line, err)
			}
			g.sections[section] = append(g.sections[section], t)
		}
	}
	return g, nil
}

func (g *grammar) compile(line string) (template, error) {
	var t template
	for line != "" {
		text, rest, slotted := strings.Cut(line, "{")
		if text != "" {
			t = append(t, piece{text: text})
		}
		if !slotted {
			break
		}
		name, after, closed := strings.Cut(rest, "}")
		p := piece{words: g.lists[name], subject: slots[name]}
		if !closed || len(p.words) == 0 && p.subject == 0 {
			return nil, fmt.Errorf("unknown slot {%s}", name)
		}
		t, line = append(t, p), after
	}
	return t, nil
}

// find returns the templates of a section. If there are none, it removes the part after the dot:
// chat.music falls back to chat in languages that do not distinguish interests.
func (g *grammar) find(section string) []template {
	if all := g.sections[section]; len(all) > 0 {
		return all
	}
	general, _, _ := strings.Cut(section, ".")
	return g.sections[general]
}

// say appends the sentence that t forms about a subject.
func (t template) say(b []byte, r *rand.Rand, s *subject) []byte {
	for i := range t {
		switch p := &t[i]; {
		case p.subject != 0:
			b = s.fill(b, p.subject)
		case p.words != nil:
			b = append(b, p.words[r.IntN(len(p.words))]...)
		default:
			b = append(b, p.text...)
		}
	}
	return b
}

func (s *subject) fill(b []byte, part slot) []byte {
	switch part {
	case brandSlot:
		return append(b, s.brand...)
	case modelSlot:
		return append(b, s.model...)
	case rivalSlot:
		return append(b, s.rival...)
	case citySlot:
		return append(b, s.city...)
	}
	b = append(b, s.brand...)
	b = append(b, ' ')
	return append(b, s.model...)
}
