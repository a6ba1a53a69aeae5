package onnx

import (
	"fmt"
	"slices"
	"strings"
)

// TextOptions configure a text model. Zero fields are taken from earshot.json next to the model, or
// get a default.
type TextOptions struct {
	// MaxTokens is the maximum number of tokens that the model reads; default 128, at most 512.
	MaxTokens int `json:"maxTokens"`

	// MaskNames replaces names with @user and links with http, as in the training data of some
	// models for microblog posts.
	MaskNames bool `json:"maskNames"`

	// Classes maps labels of the model to the classes of [OpenSentiment] and [OpenEmotion] where
	// the names are not known. The class "-" ignores a label.
	Classes map[string]string `json:"classes"`
}

// A textModel is a text classifier. It is safe for concurrent use; each text runs on one core.
type textModel struct {
	opts    TextOptions
	head    head
	tokens  *tokenizer
	program *program
	feeds   []feed
	length  int // required length of inputs in tokens, or 0 if it is dynamic
}

// A feed is the kind of data that an input of a model expects.
type feed int

const (
	feedIDs feed = iota
	feedMask
	feedTypes
	feedPositions
)

// feeds maps the input names that exporters use to feeds.
var feeds = map[string]feed{
	"input_ids":      feedIDs,
	"attention_mask": feedMask,
	"input_mask":     feedMask,
	"token_type_ids": feedTypes,
	"segment_ids":    feedTypes,
	"position_ids":   feedPositions,
}

// openText opens the model at path, an .onnx file or its folder. Its tokenizer (tokenizer.json,
// vocab.txt, or vocab.json and merges.txt) and its labels (config.json or labels.txt) must be next
// to it. It runs the model once, so a model that opens is usable.
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
	file, err := files.readModel()
	if err != nil {
		return nil, err
	}
	if err := t.compile(file); err != nil {
		return nil, err
	}
	if _, err := t.scores("a text to try it with"); err != nil {
		return nil, err
	}
	return t, nil
}

// textOptions completes options from the file next to a model.
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
		return opts, fmt.Errorf("maxTokens is %d, must be from 8 to 512", opts.MaxTokens)
	}
	opts.MaskNames = opts.MaskNames || file.MaskNames
	if opts.Classes == nil {
		opts.Classes = file.Classes
	}
	return opts, nil
}

// compile compiles the model and determines what its inputs expect.
func (t *textModel) compile(m *modelFile) error {
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
		return fmt.Errorf("the model has no input named input_ids")
	}
	return nil
}

// scores returns the score of each label from 0 to 1. They sum to 1, except for multi-label models.
// Long texts are truncated.
func (t *textModel) scores(text string) ([]float32, error) {
	out, err := t.output(text)
	if err != nil {
		return nil, err
	}
	return t.head.scores(out, t.program.last)
}

// output returns the output of the program for a text.
func (t *textModel) output(text string) (*tensor, error) {
	if t.opts.MaskNames {
		text = maskNames(text)
	}
	limit := t.opts.MaxTokens
	if t.length > 0 {
		limit = min(limit, t.length)
	}
	return t.program.run(t.feed(t.tokens.encode(text, limit)))
}

// feed returns the inputs for a text, padded to the length that the model requires.
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

// maskNames replaces names with @user and links with http, and collapses spaces.
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
