package onnx

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

// A modelStage is the part of tokenizer.json that contains the vocabulary.
type modelStage struct {
	Type       string          `json:"type"`
	Vocab      json.RawMessage `json:"vocab"`
	Unknown    string          `json:"unk_token"`
	UnknownID  int64           `json:"unk_id"` // Unigram
	Prefix     *string         `json:"continuing_subword_prefix"`
	Suffix     string          `json:"end_of_word_suffix"`
	Longest    int             `json:"max_input_chars_per_word"`
	Merges     json.RawMessage `json:"merges"`
	ByteBackup bool            `json:"byte_fallback"`
}

func (m *modelStage) pieces() (pieces, error) {
	if m.Type == "Unigram" {
		return m.unigrams()
	}
	numbers := make(map[string]int64)
	if err := json.Unmarshal(m.Vocab, &numbers); err != nil {
		return nil, fmt.Errorf("vocabulary: %w", err)
	}
	switch m.Type {
	case "WordPiece":
		unknown, ok := numbers[m.Unknown]
		if !ok {
			return nil, fmt.Errorf("the vocabulary has no unknown token %q", m.Unknown)
		}
		w := wordPieces{numbers: numbers, unknown: unknown, prefix: "##", longest: 100}
		if m.Prefix != nil {
			w.prefix = *m.Prefix
		}
		if m.Longest > 0 {
			w.longest = min(m.Longest, 200)
		}
		return w, nil
	case "BPE":
		if m.Suffix != "" || m.Prefix != nil && *m.Prefix != "" || m.ByteBackup {
			return nil, errors.New("not supported: BPE with subword prefixes, suffixes or byte fallback")
		}
		merges, err := readMerges(m.Merges)
		if err != nil {
			return nil, err
		}
		return newBytePairs(numbers, merges, m.Unknown), nil
	}
	return nil, fmt.Errorf("not supported: tokenizer model %q", m.Type)
}

// readMerges reads pairs, which older files store as one string with a space.
func readMerges(data json.RawMessage) ([][2]string, error) {
	var pairs [][2]string
	if err := json.Unmarshal(data, &pairs); err == nil {
		return pairs, nil
	}
	var texts []string
	if err := json.Unmarshal(data, &texts); err != nil {
		return nil, fmt.Errorf("merges: %w", err)
	}
	pairs = nil
	for _, text := range texts {
		left, right, _ := strings.Cut(text, " ")
		pairs = append(pairs, [2]string{left, right})
	}
	return pairs, nil
}

// wordPieces splits a word into the longest known pieces, from left to right. A word that cannot be
// split this way is unknown as a whole.
type wordPieces struct {
	numbers map[string]int64
	unknown int64
	prefix  string // of pieces that do not start a word
	longest int    // maximum number of characters in a word
}

func (w wordPieces) number(piece string) (int64, bool) {
	id, ok := w.numbers[piece]
	return id, ok
}

func (w wordPieces) encode(to []int64, word string) []int64 {
	if utf8.RuneCountInString(word) > w.longest {
		return append(to, w.unknown)
	}
	before, prefix := len(to), ""
	for word != "" {
		id, n := w.first(prefix, word)
		if n == 0 {
			return append(to[:before], w.unknown)
		}
		to = append(to, id)
		word, prefix = word[n:], w.prefix
	}
	return to
}

// first returns the longest piece at the start of a word, and its length in the word.
func (w wordPieces) first(prefix, word string) (id int64, n int) {
	for n = len(word); n > 0; {
		if id, ok := w.numbers[prefix+word[:n]]; ok {
			return id, n
		}
		_, last := utf8.DecodeLastRuneInString(word[:n])
		n -= last
	}
	return 0, 0
}

// bytePairs holds the pieces and merges of byte-pair encoding.
type bytePairs struct {
	numbers map[string]int64
	ranks   map[[2]string]int
	unknown int64 // -1 if there is none
}

func newBytePairs(numbers map[string]int64, merges [][2]string, unknown string) *bytePairs {
	p := &bytePairs{numbers: numbers, ranks: make(map[[2]string]int, len(merges)), unknown: -1}
	for i, merge := range merges {
		if _, ok := p.ranks[merge]; !ok {
			p.ranks[merge] = i
		}
	}
	if id, ok := numbers[unknown]; ok {
		p.unknown = id
	}
	return p
}

func (p *bytePairs) number(piece string) (int64, bool) {
	id, ok := p.numbers[piece]
	return id, ok
}

// maxWordBytes is the maximum number of bytes that are merged together, because the work is
// quadratic. Longer words are split.
const maxWordBytes = 256

func (p *bytePairs) encode(to []int64, word string) []int64 {
	for word != "" {
		n := min(len(word), maxWordBytes)
		for n < len(word) && !utf8.RuneStart(word[n]) {
			n--
		}
		to = p.merge(to, word[:n])
		word = word[n:]
	}
	return to
}

func (p *bytePairs) merge(to []int64, word string) []int64 {
	if id, ok := p.numbers[word]; ok {
		return append(to, id)
	}
	parts := strings.Split(word, "")
	for len(parts) > 1 {
		at, best := 0, math.MaxInt
		for i := range len(parts) - 1 {
			if rank, ok := p.ranks[[2]string{parts[i], parts[i+1]}]; ok && rank < best {
				at, best = i, rank
			}
		}
		if best == math.MaxInt {
			break
		}
		parts = p.join(parts, at)
	}
	for _, part := range parts {
		if id, ok := p.numbers[part]; ok {
			to = append(to, id)
		} else if p.unknown >= 0 {
			to = append(to, p.unknown)
		}
	}
	return to
}

// join merges every occurrence of the pair at the given position.
func (p *bytePairs) join(parts []string, at int) []string {
	left, right := parts[at], parts[at+1]
	joined := parts[:0]
	for i := 0; i < len(parts); i++ {
		if i+1 < len(parts) && parts[i] == left && parts[i+1] == right {
			joined = append(joined, left+right)
			i++
		} else {
			joined = append(joined, parts[i])
		}
	}
	return joined
}
