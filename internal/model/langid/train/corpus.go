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
	script    string
	languages []string // codes as in the data, sorted
	texts     []texts  // by language
}

// texts are the texts of a language.
type texts struct {
	sentences  []string
	pairs      []string // word pairs
	lines      []string // spoken lines from movies
	terms      []string // from word lists
	vocabulary []string // all words that are long enough to be informative, sorted
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

// readCorpora reads all texts in the data folder that have a language label.
func readCorpora(data string) (map[string]*corpus, error) {
	all := corpora{}
	sources := []struct {
		file string
		add  func(row []string)
	}{
		{"langid/langid_train.tsv.gz", all.addLabeled},
		{"emotion/xed_train.tsv.gz", all.addLine},
		{"sentiment/umsab_train.tsv.gz", all.addPost},
		{"lexicons/afinn_multilang.tsv.gz", all.addTerm},
		{"lexicons/stopwords.tsv.gz", all.addTerm},
	}
	for _, s := range sources {
		if err := readRows(filepath.Join(data, filepath.FromSlash(s.file)), s.add); err != nil {
			return nil, err
		}
	}
	if err := readPosts(filepath.Join(data, "posts", "twitter_posts.jsonl.gz"), all.addKnown); err != nil {
		return nil, err
	}
	byScript := map[string]*corpus{}
	for script, languages := range all {
		byScript[script] = newCorpus(script, languages)
	}
	return byScript, nil
}

// find returns the texts of a language in the script of text, or nil if text has no n-grams, which
// is the case for scripts of a single language.
func (all corpora) find(language, text string) *texts {
	if same, ok := sameAs[language]; ok {
		language = same
	}
	script, grams := langid.NGrams(text)
	if len(grams) == 0 {
		return nil
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

// addPost adds a row of id, language, label and text.
func (all corpora) addPost(row []string) {
	all.addKnown(row[1], row[3])
}

// addKnown adds a post if its language uses the script, because labels of posts are not always
// correct.
func (all corpora) addKnown(language, text string) {
	t := all.find(language, text)
	if t != nil && len(t.sentences) >= minTexts {
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
func newCorpus(script string, languages map[string]*texts) *corpus {
	c := &corpus{script: script}
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
		c.texts = append(c.texts, *t)
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

// collectWords returns the distinct words of all texts, sorted.
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
