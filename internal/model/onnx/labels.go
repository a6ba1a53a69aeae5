package onnx

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"strconv"
	"strings"
)

// maxLabels is the maximum number of labels of a model.
const maxLabels = 100_000

// A head interprets the output of a model: the labels of its values, and how they become scores.
type head struct {
	labels      []string
	independent bool // multi-label: each value is independent, and several labels may apply
}

// modelConfig contains the parts of config.json that are used.
type modelConfig struct {
	Labels      map[string]string `json:"id2label"`
	ProblemType string            `json:"problem_type"`
}

// readHead reads the labels of a model from labels.txt, with one label per line, or from
// config.json.
func (f folder) readHead() (head, error) {
	var h head
	var config modelConfig
	known, err := f.readJSON("config.json", &config)
	if err != nil {
		return h, err
	}
	h.independent = config.ProblemType == "multi_label_classification"
	text, err := f.read("labels.txt")
	switch {
	case err == nil:
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimSpace(line); line != "" {
				h.labels = append(h.labels, line)
			}
		}
	case !errors.Is(err, fs.ErrNotExist):
		return h, err
	case known:
		h.labels, err = inOrder(config.Labels)
		if err != nil {
			return h, fmt.Errorf("id2label in config.json beside %s: %w", f.model, err)
		}
	}
	if len(h.labels) == 0 || len(h.labels) > maxLabels {
		return h, fmt.Errorf("found %d labels beside %s; provide labels.txt with one label per line, or config.json with id2label", len(h.labels), f.model)
	}
	return h, nil
}

// inOrder returns names that are numbered from 0 as a list.
func inOrder(names map[string]string) ([]string, error) {
	list := make([]string, len(names))
	for key, name := range names {
		i, err := strconv.Atoi(key)
		if err != nil || i < 0 || i >= len(list) {
			return nil, fmt.Errorf("invalid label number %q", key)
		}
		list[i] = name
	}
	return list, nil
}

// scores converts the output of a model to one score per label. last is the last operator of the
// model; some models already end in probabilities.
func (h head) scores(out *tensor, last string) ([]float32, error) {
	if len(out.floats) != len(h.labels) {
		return nil, fmt.Errorf("the output of the model has %d values in shape %v, but there are %d labels", len(out.floats), out.shape, len(h.labels))
	}
	scores := out.floats
	switch {
	case last == "Softmax" || last == "Sigmoid":
	case h.independent:
		for i, v := range scores {
			scores[i] = sigmoid(v)
		}
	default:
		softmaxRow(scores, scores)
	}
	for _, v := range scores {
		if math.IsNaN(float64(v)) || v < 0 || v > 1.001 {
			return nil, errors.New("the output of the model contains values that are not scores")
		}
	}
	return scores, nil
}

// output returns the name of the output that contains the scores.
func (m *modelFile) output() (string, error) {
	if len(m.outputs) == 0 {
		return "", errors.New("the model has no output")
	}
	for _, v := range m.outputs {
		if v.name == "logits" {
			return v.name, nil
		}
	}
	return m.outputs[0].name, nil
}
