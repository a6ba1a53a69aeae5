package sentiment

import "earshot/internal/model/classify"

// A Lexicon contains human ratings of words, emoji and emoticons, and the words that negate or
// strengthen others.
type Lexicon struct{ table *classify.Table }

// An Entry is the lexicon entry of a word.
type Entry struct {
	Valence  float32 // VADER for English, AFINN for other languages, rankings for emoji
	AFINN    float32 // AFINN rating
	Strength float32 // added to the rating of the next word
	Negates  float32 // 1 if it negates the following words
	Contrast float32 // 1 if what follows counts more, as after "but"; -1 if it counts less, as after "although"
}

// OpenLexicon decodes a lexicon encoded by [EncodeLexicon].
func OpenLexicon(data []byte) (*Lexicon, error) {
	table, err := classify.OpenTable(data)
	return &Lexicon{table}, err
}

// EncodeLexicon encodes entries with their keys.
func EncodeLexicon(keys []uint64, entries []Entry) []byte {
	rows := make([][]float32, len(entries))
	for i, e := range entries {
		rows[i] = []float32{e.Valence, e.AFINN, e.Strength, e.Negates, e.Contrast}
	}
	return classify.EncodeTable(keys, rows, 1000)
}

// Key returns the key of a word or phrase in a language. Signs have the language "".
func Key(language string, tokens []classify.Token) uint64 {
	h := tokens[0].Hash
	for _, tok := range tokens[1:] {
		h = classify.Mix(h, tok.Hash)
	}
	return classify.Mix(classify.Hash(language), h)
}

// IsSign reports whether tokens of a kind mean the same in all languages.
func IsSign(kind classify.Kind) bool {
	return kind == classify.Emoji || kind == classify.Emoticon || kind == classify.Rating
}

func (l *Lexicon) find(key uint64) (Entry, bool) {
	row := l.table.Row(key)
	if row == nil {
		return Entry{}, false
	}
	s := l.table.Scales
	return Entry{
		Valence:  float32(int8(row[0])) * s[0],
		AFINN:    float32(int8(row[1])) * s[1],
		Strength: float32(int8(row[2])) * s[2],
		Negates:  float32(int8(row[3])) * s[3],
		Contrast: float32(int8(row[4])) * s[4],
	}, true
}

// MaxTermLetters is the maximum length of a term in languages without spaces. The lexicon also
// contains the prefixes of terms, as empty entries.
const MaxTermLetters = 8

// HasSpaces reports whether a language separates words with spaces.
func HasSpaces(language string) bool { return language != "zh" && language != "ja" && language != "th" }

// lookup returns the entry of the token at i. In a language without spaces, it is the longest term
// that starts there.
func (l *Lexicon) lookup(tokens []classify.Token, i int, language uint64, spaced bool) (Entry, bool) {
	h := tokens[i].Hash
	if IsSign(tokens[i].Kind) {
		return l.find(classify.Mix(noLanguage, h))
	}
	best, found := l.find(classify.Mix(language, h))
	if spaced {
		return best, found
	}
	for j := i + 1; j < len(tokens) && j < i+MaxTermLetters; j++ {
		h = classify.Mix(h, tokens[j].Hash)
		e, ok := l.find(classify.Mix(language, h))
		if !ok {
			break // no term starts like this
		}
		if e != (Entry{}) {
			best, found = e, true
		}
	}
	return best, found
}

// prefetch prefetches the entries of tokens, as [classify.Table.Prefetch] does. It returns keys
// with the tokens' keys appended.
func (l *Lexicon) prefetch(keys []uint64, tokens []classify.Token, language string) ([]uint64, byte) {
	seed := classify.Hash(language)
	for _, tok := range tokens {
		keys = append(keys, classify.Mix(seed, tok.Hash))
	}
	return keys, l.table.Prefetch(keys)
}

var noLanguage = classify.Hash("")
