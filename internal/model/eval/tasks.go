package eval

import (
	"maps"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/model/langid"
	"earshot/internal/model/people"
	"earshot/internal/model/secondlook"
	"earshot/internal/model/sentiment"
)

// Models are the models to measure.
type Models struct {
	Language  *langid.Model
	Sentiment *sentiment.Model
	People    *people.Model

	// SecondLook infers the sentiment and emotion of texts in its languages. It may be nil.
	SecondLook *secondlook.Model
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

func tasks(m *Models, d sentiment.Domain) map[string]task {
	text := []string{"text"}
	return map[string]task{
		"sentiment": {
			label: "label", needs: text, labels: sentimentClasses, classes: sentimentClasses, sure: true, class: strings.ToLower,
			ask: func(r row, allowed []string) prediction { return m.sentiment(r, d, allowed) },
		},
		"emotion": {
			label: "ekman", needs: text, labels: emotionClasses, classes: emotionClasses, several: true, thresholds: emotionThresholds(),
			sure: true, class: strings.ToLower,
			ask: func(r row, allowed []string) prediction { return m.emotion(r, d, allowed) },
		},
		"language": {label: "language", needs: text, none: unassigned, sure: true, class: languageClass, ask: m.language},
		"gender":   {label: "gender", needs: text, labels: []string{"F", "M", "brand"}, outside: "brand", sure: true, class: strings.TrimSpace, ask: m.gender},
		"place": {
			label: "label", instead: "country", labelOf: stateOf, needs: text, empty: unassigned, none: unassigned, class: strings.TrimSpace, ask: m.place,
		},
	}
}

var (
	sentimentClasses = []string{"positive", "neutral", "negative"}
	emotionClasses   = []string{"joy", "sadness", "neutral", "disgust", "anger", "surprise", "fear"}
)

// emotionThresholds returns the same threshold for each emotion. 0.3 had the highest macro F1 on the
// texts of GoEmotions that were held out from training; thresholds fitted to each emotion gain little.
func emotionThresholds() Thresholds {
	t := Thresholds{}
	for _, name := range emotionClasses {
		t[name] = 0.3
	}
	return t
}

// domains are the names of the domains of texts.
var domains = map[string]sentiment.Domain{
	"social": sentiment.Social, "review": sentiment.Review, "news": sentiment.News, "forum": sentiment.Forum,
}

// Domains returns the names of all domains, sorted.
func Domains() []string { return slices.Sorted(maps.Keys(domains)) }

// ParseDomain returns the domain with a name.
func ParseDomain(name string) (sentiment.Domain, error) {
	d, known := domains[name]
	if !known {
		return 0, earshot.Errorf(earshot.Invalid, "unknown domain %q; use one of %s", name, strings.Join(Domains(), ", "))
	}
	return d, nil
}

// domainOf returns the domain that a row states, or otherwise d.
func domainOf(r row, d sentiment.Domain) sentiment.Domain {
	if stated, known := domains[r.get("domain")]; known {
		return stated
	}
	return d
}

func (m *Models) sentiment(r row, d sentiment.Domain, allowed []string) prediction {
	scores, _ := m.feelings(r, d)
	return best(scores[:], sentimentClasses, allowed)
}

func (m *Models) emotion(r row, d sentiment.Domain, allowed []string) prediction {
	_, scores := m.feelings(r, d)
	return best(scores[:], emotionClasses, allowed)
}

// feelings returns the probabilities of sentiments and emotions.
func (m *Models) feelings(r row, d sentiment.Domain) ([3]float32, [7]float32) {
	language := m.languageOf(r)
	if m.SecondLook != nil && slices.Contains(secondlook.Languages, language) {
		if s, e, err := m.SecondLook.Probabilities(r.get("text"), domainOf(r, d)); err == nil {
			return s, e
		}
	}
	return m.Sentiment.Probabilities(r.get("text"), language, domainOf(r, d))
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

// best returns the class with the highest probability among the allowed classes.
func best(scores []float32, names, allowed []string) prediction {
	p := prediction{scores: scores}
	var top, sum float32
	for i, share := range scores {
		if !slices.Contains(allowed, names[i]) {
			continue
		}
		if sum += share; share > top {
			p.label, top = names[i], share
		}
	}
	if sum > 0 {
		p.confidence = float64(top / sum)
	}
	return p
}

func (m *Models) language(r row, _ []string) prediction {
	code, confidence := m.Language.Detect(r.get("text"))
	if code == "" {
		code = unassigned
	}
	return prediction{label: code, confidence: float64(confidence)}
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
	return prediction{label: string(g), confidence: float64(confidence)}
}

func (m *Models) place(r row, _ []string) prediction {
	p, found := geo.Resolve(r.get("text"))
	if !found {
		return prediction{label: unassigned}
	}
	if !r.table.has("label") { // only what the row states is compared
		p.City = ""
		if r.get("state") == "" && r.get("country") != "" {
			p.State = ""
		}
	}
	return prediction{label: p.ID()}
}

// stateOf returns the geography id of the columns country and state. A state may have its name or its
// code: both Ontario and ON give CAN.ON.
func stateOf(r row) string {
	country, state := strings.TrimSpace(r.get("country")), strings.TrimSpace(r.get("state"))
	for _, e := range geo.States(country) {
		if state == e.Name || state == e.Place.State {
			return e.Place.ID()
		}
	}
	return earshot.Place{Country: country, State: state}.ID()
}
