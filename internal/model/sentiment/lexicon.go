package sentiment

import "earshot/internal/model/classify"

// A Lexicon tells what single words, emoji and emoticons say in a language, as people
// have rated them, and which words turn or strengthen others.
type Lexicon struct{ table *classify.Table }

// An Entry is what a lexicon has of a word.
type Entry struct {
	Valence  float32 // from VADER for English, from AFINN for others, from rankings for emoji
	Second   float32 // from AFINN for all
	Strength float32 // what it adds to a word that follows
	Negates  float32 // 1 when it turns words that follow
}

// OpenLexicon returns the lexicon that EncodeLexicon made.
func OpenLexicon(data []byte) (*Lexicon, error) {
	table, err := classify.OpenTable(data)
	return &Lexicon{table}, err
}

// EncodeLexicon writes entries under their keys.
func EncodeLexicon(keys []uint64, entries []Entry) []byte {
	rows := make([][]float32, len(entries))
	for i, e := range entries {
		rows[i] = []float32{e.Valence, e.Second, e.Strength, e.Negates}
	}
	return classify.EncodeTable(keys, rows, 1000)
}

// Key returns where a word or phrase of a language stands. Emoji and emoticons stand
// under the language "".
func Key(language string, tokens []classify.Token) uint64 {
	h := tokens[0].Hash
	for _, tok := range tokens[1:] {
		h = classify.Mix(h, tok.Hash)
	}
	return classify.Mix(classify.Hash(language), h)
}

func (l *Lexicon) find(key uint64) (Entry, bool) {
	row := l.table.Row(key)
	if row == nil {
		return Entry{}, false
	}
	s := l.table.Scales
	return Entry{
		Valence:  float32(int8(row[0])) * s[0],
		Second:   float32(int8(row[1])) * s[1],
		Strength: float32(int8(row[2])) * s[2],
		Negates:  float32(int8(row[3])) * s[3],
	}, true
}

// LongestTerm is how many letters a term has, at most, in languages without spaces. The
// beginnings of its terms are in the lexicon too, as empty entries.
const LongestTerm = 8

// Spaced says whether a language puts spaces between words.
func Spaced(language string) bool { return language != "zh" && language != "ja" && language != "th" }

// entry returns what the lexicon has of the token at i. In a language without spaces
// that is the longest word that begins there.
func (l *Lexicon) entry(tokens []classify.Token, i int, language uint64, spaced bool) (Entry, bool) {
	h := tokens[i].Hash
	if kind := tokens[i].Kind; kind == classify.Emoji || kind == classify.Emoticon {
		return l.find(classify.Mix(noLanguage, h))
	}
	best, found := l.find(classify.Mix(language, h))
	if spaced {
		return best, found
	}
	for j := i + 1; j < len(tokens) && j < i+LongestTerm; j++ {
		h = classify.Mix(h, tokens[j].Hash)
		e, ok := l.find(classify.Mix(language, h))
		if !ok {
			break // no term begins like this
		}
		if e != (Entry{}) {
			best, found = e, true
		}
	}
	return best, found
}

// warm does for the entries of tokens what Table.Warm does.
func (l *Lexicon) warm(keys []uint64, tokens []classify.Token, language string) ([]uint64, byte) {
	seed := classify.Hash(language)
	for _, tok := range tokens {
		keys = append(keys, classify.Mix(seed, tok.Hash))
	}
	return keys, l.table.Prefetch(keys)
}

var noLanguage = classify.Hash("")
