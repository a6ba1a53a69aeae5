package train

import (
	"embed"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"path"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Labeled tweets rarely contain what makes sentiment difficult: negation, contrast, irony, idioms,
// ratings, one-word posts, factual news. The files in phrases are grammars for such texts, one or
// more per language: en-news.txt is English. A section starts with a line in brackets, and # starts
// a comment:
//
//	[$item]                    a list of words for the slot {item}
//	phone
//	{small|new} tablet         braces with bars contain the choices, which may be empty
//
//	[negation positive joy 20] kind, sentiment, emotion (- if unclear), texts per pattern
//	{Item} is not bad at all   {Item} is {item} with a capital letter
//
//go:embed phrases/*.txt
var phraseFiles embed.FS

// defaultExpansions is the number of texts that a pattern becomes, unless its section differs or it
// has fewer.
const defaultExpansions = 12

// A phrase is a text of a pattern.
type phrase struct {
	*pattern
	text string
}

// A pattern is a line in a section of labeled texts.
type pattern struct {
	language, kind     string
	sentiment, emotion string // the emotion is empty if unknown
	line               string
	expansions         int
}

// readPhrases returns the phrases of all languages as texts.
func readPhrases(s settings) []text {
	all, err := generatePhrases()
	if err != nil {
		panic(err) // the files are part of the program
	}
	texts := make([]text, len(all))
	for i, p := range all {
		texts[i] = text{set: "phrases", language: p.language, text: p.text}
		texts[i].setSentiment(p.sentiment, s.Phrases)
		if p.emotion != "" {
			texts[i].setEmotions(p.emotion, s.Phrases)
		}
	}
	return texts
}

// Phrases returns the phrases of all languages as a table of tab-separated values.
func Phrases() ([]byte, error) {
	all, err := generatePhrases()
	b := []byte("language\tkind\tlabel\tekman\ttext\n")
	for _, p := range all {
		b = fmt.Appendf(b, "%s\t%s\t%s\t%s\t%s\n", p.language, p.kind, p.sentiment, p.emotion, p.text)
	}
	return b, err
}

// generatePhrases expands the patterns of all files. The result is the same each time and has no
// duplicates.
func generatePhrases() ([]phrase, error) {
	grammars, err := readPhraseGrammars()
	if err != nil {
		return nil, err
	}
	var all []phrase
	for _, g := range grammars {
		known := map[string]bool{}
		for i := range g.patterns {
			texts, err := g.expand(&g.patterns[i])
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %w", g.language, g.patterns[i].line, err)
			}
			for _, t := range texts {
				if key := strings.ToLower(t); !known[key] {
					known[key] = true
					all = append(all, phrase{&g.patterns[i], t})
				}
			}
		}
	}
	return all, nil
}

// A phraseGrammar holds the lists and patterns of a language.
type phraseGrammar struct {
	language string
	lists    map[string][]string
	patterns []pattern
}

func readPhraseGrammars() ([]*phraseGrammar, error) {
	files, err := phraseFiles.ReadDir("phrases")
	if err != nil {
		return nil, err
	}
	var all []*phraseGrammar
	for _, file := range files { // sorted, so the files of a language are adjacent
		language, _, _ := strings.Cut(strings.TrimSuffix(file.Name(), ".txt"), "-")
		if len(all) == 0 || all[len(all)-1].language != language {
			all = append(all, &phraseGrammar{language: language, lists: map[string][]string{}})
		}
		content, err := phraseFiles.ReadFile(path.Join("phrases", file.Name()))
		if err != nil {
			return nil, err
		}
		if err := all[len(all)-1].add(string(content)); err != nil {
			return nil, fmt.Errorf("%s: %w", file.Name(), err)
		}
	}
	return all, nil
}

// add adds the sections of a file.
func (g *phraseGrammar) add(file string) error {
	var list string
	var section pattern
	for line := range strings.Lines(file) {
		line = strings.TrimSpace(line)
		header, isHeader := strings.CutPrefix(line, "[")
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case isHeader:
			header = strings.TrimSuffix(header, "]")
			name, isList := strings.CutPrefix(header, "$")
			if list = ""; isList {
				list = name
			} else if err := section.parse(header); err != nil {
				return err
			}
		case list != "":
			g.lists[list] = append(g.lists[list], line)
		default:
			section.language, section.line = g.language, line
			g.patterns = append(g.patterns, section)
		}
	}
	return nil
}

// parse reads the header of a section.
func (p *pattern) parse(header string) (err error) {
	fields := strings.Fields(header)
	if len(fields) < 3 || len(fields) > 4 {
		return fmt.Errorf("section [%s]: want kind, sentiment, emotion and optionally a number", header)
	}
	*p = pattern{kind: fields[0], sentiment: fields[1], emotion: strings.Trim(fields[2], "-"), expansions: defaultExpansions}
	if len(fields) == 4 {
		p.expansions, err = strconv.Atoi(fields[3])
	}
	return err
}

// expand returns different texts of a pattern.
func (g *phraseGrammar) expand(p *pattern) ([]string, error) {
	r := rand.New(rand.NewPCG(uint64(crc32.ChecksumIEEE([]byte(p.line))), 1))
	known := map[string]bool{}
	var texts []string
	for range 3 * p.expansions {
		filled, err := g.fill(p.line, r)
		if err != nil {
			return nil, err
		}
		if !known[filled] && len(texts) < p.expansions {
			known[filled] = true
			texts = append(texts, g.style(filled, r))
		}
	}
	return texts, nil
}

// fill replaces the slots and choices of a line, also those within their replacements.
func (g *phraseGrammar) fill(line string, r *rand.Rand) (string, error) {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(line, "{")
		b.WriteString(before)
		if !found {
			return b.String(), nil
		}
		choices, after := splitChoices(rest)
		capital := false
		if len(choices) == 1 {
			name := choices[0]
			if choices = g.lists[name]; choices == nil {
				choices, capital = g.lists[uncapitalize(name)], true
			}
			if choices == nil {
				return "", fmt.Errorf("there is no list [$%s]", name)
			}
		}
		filled, err := g.fill(choices[r.IntN(len(choices))], r)
		if err != nil {
			return "", err
		}
		if capital {
			filled = g.capitalize(filled)
		}
		b.WriteString(filled)
		line = after
	}
}

// splitChoices returns the choices up to the closing brace, and what follows it.
func splitChoices(s string) (choices []string, after string) {
	depth, start := 0, 0
	for i, c := range s {
		switch {
		case c == '{':
			depth++
		case c == '}' && depth > 0:
			depth--
		case c == '|' && depth == 0:
			choices, start = append(choices, s[start:i]), i+1
		case c == '}':
			return append(choices, s[start:i]), s[i+1:]
		}
	}
	return append(choices, s[start:]), ""
}

var vowelAfterA = regexp.MustCompile(`\b([Aa]) ([aeio])`)

// style writes a text as people do: most with a capital letter, some in lower case and without the
// final period.
func (g *phraseGrammar) style(s string, r *rand.Rand) string {
	s = strings.Join(strings.Fields(s), " ") // a choice may be empty
	if g.language == "en" {
		s = vowelAfterA.ReplaceAllString(s, "${1}n $2")
	}
	switch n := r.IntN(10); {
	case n < 3:
		return strings.TrimSuffix(g.toLower(s), ".")
	case n == 3:
		return strings.TrimSuffix(g.capitalize(s), ".")
	}
	return g.capitalize(s)
}

func (g *phraseGrammar) toLower(s string) string {
	if g.language == "tr" {
		return strings.ToLowerSpecial(unicode.TurkishCase, s)
	}
	return strings.ToLower(s)
}

func (g *phraseGrammar) capitalize(s string) string {
	c, size := utf8.DecodeRuneInString(s)
	if g.language == "tr" {
		return string(unicode.TurkishCase.ToUpper(c)) + s[size:]
	}
	return string(unicode.ToUpper(c)) + s[size:]
}

func uncapitalize(s string) string {
	c, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToLower(c)) + s[size:]
}
