package eval

import (
	"slices"
	"strings"

	"earshot/internal/geo"
	"earshot/internal/model/langid"
	"earshot/internal/model/people"
	"earshot/internal/model/sentiment"
)

// Models are the models to measure.
type Models struct {
	Language  *langid.Model
	Sentiment *sentiment.Model
	People    *people.Model
}

// Load returns the built-in models.
func Load() (*Models, error) {
	language, err := langid.New()
	if err != nil {
		return nil, err
	}
	feelings, err := sentiment.New()
	if err != nil {
		return nil, err
	}
	persons, err := people.New()
	if err != nil {
		return nil, err
	}
	return &Models{Language: language, Sentiment: feelings, People: persons}, nil
}

// unassigned is the class of texts that belong to no other class.
const unassigned = "unassigned"

func tasks(m *Models) map[string]task {
	text := []string{"text"}
	return map[string]task{
		"sentiment": {label: "label", needs: text, sure: true, class: strings.ToLower, ask: m.sentiment},
		"emotion":   {label: "ekman", needs: text, several: true, sure: true, class: strings.ToLower, ask: m.emotion},
		"language":  {label: "language", needs: text, none: unassigned, sure: true, class: languageClass, ask: m.language},
		"gender":    {label: "gender", needs: text, outside: "brand", sure: true, class: strings.TrimSpace, ask: m.gender},
		"place":     {label: "label", needs: text, empty: unassigned, none: unassigned, class: strings.TrimSpace, ask: m.place},
	}
}

var (
	sentimentClasses = []string{"positive", "neutral", "negative"}
	emotionClasses   = []string{"joy", "sadness", "neutral", "disgust", "anger", "surprise", "fear"}
)

func (m *Models) sentiment(r row, classes []string) prediction {
	shares, _ := m.Sentiment.Probabilities(r.get("text"), m.languageOf(r))
	return predict(shares[:], sentimentClasses, classes)
}

func (m *Models) emotion(r row, classes []string) prediction {
	_, shares := m.Sentiment.Probabilities(r.get("text"), m.languageOf(r))
	return predict(shares[:], emotionClasses, classes)
}

// languageOf returns the language that a row states, or otherwise the detected language, as
// enrichment does.
func (m *Models) languageOf(r row) string {
	if stated := r.get("language"); stated != "" {
		return stated
	}
	code, _ := m.Language.Detect(r.get("text"))
	return code
}

// predict returns the class with the highest probability among the allowed classes.
func predict(probabilities []float32, names, classes []string) prediction {
	var best prediction
	var top, sum float32
	for i, share := range probabilities {
		if !slices.Contains(classes, names[i]) {
			continue
		}
		if sum += share; share > top {
			best.label, top = names[i], share
		}
	}
	if sum > 0 {
		best.confidence = float64(top / sum)
	}
	return best
}

func (m *Models) language(r row, _ []string) prediction {
	code, confidence := m.Language.Detect(r.get("text"))
	if code == "" {
		code = unassigned
	}
	return prediction{code, float64(confidence)}
}

// languageClass maps languages that Earshot does not detect to unassigned.
func languageClass(label string) string {
	if slices.Contains(langid.Codes(), label) {
		return label
	}
	return unassigned
}

func (m *Models) gender(r row, _ []string) prediction {
	where, _ := geo.Resolve(r.get("location"))
	g, confidence := m.People.Gender(people.Profile{
		Name: r.get("name"), Username: r.get("username"), Bio: r.get("description"), Text: r.get("text"),
		Language: m.languageOf(r), Country: where.Country,
	})
	return prediction{string(g), float64(confidence)}
}

func (m *Models) place(r row, _ []string) prediction {
	p, found := geo.Resolve(r.get("text"))
	if !found {
		return prediction{label: unassigned}
	}
	return prediction{label: p.ID()}
}
