package onnx

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// A tokenizer converts a text to the token ids of a model, in four stages: it normalizes the text,
// splits it into words, splits these into pieces of the vocabulary, and adds special tokens at both
// ends. Special tokens that occur in a text are treated as text.
type tokenizer struct {
	normal []func(string) string     // applied in order
	words  []func([]string) []string // applied in order
	pieces pieces
	before []int64
	after  []int64
	pad    int64
}

// pieces splits words.
type pieces interface {
	// encode appends the ids of the pieces of a word.
	encode(to []int64, word string) []int64

	// number returns the id of a piece.
	number(piece string) (int64, bool)
}

// maxBytesPerToken limits the bytes of text that are read per token. Words are shorter.
const maxBytesPerToken = 64

// encode returns at most limit ids, including special tokens.
func (t *tokenizer) encode(text string, limit int) []int64 {
	if most := limit * maxBytesPerToken; len(text) > most {
		text = text[:most]
	}
	text = strings.ToValidUTF8(text, "\uFFFD")
	for _, f := range t.normal {
		text = f(text)
	}
	words := []string{text}
	for _, f := range t.words {
		words = f(words)
	}
	most := max(limit-len(t.after), len(t.before))
	ids := append(make([]int64, 0, limit), t.before...)
	for _, word := range words {
		if ids = t.pieces.encode(ids, word); len(ids) >= most {
			ids = ids[:most]
			break
		}
	}
	return append(ids, t.after...)
}

// readTokenizer reads the tokenizer files next to a model.
func (f folder) readTokenizer() (*tokenizer, error) {
	var file tokenizerFile
	if ok, err := f.readJSON("tokenizer.json", &file); err != nil {
		return nil, err
	} else if ok {
		t, err := file.tokenizer()
		if err != nil {
			return nil, fmt.Errorf("tokenizer.json beside %s: %w", f.model, err)
		}
		return t, nil
	}
	if text, err := f.read("vocab.txt"); err == nil {
		return f.wordPieceTokenizer(string(text))
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return f.byteTokenizer()
}

// tokenizerConfig contains the parts of tokenizer_config.json that are used if there is no
// tokenizer.json.
type tokenizerConfig struct {
	LowerCase      *bool `json:"do_lower_case"`
	AddPrefixSpace bool  `json:"add_prefix_space"`
}

// wordPieceTokenizer returns a BERT tokenizer for a vocabulary with one piece per line.
func (f folder) wordPieceTokenizer(vocabulary string) (*tokenizer, error) {
	var config tokenizerConfig
	if _, err := f.readJSON("tokenizer_config.json", &config); err != nil {
		return nil, err
	}
	w := wordPieces{numbers: make(map[string]int64), prefix: "##", longest: 100}
	number := int64(0)
	for line := range strings.Lines(vocabulary) {
		w.numbers[strings.TrimRight(line, "\r\n")] = number
		number++
	}
	unknown, ok := w.numbers["[UNK]"]
	if !ok {
		return nil, fmt.Errorf("vocab.txt beside %s has no [UNK]", f.model)
	}
	w.unknown = unknown
	lower := config.LowerCase == nil || *config.LowerCase
	t := &tokenizer{
		normal: []func(string) string{bertNormalizer(bertRules{clean: true, chinese: true, accents: lower, lower: lower})},
		words:  []func([]string) []string{bertWords},
		pieces: w,
	}
	return t, t.setSpecialTokens("[CLS]", "[SEP]", "[PAD]")
}

// byteTokenizer returns a RoBERTa tokenizer from vocab.json and merges.txt.
func (f folder) byteTokenizer() (*tokenizer, error) {
	numbers := make(map[string]int64)
	ok, err := f.readJSON("vocab.json", &numbers)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("no tokenizer beside %s; provide tokenizer.json, vocab.txt, or vocab.json and merges.txt", f.model)
	}
	text, err := f.read("merges.txt")
	if err != nil {
		return nil, err
	}
	var config tokenizerConfig
	if _, err := f.readJSON("tokenizer_config.json", &config); err != nil {
		return nil, err
	}
	var merges [][2]string
	for line := range strings.Lines(string(text)) {
		left, right, ok := strings.Cut(strings.TrimRight(line, "\r\n"), " ")
		if ok && left != "#version:" {
			merges = append(merges, [2]string{left, right})
		}
	}
	t := &tokenizer{
		words:  []func([]string) []string{byteWords(config.AddPrefixSpace, true)},
		pieces: newBytePairs(numbers, merges, "<unk>"),
	}
	return t, t.setSpecialTokens("<s>", "</s>", "<pad>")
}

// setSpecialTokens sets the tokens before and after a text, and the padding token.
func (t *tokenizer) setSpecialTokens(before, after, pad string) error {
	first, ok := t.pieces.number(before)
	last, alsoOK := t.pieces.number(after)
	if !ok || !alsoOK {
		return fmt.Errorf("the vocabulary lacks %s or %s", before, after)
	}
	t.before, t.after = []int64{first}, []int64{last}
	t.pad, _ = t.pieces.number(pad)
	return nil
}
