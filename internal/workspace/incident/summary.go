package incident

import (
	"context"
	"strings"
	"time"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/jsonvalue"
	"earshot/internal/query/filter"
)

// A Summary says in two sentences what happened to a monitor in a period. Times are in the time zone
// of the monitor.
type Summary struct {
	From      time.Time  `json:"from"`
	To        time.Time  `json:"to"`
	Timezone  string     `json:"timezone"`
	Text      string     `json:"text"`
	Sentences []Sentence `json:"sentences"`
	Incidents []Incident `json:"incidents"` // of the period, newest first
	Incident  *Incident  `json:"incident"`  // the largest one; null if nothing unusual happened
}

// A Sentence consists of parts, which together are its text.
type Sentence struct {
	Text  string `json:"text"`
	Parts []Part `json:"parts"`
}

// A Part is some words of a sentence. Claim is null for words between claims.
type Part struct {
	Text  string `json:"text"`
	Claim *Claim `json:"claim"`
}

// A Claim is a statement about posts. Link leads to what proves it.
type Claim struct {
	Kind  ClaimKind `json:"kind"`
	Value *float64  `json:"value"` // null if the claim has none
	Low   *float64  `json:"low"`   // 95% interval of the value; null if it was counted
	High  *float64  `json:"high"`
	Name  string    `json:"name"` // of the topic, author, sentiment or place; empty if there is none
	Link  Link      `json:"link"`
}

// A ClaimKind says what a claim is about.
type ClaimKind string

const (
	IncidentsClaim ClaimKind = "incidents" // number of incidents
	TimeClaim      ClaimKind = "time"      // when something happened
	PostsClaim     ClaimKind = "posts"     // number of posts
	RatioClaim     ClaimKind = "ratio"     // how many times as many posts as expected
	ExpectedClaim  ClaimKind = "expected"  // expected number of posts
	ChangeClaim    ClaimKind = "change"    // change from the period before, as a fraction
	TopicClaim     ClaimKind = "topic"     // share of the posts that are more than usual
	FirstClaim     ClaimKind = "first"     // the first author
	SpreadClaim    ClaimKind = "spread"    // an author who spread it
	SentimentClaim ClaimKind = "sentiment" // share of a sentiment or category
	PlaceClaim     ClaimKind = "place"     // share of a country among the posts with a known place
	PeakClaim      ClaimKind = "peak"      // posts of the busiest hour
)

// A Link leads to a page of the web app. Fields that the page does not need are empty.
type Link struct {
	Page   Page           `json:"page"`
	From   time.Time      `json:"from"`
	To     time.Time      `json:"to"`
	Filter string         `json:"filter"`
	Author string         `json:"author"`
	Source earshot.Source `json:"source"`
}

// A Page is a page of a monitor.
type Page string

const (
	OverviewPage Page = "overview"
	PostsPage    Page = "posts"
	WhyPage      Page = "why"
	AuthorPage   Page = "author"
)

// Limits of what a summary states.
const (
	shownTopics   = 2
	shownSpread   = 2
	minPlaceShare = 0.4 // of a country among the posts with a known place
	minPlaceKnown = 0.2 // of the posts
	minFeeling    = 0.2 // of the posts
	minEngagement = 5   // interactions, of an author who spread it
	minSpreadPart = 0.2 // of the most interactions
	minFollowers  = 1000

	beforeIncident = 6 * time.Hour // in which the first post may be
)

// Summary says what happened to a monitor from a full hour to another.
func (s *Service) Summary(ctx context.Context, q Query, from, to time.Time) (Summary, error) {
	zone := q.Monitor.Location()
	from, to = from.In(zone), to.In(zone)
	q.Days = earshot.Days{Start: earshot.DateOf(from), End: earshot.DateOf(to.Add(-1)).AddDays(1)}
	w := &writer{Service: s, query: q, from: from, to: to, today: earshot.DateOf(s.Now().In(zone))}
	if err := w.write(ctx); err != nil {
		return Summary{}, err
	}
	shown := Summary{From: from, To: to, Timezone: zone.String(), Sentences: []Sentence{}, Incidents: jsonvalue.OrEmpty(w.incidents), Incident: w.incident}
	var texts []string
	for _, parts := range w.sentences {
		sentence := Sentence{Parts: parts}
		for _, p := range parts {
			sentence.Text += p.Text
		}
		shown.Sentences = append(shown.Sentences, sentence)
		texts = append(texts, sentence.Text)
	}
	shown.Text = strings.Join(texts, " ")
	return shown, nil
}

// A writer writes a [Summary].
type writer struct {
	*Service
	query     Query
	from, to  time.Time
	today     earshot.Date
	incidents []Incident
	incident  *Incident // the largest one
	sentences [][]Part
}

// say adds words to the last sentence.
func (w *writer) say(text string) { w.add(Part{Text: text}) }

// claim adds words that state something to the last sentence.
func (w *writer) claim(text string, c Claim) { w.add(Part{text, &c}) }

func (w *writer) add(p Part) {
	last := &w.sentences[len(w.sentences)-1]
	*last = append(*last, p)
}

// begin begins a sentence.
func (w *writer) begin() { w.sentences = append(w.sentences, nil) }

// finish ends the last sentence.
func (w *writer) finish() { w.say(".") }

// capital returns words that begin a sentence. They must not begin with a name.
func capital(words string) string {
	if words == "" {
		return ""
	}
	return strings.ToUpper(words[:1]) + words[1:]
}

func value(x float64) *float64 {
	x = jsonvalue.Round4(x)
	return &x
}

// link returns a link to posts of the summarized period, or of the incident if there is one.
func (w *writer) link(page Page, more string) Link {
	l := Link{Page: page, From: w.from, To: w.to, Filter: filter.And(w.query.Filter, more)}
	if i := w.incident; i != nil {
		l.From, l.To = i.From, i.To
		if i.Metric == earshot.NegativeMetric {
			l.Filter = filter.And(w.query.Filter, negative, more)
		}
	}
	return l
}

func (w *writer) write(ctx context.Context) error {
	found, err := w.find(ctx, w.query)
	if err != nil {
		return err
	}
	var largest *insight.Incident
	at := 0
	for i := range found.List {
		one := &found.List[i]
		if !one.From.Before(w.to) || !w.from.Before(one.To) {
			continue
		}
		if largest == nil || one.Excess() > largest.Excess() {
			largest, at = one, len(w.incidents)
		}
		shown, err := w.describe(ctx, w.query, one, len(w.incidents) < maxDescribed)
		if err != nil {
			return err
		}
		w.incidents = append(w.incidents, shown)
	}
	if largest == nil {
		return w.writeUsual(ctx, found.Learning)
	}
	w.incident = &w.incidents[at]
	e, err := w.explain(ctx, w.query, largest)
	if err != nil {
		return err
	}
	w.writeIncident(e)
	return w.writeDetails(ctx, largest)
}
