package demo

import (
	"math/rand/v2"
	"strings"
)

// A brand is one of the makers, and how people feel about it.
type brand struct {
	name    string
	imageID string
	share   float64 // of the posts about machines
	models  []string
	feels   []float64 // running totals in the order of moods
}

// moods are the sections that speak about a machine.
var moods = []mood{joy, surprise, neutral, anger, sadness, disgust, fear}

// mood names a section of the grammars.
type mood string

const (
	joy      mood = "joy"
	surprise mood = "surprise"
	neutral  mood = "neutral"
	anger    mood = "anger"
	sadness  mood = "sadness"
	disgust  mood = "disgust"
	fear     mood = "fear"
)

var brands = []brand{
	{name: Brand, imageID: "3901", share: 48, models: []string{"Aria", "Piccola", "Solano", "Tavola"},
		feels: cumulate([]float64{34, 6, 36, 10, 6, 4, 4})},
	{name: FirstRival, imageID: "3902", share: 32, models: []string{"K2", "Bruna", "Kova 4"},
		feels: cumulate([]float64{24, 5, 38, 16, 8, 6, 3})},
	{name: SecondRival, imageID: "3903", share: 20, models: []string{"Nord", "Nord Mini", "Fjell"},
		feels: cumulate([]float64{30, 8, 42, 8, 6, 3, 3})},
}

var brandShares = cumulate([]float64{brands[0].share, brands[1].share, brands[2].share})

// A theme is what a post is about, and in which mood it speaks.
type theme struct {
	subject
	topic   topic
	mood    mood
	section string // where its sentences are
	title   string // where its title is
	tag     string // its hashtag
	image   string // the brand's id on pictures; empty: no brand
}

// newTheme decides what a post on a topic is about.
func newTheme(r *rand.Rand, g *grammar, t topic, a *author) theme {
	b := &brands[0]
	if t == machines {
		b = &brands[pickWeighted(r, brandShares)]
	}
	rival := pick(r, brands)
	for rival.name == b.name {
		rival = pick(r, brands)
	}
	m := theme{
		subject: subject{brand: b.name, model: pick(r, b.models), rival: rival.name, city: a.home.city},
		topic:   t,
		mood:    neutral,
		tag:     strings.ToLower(b.name),
		image:   b.imageID,
	}
	switch t {
	case machines:
		m.mood = moods[pickWeighted(r, b.feels)]
		m.section, m.title = string(m.mood), m.mood.title()
	case launch:
		m.mood, m.section, m.title, m.tag = joy, "launch", "title.launch", "lumo"
	case crisis:
		m.mood, m.section, m.title, m.tag = anger, "crisis", "title.crisis", "solanorecall"
	case chatter:
		m.section, m.title, m.tag, m.image = "chat."+a.interest, "title.chat", a.interest, ""
		if len(g.sections[m.section]) == 0 {
			m.tag = "life" // the language does not tell interests apart
		}
	}
	return m
}

func (m mood) title() string {
	switch m {
	case joy, surprise:
		return "title.good"
	case neutral:
		return "title.plain"
	}
	return "title.bad"
}

// rating is how many stars a review in this mood gives.
func (m mood) rating(r *rand.Rand) float64 {
	switch m {
	case joy:
		return float64(9+r.IntN(2)) / 2
	case surprise:
		return 4
	case neutral:
		return float64(5+r.IntN(3)) / 2
	}
	return float64(2+r.IntN(3)) / 2
}

// emoji are those that go with a mood.
var emoji = map[mood][]string{
	joy:      {"😍", "☕", "❤️", "😊", "🎉", "👍"},
	surprise: {"😮", "🤯", "😲"},
	neutral:  {"🤔", "☕"},
	anger:    {"😡", "🤬", "👎"},
	sadness:  {"😢", "😞", "💔"},
	disgust:  {"🤢", "🤮"},
	fear:     {"😨", "😱", "😰"},
}
