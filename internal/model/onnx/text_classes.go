package onnx

import (
	"fmt"
	"slices"
	"strings"

	"earshot"
)

// A Sentiment is a text model whose labels are sentiment categories.
type Sentiment struct{ classes classes }

// An Emotion is a text model whose labels are emotions.
type Emotion struct{ classes classes }

// OpenSentiment opens a text model. Its labels must be known (positive, neutral and negative in
// common spellings, or stars) or be mapped in opts.Classes.
func OpenSentiment(path string, opts TextOptions) (*Sentiment, error) {
	c, err := openClasses(path, opts, sentimentLabels)
	if err != nil {
		return nil, fmt.Errorf("open sentiment model %s: %w", path, err)
	}
	return &Sentiment{c}, nil
}

// OpenEmotion opens a text model. Its labels must be known (the emotions of earshot.Emotion or of
// GoEmotions) or be mapped in opts.Classes.
func OpenEmotion(path string, opts TextOptions) (*Emotion, error) {
	c, err := openClasses(path, opts, emotionLabels)
	if err != nil {
		return nil, fmt.Errorf("open emotion model %s: %w", path, err)
	}
	return &Emotion{c}, nil
}

// Infer returns the probabilities of positive, neutral and negative, in the order of
// earshot.Sentiment.
func (s *Sentiment) Infer(text string) (probabilities [3]float32, err error) {
	err = s.classes.infer(probabilities[:], text)
	return probabilities, err
}

// Infer returns the probabilities of the emotions, in the order of earshot.Emotion.
func (e *Emotion) Infer(text string) (probabilities [7]float32, err error) {
	err = e.classes.infer(probabilities[:], text)
	return probabilities, err
}

// ignored is the class of labels that do not count.
const ignored = -1

// A vocabulary maps labels to classes.
type vocabulary struct {
	names map[string]int // in lower case

	// numbered are the usual meanings of labels that are only numbered, by the number of labels.
	numbered map[int][]int
}

var sentimentLabels = vocabulary{names: sentimentNames, numbered: map[int][]int{
	2: {earshot.Negative, earshot.Positive},
	3: {earshot.Negative, earshot.Neutral, earshot.Positive},
	5: {earshot.Negative, earshot.Negative, earshot.Neutral, earshot.Positive, earshot.Positive},
}}

// emotionLabels has no numbered labels, because emotions have no usual order.
var emotionLabels = vocabulary{names: emotionNames}

var sentimentNames = map[string]int{
	"positive": earshot.Positive, "pos": earshot.Positive, "very positive": earshot.Positive,
	"neutral": earshot.Neutral, "neu": earshot.Neutral, "mixed": earshot.Neutral,
	"negative": earshot.Negative, "neg": earshot.Negative, "very negative": earshot.Negative,
	"1 star": earshot.Negative, "2 stars": earshot.Negative, "3 stars": earshot.Neutral,
	"4 stars": earshot.Positive, "5 stars": earshot.Positive,
	"-": ignored,
}

// emotionNames contains the names of the seven emotions, and those of GoEmotions as grouped by its
// authors.
var emotionNames = map[string]int{
	"joy": earshot.Joy, "happiness": earshot.Joy, "happy": earshot.Joy, "love": earshot.Joy, "optimism": earshot.Joy,
	"admiration": earshot.Joy, "amusement": earshot.Joy, "approval": earshot.Joy, "caring": earshot.Joy,
	"desire": earshot.Joy, "excitement": earshot.Joy, "gratitude": earshot.Joy, "pride": earshot.Joy, "relief": earshot.Joy,
	"sadness": earshot.Sadness, "sad": earshot.Sadness, "disappointment": earshot.Sadness,
	"embarrassment": earshot.Sadness, "grief": earshot.Sadness, "remorse": earshot.Sadness,
	"neutral": earshot.NoEmotion, "no emotion": earshot.NoEmotion, "others": earshot.NoEmotion, "other": earshot.NoEmotion,
	"disgust": earshot.Disgust,
	"anger":   earshot.Anger, "angry": earshot.Anger, "annoyance": earshot.Anger, "disapproval": earshot.Anger,
	"surprise": earshot.Surprise, "confusion": earshot.Surprise, "curiosity": earshot.Surprise, "realization": earshot.Surprise,
	"fear": earshot.Fear, "nervousness": earshot.Fear,
	"-": ignored,
}

// classes is a model with the classes of its labels.
type classes struct {
	text    *textModel
	byLabel []int // class of each label
}

func openClasses(path string, opts TextOptions, known vocabulary) (classes, error) {
	text, err := openText(path, opts)
	if err != nil {
		return classes{}, err
	}
	of, err := mapLabels(text.head.labels, text.opts.Classes, known)
	if err != nil {
		return classes{}, err
	}
	if !hasSeveralClasses(of) {
		return classes{}, fmt.Errorf("labels %s all map to the same class", strings.Join(text.head.labels, ", "))
	}
	return classes{text, of}, nil
}

// hasSeveralClasses reports whether labels map to different classes.
func hasSeveralClasses(of []int) bool {
	counted := slices.DeleteFunc(slices.Clone(of), func(class int) bool { return class == ignored })
	return len(counted) > 0 && slices.Min(counted) != slices.Max(counted)
}

// mapLabels returns the class of each label. A label without a class is an error, because ignoring
// it must be an explicit decision.
func mapLabels(labels []string, given map[string]string, known vocabulary) ([]int, error) {
	for label := range given {
		if !slices.Contains(labels, label) {
			return nil, fmt.Errorf("the model has no label %q; it has %s", label, strings.Join(labels, ", "))
		}
	}
	of := make([]int, len(labels))
	for i, label := range labels {
		name, ok := given[label]
		if !ok {
			name = label
		}
		class, found := known.names[plainName(name)]
		if numbered := known.numbered[len(labels)]; !ok && numbered != nil && label == fmt.Sprint("LABEL_", i) {
			class, found = numbered[i], true
		}
		if !found {
			return nil, fmt.Errorf("label %q has no class; map it under classes in earshot.json, or map it to - to ignore it", name)
		}
		of[i] = class
	}
	return of, nil
}

func plainName(name string) string {
	return strings.ToLower(strings.TrimSpace(strings.ReplaceAll(name, "_", " ")))
}

// infer sums the scores of each class and normalizes them.
func (c classes) infer(probabilities []float32, text string) error {
	scores, err := c.text.scores(text)
	if err != nil {
		return err
	}
	var total float32
	for i, class := range c.byLabel {
		if class != ignored {
			probabilities[class] += scores[i]
			total += scores[i]
		}
	}
	if total <= 0 {
		return fmt.Errorf("all scores of the mapped labels are 0")
	}
	for i := range probabilities {
		probabilities[i] /= total
	}
	return nil
}
