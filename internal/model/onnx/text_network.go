package onnx

import (
	"encoding/json"
	"fmt"
)

// A TextNetwork is a model of texts whose output the caller interprets, such as the one that Earshot
// embeds. It is safe for concurrent use; each text runs on one core.
type TextNetwork struct{ text textModel }

// ReadTextNetwork reads a network from the contents of an .onnx file and of tokenizer.json. It reads at
// most maxTokens tokens of a text.
func ReadTextNetwork(model, tokenizer []byte, maxTokens int) (*TextNetwork, error) {
	file, err := readModel(model)
	if err != nil {
		return nil, err
	}
	var tokens tokenizerFile
	if err := json.Unmarshal(tokenizer, &tokens); err != nil {
		return nil, fmt.Errorf("read tokenizer: %w", err)
	}
	n := &TextNetwork{textModel{opts: TextOptions{MaxTokens: maxTokens}}}
	if n.text.tokens, err = tokens.tokenizer(); err != nil {
		return nil, err
	}
	return n, n.text.compile(file)
}

// Run returns the output for a text.
func (n *TextNetwork) Run(text string) ([]float32, error) {
	out, err := n.text.output(text)
	if err != nil {
		return nil, err
	}
	if !out.isFloat() {
		return nil, fmt.Errorf("not supported: output of %s", n.text.program.last)
	}
	return out.floats, nil
}
