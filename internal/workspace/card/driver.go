package card

import (
	"earshot"
	"earshot/internal/geo"
	"earshot/internal/insight"
	"earshot/internal/jsonvalue"
	"earshot/internal/query/filter"
)

// Drivers are over-represented words, authors and so on, most over-represented first.
type Drivers struct {
	Words     []Driver `json:"words"`
	Phrases   []Driver `json:"phrases"`
	Hashtags  []Driver `json:"hashtags"`
	Links     []Driver `json:"links"`
	Sites     []Driver `json:"sites"`
	Authors   []Driver `json:"authors"`
	Languages []Driver `json:"languages"`
	Countries []Driver `json:"countries"`
	Sources   []Driver `json:"sources"`
	Sentiment []Driver `json:"sentiment"`
}

// A Driver is something that is over-represented. Filter selects its posts; it is empty if no filter
// does.
type Driver struct {
	Name     string  `json:"name"`
	Posts    int64   `json:"posts"`
	Expected float64 `json:"expected"`
	Score    float64 `json:"score"`
	Filter   string  `json:"filter"`
}

func newDrivers(m *earshot.Monitor, d *insight.Drivers) Drivers {
	list := func(found []insight.Driver, name, of func(string) string) []Driver {
		return jsonvalue.Map(found, func(d insight.Driver) Driver {
			return Driver{name(d.Name), d.Posts, jsonvalue.Round1(d.Expected), jsonvalue.Round1(d.Score), of(d.Name)}
		})
	}
	same := func(name string) string { return name }
	sentiments := d.Sentiments
	if !m.HasBasicCategories() {
		sentiments = nil
	}
	return Drivers{
		Words:     list(d.Words, same, filter.Phrase),
		Phrases:   list(d.Phrases, same, filter.Phrase),
		Hashtags:  list(d.Hashtags, same, filter.Hashtag.Only),
		Links:     list(d.Links, same, filter.Link),
		Sites:     list(d.Sites, same, filter.Site.Only),
		Authors:   list(d.Authors, same, filter.Author.Only),
		Languages: list(d.Languages, earshot.LanguageName, filter.Language.Only),
		Countries: list(d.Countries, countryName, filter.Geolocation.Only),
		Sources:   list(d.Sources, same, filter.Source.Only),
		Sentiment: list(sentiments, same, func(name string) string {
			return filter.Sentiment.Is(earshot.SentimentName(earshot.FindSentiment(name)))
		}),
	}
}

// countryName returns the name of a country by its geography id, or the id if it is unknown.
func countryName(id string) string {
	if place, ok := geo.Find(id); ok {
		if entry, ok := geo.Lookup(place); ok {
			return entry.Name
		}
	}
	return id
}
