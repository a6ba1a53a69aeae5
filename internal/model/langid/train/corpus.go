package train

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"earshot/internal/model/langid"
)

// A corpus holds the texts of one script, by language.
type corpus struct {
	languages []string // codes as in the data, sorted
	texts     []*texts // by language
}

// texts are the texts of a language.
type texts struct {
	sentences  []string
	pairs      []string // word pairs
	lines      []string // spoken lines from movies
	posts      []string // posts and reviews; some are in other languages
	terms      []string // from word lists
	vocabulary []string // all words that are long enough to be informative, sorted
	shares     []share  // n-grams inside words
}

const (
	minTexts       = 60 // a language with fewer texts in a script does not use the script
	minWordLetters = 4  // minimum length for the vocabulary; shorter words exist in many languages
)

// sameAs merges languages that need not be distinguished, because a table has room for only 48.
var sameAs = map[string]string{"xh": "zu", "tn": "st"}

// serbian repairs lines in Latin script that were decoded with a Western European encoding.
var serbian = strings.NewReplacer("æ", "ć", "Æ", "Ć", "è", "č", "È", "Č", "ð", "đ", "Ð", "Đ")

// corpora collects texts by script and language.
type corpora map[string]map[string]*texts

// readCorpora reads all texts in the data folder that have a language label. If open is set, it
// skips texts without a clear license.
func readCorpora(data string, open bool) (corpora, error) {
	all := corpora{}
	if err := readRows(filepath.Join(data, "langid", "langid_train.tsv.gz"), all.addLabeled); err != nil {
		return nil, err
	}
	if err := readRows(filepath.Join(data, "emotion", "xed_train.tsv.gz"), all.addLine); err != nil {
		return nil, err
	}
	if err := all.addPosts(data, open); err != nil {
		return nil, err
	}
	for _, name := range []string{"afinn_multilang.tsv.gz", "stopwords.tsv.gz"} {
		if err := readRows(filepath.Join(data, "lexicons", name), all.addTerm); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// find returns the texts of a language in the script of text, or nil if text has no n-grams, which
// is the case for scripts of a single language.
func (all corpora) find(language, text string) *texts {
	script, words := langid.NGrams(text)
	if len(words) == 0 {
		return nil
	}
	return all.get(script, language)
}

func (all corpora) get(script, language string) *texts {
	if same, ok := sameAs[language]; ok {
		language = same
	}
	if all[script] == nil {
		all[script] = map[string]*texts{}
	}
	if all[script][language] == nil {
		all[script][language] = new(texts)
	}
	return all[script][language]
}

// addLabeled adds a row of language, kind, origin and text.
func (all corpora) addLabeled(row []string) {
	t := all.find(row[0], row[3])
	switch {
	case t == nil:
	case row[1] == "sentence":
		t.sentences = append(t.sentences, row[3])
	default:
		t.pairs = append(t.pairs, row[3])
	}
}

// addLine adds a row of language, origin, two labels and text.
func (all corpora) addLine(row []string) {
	language, text := row[0], row[4]
	if language == "sr" {
		text = serbian.Replace(text)
	}
	if t := all.find(language, text); t != nil {
		t.lines = append(t.lines, text)
	}
}

// addTerm adds a row of language and term.
func (all corpora) addTerm(row []string) {
	if t := all.find(row[0], row[1]); t != nil {
		t.terms = append(t.terms, row[1])
	}
}

// newCorpus returns a corpus with the languages that use the script, in alphabetical order.
func newCorpus(languages map[string]*texts) *corpus {
	c := new(corpus)
	english := languages["en"].termSet()
	for _, language := range slices.Sorted(maps.Keys(languages)) {
		t := languages[language]
		if len(t.sentences)+len(t.pairs)+len(t.lines) < minTexts {
			continue
		}
		if language != "en" { // the lists were translated, and some terms were left in English
			t.terms = slices.DeleteFunc(t.terms, func(term string) bool { return english[strings.ToLower(term)] })
		}
		t.vocabulary = t.collectWords()
		c.languages = append(c.languages, language)
		c.texts = append(c.texts, t)
	}
	return c
}

// termSet returns the terms of the lists in lower case.
func (t *texts) termSet() map[string]bool {
	set := map[string]bool{}
	if t != nil {
		for _, term := range t.terms {
			set[strings.ToLower(term)] = true
		}
	}
	return set
}

// collectWords returns the distinct words of all texts except posts, sorted.
func (t *texts) collectWords() []string {
	words := map[string]bool{}
	for _, list := range [][]string{t.sentences, t.pairs, t.lines, t.terms} {
		for _, text := range list {
			for _, word := range strings.FieldsFunc(strings.ToLower(text), notInWord) {
				if utf8.RuneCountInString(word) >= minWordLetters {
					words[word] = true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(words))
}

func notInWord(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }
