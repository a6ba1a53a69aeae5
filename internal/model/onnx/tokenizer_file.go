package onnx

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// A tokenizerFile contains the parts of tokenizer.json that are used.
type tokenizerFile struct {
	Normalizer    *stage     `json:"normalizer"`
	PreTokenizer  *stage     `json:"pre_tokenizer"`
	PostProcessor *stage     `json:"post_processor"`
	Model         modelStage `json:"model"`
	Added         []struct {
		ID      int64  `json:"id"`
		Content string `json:"content"`
	} `json:"added_tokens"`
}

// A stage is a normalizer, a pre-tokenizer or a post-processor. Its type determines which of the
// other fields apply.
type stage struct {
	Type string `json:"type"`

	Normalizers   []stage `json:"normalizers"`   // Sequence
	PreTokenizers []stage `json:"pretokenizers"` // Sequence
	Processors    []stage `json:"processors"`    // Sequence

	CleanText    *bool `json:"clean_text"` // BertNormalizer
	ChineseChars *bool `json:"handle_chinese_chars"`
	StripAccents *bool `json:"strip_accents"`
	Lowercase    *bool `json:"lowercase"`

	Pattern struct { // Replace
		Text string `json:"String"`
	} `json:"pattern"`
	Content json.RawMessage `json:"content"`
	Prepend string          `json:"prepend"`

	AddPrefixSpace *bool  `json:"add_prefix_space"` // ByteLevel, Metaspace
	UseRegex       *bool  `json:"use_regex"`
	Replacement    string `json:"replacement"`
	PrependScheme  string `json:"prepend_scheme"`

	Cls    json.RawMessage        `json:"cls"` // BertProcessing, RobertaProcessing
	Sep    json.RawMessage        `json:"sep"`
	Single []map[string]templated `json:"single"` // TemplateProcessing
}

// A templated is an element of a template: a special token or the text.
type templated struct {
	ID string `json:"id"`
}

// tokenizer builds the tokenizer that the file describes.
func (f *tokenizerFile) tokenizer() (*tokenizer, error) {
	t := &tokenizer{}
	var err error
	if t.pieces, err = f.Model.pieces(); err != nil {
		return nil, err
	}
	if err := t.addNormalizer(f.Normalizer); err != nil {
		return nil, err
	}
	if err := t.addWords(f.PreTokenizer); err != nil {
		return nil, err
	}
	if err := t.addSpecialTokens(f.PostProcessor, f.specialTokenID(t.pieces)); err != nil {
		return nil, err
	}
	for _, pad := range []string{"[PAD]", "<pad>"} {
		if id, ok := f.specialTokenID(t.pieces)(pad); ok {
			t.pad = id
		}
	}
	return t, nil
}

// specialTokenID returns a function that finds the id of a special token, which may be missing from
// the vocabulary.
func (f *tokenizerFile) specialTokenID(p pieces) func(string) (int64, bool) {
	return func(mark string) (int64, bool) {
		for _, added := range f.Added {
			if added.Content == mark {
				return added.ID, true
			}
		}
		return p.number(mark)
	}
}

func orTrue(b *bool) bool { return b == nil || *b }

func (t *tokenizer) addNormalizer(s *stage) error {
	if s == nil {
		return nil
	}
	var f func(string) string
	switch s.Type {
	case "Sequence":
		for i := range s.Normalizers {
			if err := t.addNormalizer(&s.Normalizers[i]); err != nil {
				return err
			}
		}
		return nil
	case "BertNormalizer":
		lower := orTrue(s.Lowercase)
		accents := lower
		if s.StripAccents != nil {
			accents = *s.StripAccents
		}
		f = bertNormalizer(bertRules{clean: orTrue(s.CleanText), chinese: orTrue(s.ChineseChars), accents: accents, lower: lower})
	case "Lowercase":
		f = strings.ToLower
	case "NFC":
		f = norm.NFC.String
	case "NFD":
		f = norm.NFD.String
	case "NFKC":
		f = norm.NFKC.String
	case "NFKD":
		f = norm.NFKD.String
	case "StripAccents":
		f = stripAccents
	case "Strip":
		f = strings.TrimSpace
	case "Precompiled":
		f = normalizeSentencePiece
	case "Prepend":
		f = func(text string) string { return s.Prepend + text }
	case "Replace":
		return t.addReplace(s)
	default:
		return fmt.Errorf("not supported: normalizer %s", s.Type)
	}
	t.normal = append(t.normal, f)
	return nil
}

// addReplace adds a normalizer that replaces a fixed text. The only supported pattern is the one
// that collapses spaces.
func (t *tokenizer) addReplace(s *stage) error {
	var content string
	if err := json.Unmarshal(s.Content, &content); err != nil {
		return err
	}
	if s.Pattern.Text == "" {
		if content != " " {
			return errors.New("not supported: normalizer Replace with a pattern")
		}
		t.normal = append(t.normal, collapseSpaces)
		return nil
	}
	t.normal = append(t.normal, func(text string) string { return strings.ReplaceAll(text, s.Pattern.Text, content) })
	return nil
}

func (t *tokenizer) addWords(s *stage) error {
	if s == nil {
		return nil
	}
	var f func([]string) []string
	switch s.Type {
	case "Sequence":
		for i := range s.PreTokenizers {
			if err := t.addWords(&s.PreTokenizers[i]); err != nil {
				return err
			}
		}
		return nil
	case "BertPreTokenizer":
		f = bertWords
	case "WhitespaceSplit":
		f = fields
	case "ByteLevel":
		f = byteWords(orTrue(s.AddPrefixSpace), orTrue(s.UseRegex))
	case "Metaspace":
		scheme := s.PrependScheme
		if scheme == "" && s.AddPrefixSpace != nil && !*s.AddPrefixSpace {
			scheme = "never"
		}
		f = metaspaceWords(s.Replacement, scheme)
	default:
		return fmt.Errorf("not supported: pre-tokenizer %s", s.Type)
	}
	t.words = append(t.words, f)
	return nil
}

// addSpecialTokens adds the special tokens of a post-processor.
func (t *tokenizer) addSpecialTokens(s *stage, number func(string) (int64, bool)) error {
	if s == nil {
		return nil
	}
	switch s.Type {
	case "Sequence":
		for i := range s.Processors {
			if err := t.addSpecialTokens(&s.Processors[i], number); err != nil {
				return err
			}
		}
	case "ByteLevel": // affects only the offsets of tokens
	case "BertProcessing", "RobertaProcessing":
		for _, mark := range []struct {
			json json.RawMessage
			to   *[]int64
		}{{s.Cls, &t.before}, {s.Sep, &t.after}} {
			var pair [2]any // the special token and its id
			if err := json.Unmarshal(mark.json, &pair); err != nil {
				return err
			}
			id, ok := pair[1].(float64)
			if !ok {
				return fmt.Errorf("invalid special token %s", mark.json)
			}
			*mark.to = []int64{int64(id)}
		}
	case "TemplateProcessing":
		return t.addTemplate(s.Single, number)
	default:
		return fmt.Errorf("not supported: post-processor %s", s.Type)
	}
	return nil
}

// addTemplate adds the special tokens of a template, before and after the text.
func (t *tokenizer) addTemplate(template []map[string]templated, number func(string) (int64, bool)) error {
	to := &t.before
	for _, place := range template {
		if _, ok := place["Sequence"]; ok {
			to = &t.after
			continue
		}
		id, ok := number(place["SpecialToken"].ID)
		if !ok {
			return fmt.Errorf("special token %q has no id", place["SpecialToken"].ID)
		}
		*to = append(*to, id)
	}
	return nil
}
