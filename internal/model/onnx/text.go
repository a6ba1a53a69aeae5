package onnx

import (
	"fmt"
	"slices"
	"strings"
)

// TextOptions say how a text model is used. What they leave zero is taken from the
// file earshot.json beside the model, or is a default.
type TextOptions struct {
	// MaxTokens is how much of a text the model reads; default 128, at most 512.
	MaxTokens int `json:"maxTokens"`

	// MaskNames writes @user for names and http for links, as some models of
	// microblog posts were trained.
	MaskNames bool `json:"maskNames"`

	// Classes maps labels of the model to classes of OpenSentiment and OpenEmotion,
	// where the names do not tell. The class "-" leaves a label out.
	Classes map[string]string `json:"classes"`
}

// A textModel is a text classifier. It is safe for concurrent use; each text runs on one core.
type textModel struct {
	opts    TextOptions
	head    head
	tokens  *tokenizer
	program *program
	feeds   []feed
	length  int // of texts in tokens, when the model takes no other; else 0
}

// A feed is what an input of a model is told about a text.
type feed int

const (
	feedIDs feed = iota
	feedMask
	feedTypes
	feedPositions
)

// feeds are the names that exporters give to inputs.
var feeds = map[string]feed{
	"input_ids":      feedIDs,
	"attention_mask": feedMask,
	"input_mask":     feedMask,
	"token_type_ids": feedTypes,
	"segment_ids":    feedTypes,
	"position_ids":   feedPositions,
}

// openText opens the model at path, a .onnx file or its folder. Next to it must be its tokenizer
// (tokenizer.json, vocab.txt, or vocab.json and merges.txt) and its labels (config.json or
// labels.txt). It runs the model once, so a model that opens can be used.
func openText(path string, opts TextOptions) (*textModel, error) {
	files, err := openFolder(path)
	if err != nil {
		return nil, err
	}
	t := &textModel{}
	if t.opts, err = files.textOptions(opts); err != nil {
		return nil, err
	}
	if t.head, err = files.readHead(); err != nil {
		return nil, err
	}
	if t.tokens, err = files.readTokenizer(); err != nil {
		return nil, err
	}
	if err := t.compile(files); err != nil {
		return nil, err
	}
	if _, err := t.scores("a text to try it with"); err != nil {
		return nil, err
	}
	return t, nil
}

// textOptions fills up options from the file beside a model.
func (f folder) textOptions(opts TextOptions) (TextOptions, error) {
	var file TextOptions
	if err := f.readSettings(&file); err != nil {
		return opts, err
	}
	if opts.MaxTokens == 0 {
		opts.MaxTokens = file.MaxTokens
	}
	if opts.MaxTokens == 0 {
		opts.MaxTokens = 128
	}
	if opts.MaxTokens < 8 || opts.MaxTokens > 512 {
		return opts, fmt.Errorf("maxTokens %d: from 8 to 512", opts.MaxTokens)
	}
	opts.MaskNames = opts.MaskNames || file.MaskNames
	if opts.Classes == nil {
		opts.Classes = file.Classes
	}
	return opts, nil
}

// compile reads the model and finds out what its inputs want.
func (t *textModel) compile(files folder) error {
	m, err := files.readModel()
	if err != nil {
		return err
	}
	output, err := m.output()
	if err != nil {
		return err
	}
	if t.program, err = compile(m, output, defaultLimits); err != nil {
		return err
	}
	for _, in := range t.program.inputs {
		f, ok := feeds[in.name]
		if !ok || in.kind != integer {
			return fmt.Errorf("not supported: input %q of a text model", in.name)
		}
		t.feeds = append(t.feeds, f)
		if f == feedIDs && len(in.shape) == 2 && in.shape[1] > 0 {
			t.length = min(in.shape[1], 512)
		}
	}
	if !slices.Contains(t.feeds, feedIDs) {
		return fmt.Errorf("the model has no input input_ids")
	}
	return nil
}

// scores returns the score of each label from 0 to 1. They sum to 1, except for multi-label models.
// Long texts are truncated.
func (t *textModel) scores(text string) ([]float32, error) {
	if t.opts.MaskNames {
		text = maskNames(text)
	}
	limit := t.opts.MaxTokens
	if t.length > 0 {
		limit = min(limit, t.length)
	}
	ids := t.tokens.encode(text, limit)
	out, err := t.program.run(t.feed(ids))
	if err != nil {
		return nil, err
	}
	return t.head.scores(out, t.program.last)
}

// feed returns the inputs for a text, filled up to the length that the model takes.
func (t *textModel) feed(ids []int64) []*tensor {
	length := max(len(ids), t.length)
	inputs := make([]*tensor, len(t.feeds))
	for i, f := range t.feeds {
		numbers := make([]int64, length)
		for j := range numbers {
			switch {
			case f == feedPositions:
				numbers[j] = int64(j)
			case f == feedIDs && j < len(ids):
				numbers[j] = ids[j]
			case f == feedIDs:
				numbers[j] = t.tokens.pad
			case f == feedMask && j < len(ids):
				numbers[j] = 1
			}
		}
		inputs[i] = &tensor{kind: integer, shape: []int{1, length}, ints: numbers}
	}
	return inputs
}

// maskNames writes @user for names and http for links, and one space between words.
func maskNames(text string) string {
	words := strings.Fields(text)
	for i, word := range words {
		switch {
		case len(word) > 1 && word[0] == '@':
			words[i] = "@user"
		case strings.HasPrefix(word, "http"):
			words[i] = "http"
		}
	}
	return strings.Join(words, " ")
}
