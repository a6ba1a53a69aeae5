package demo

import (
	"math/rand/v2"
	"strings"
)

// A brand is one of the makers, with how people feel about it.
type brand struct {
	name    string
	imageID string
	share   float64   // of posts about machines
	models  []string  // common ones several times
	feels   []float64 // running totals, in the order of moods
}

// moods are the grammar sections about a machine.
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
	{name: Brand, imageID: "3901", share: 48, models: []string{"Aria", "Piccola", "Tavola", "Aria", "Piccola", "Tavola", "Solano"},
		feels: cumulate([]float64{34, 6, 36, 10, 6, 4, 4})},
	{name: FirstRival, imageID: "3902", share: 32, models: []string{"K2", "Bruna", "Kova 4"},
		feels: cumulate([]float64{24, 5, 38, 16, 8, 6, 3})},
	{name: SecondRival, imageID: "3903", share: 20, models: []string{"Nord", "Nord Mini", "Fjell"},
		feels: cumulate([]float64{30, 8, 42, 8, 6, 3, 3})},
}

var brandShares = cumulate([]float64{brands[0].share, brands[1].share, brands[2].share})

// switchShares is how many of the customers who leave the brand go to each rival.
var switchShares = cumulate([]float64{4, 1})

// A theme is the subject and mood of a post.
type theme struct {
	subject
	topic   topic
	mood    mood
	section string // grammar section of its sentences
	title   string // grammar section of its title
	tag     string // its hashtag
	image   string // ID of the brand in images; empty: no brand
}

// newTheme picks the theme of a post on a topic.
func newTheme(r *rand.Rand, g *grammar, t topic, a *author) theme {
	b := &brands[0]
	switch {
	case t == machines:
		b = &brands[pickWeighted(r, brandShares)]
	case t == switching:
		b = &brands[1+pickWeighted(r, switchShares)]
	case a.maker != nil:
		b = a.maker
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
	case paywall:
		m.mood, m.section, m.title, m.tag, m.model = anger, "paywall", "title.paywall", paywallTag, "Tavola"
	case switching:
		m.mood, m.section, m.title, m.tag, m.rival = joy, "switching", "title.switching", paywallTag, Brand
	case chatter:
		m.section, m.title, m.tag, m.image = "chat."+a.interest, "title.chat", a.interest, ""
		if len(g.sections[m.section]) == 0 {
			m.tag = "life" // the language does not distinguish interests
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

// rating returns the number of stars that a review in this mood gives.
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

// emoji lists the emoji for each mood.
var emoji = map[mood][]string{
	joy:      {"😍", "☕", "❤️", "😊", "🎉", "👍"},
	surprise: {"😮", "🤯", "😲"},
	neutral:  {"🤔", "☕"},
	anger:    {"😡", "🤬", "👎"},
	sadness:  {"😢", "😞", "💔"},
	disgust:  {"🤢", "🤮"},
	fear:     {"😨", "😱", "😰"},
}
