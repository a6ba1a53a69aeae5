package incident

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/insight"
	"earshot/internal/jsonvalue"
	"earshot/internal/query/filter"
	"earshot/internal/report/format"
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

// writeIncident writes how much there is, compared with what, since when and about what.
func (w *writer) writeIncident(e *insight.Explanation) {
	i, noun := w.incident, "posts"
	if i.Metric == earshot.NegativeMetric {
		noun = "negative posts"
	}
	w.begin()
	when := hoursOf(i, w.today)
	if n := len(w.incidents); n > 1 {
		w.say("In the largest of ")
		w.claim(fmt.Sprintf("%d incidents", n), Claim{Kind: IncidentsClaim, Value: value(float64(n)), Link: Link{Page: OverviewPage, From: w.from, To: w.to, Filter: w.query.Filter}})
		w.say(", ")
	} else {
		when = capital(when)
	}
	w.claim(when, Claim{Kind: TimeClaim, Link: w.link(WhyPage, "")})
	has := ", " + i.Monitor.Name + " had "
	if i.Ongoing {
		has = ", " + i.Monitor.Name + " has had "
	}
	w.say(has)
	w.claim(format.Number(i.Posts)+" "+noun, Claim{Kind: PostsClaim, Value: value(float64(i.Posts)), Link: w.link(PostsPage, "")})
	expected := Claim{Kind: ExpectedClaim, Value: value(i.Expected.Posts), Low: value(i.Expected.Low), High: value(i.Expected.High), Link: w.link(WhyPage, "")}
	if i.isMultiple() {
		w.say(", ")
		w.claim(format.Times(float64(i.Ratio))+" times as many as usual", Claim{Kind: RatioClaim, Value: value(float64(i.Ratio)), Link: w.link(WhyPage, "")})
		w.say(" (")
		w.claim(format.Count(i.Expected.Posts)+" expected", expected)
		w.say(")")
	} else {
		count := format.Count(i.Expected.Posts)
		if count == "0" {
			count = "none"
		}
		w.say(", where ")
		w.claim(count, expected)
		w.say(" were expected")
	}
	w.writeTopics(e)
	w.finish()
}

// writeTopics writes what the additional posts are about.
func (w *writer) writeTopics(e *insight.Explanation) {
	topics := w.incident.Topics
	claim := func(t Topic, text string) {
		w.claim(text, Claim{Kind: TopicClaim, Name: t.Name, Value: value(float64(t.Share)), Link: w.link(PostsPage, t.Filter)})
	}
	switch {
	case e.Cause == insight.CauseSingle:
		w.say("; ")
		claim(topics[0], format.Percent(min(1, float64(topics[0].Share)))+" of the additional posts are about "+quoted(topics[0].Name))
	case e.Cause == insight.CauseSeveral:
		w.say("; the additional posts are mostly about ")
		for i, t := range topics[:min(len(topics), shownTopics)] {
			if i > 0 {
				w.say(" and ")
			}
			claim(t, quoted(t.Name))
		}
	default:
		w.say(", without a single cause")
	}
}

// quoted returns the name of a topic in a sentence: “strike”, or “subscription” and #paytobrew.
func quoted(name string) string {
	parts := strings.Split(name, ", ")
	for i, p := range parts {
		if !strings.HasPrefix(p, "#") {
			parts[i] = "“" + p + "”"
		}
	}
	return format.List(parts)
}

// A clause is a part of a sentence that begins with some words.
type clause struct {
	words string
	write func(words string)
}

// writeDetails writes who started and spread an incident, what people feel, and where they are.
func (w *writer) writeDetails(ctx context.Context, i *insight.Incident) error {
	r := w.request(w.query, i)
	of := insight.VoicesRequest{From: r.From, To: r.To, Incident: r.Incident, Before: beforeIncident, Filter: r.Filter, Refine: r.Refine}
	voices, err := w.Insight.Voices(ctx, w.query.Monitor, of)
	if err != nil {
		return err
	}
	o, err := w.overview(ctx)
	if err != nil {
		return err
	}
	people, facts := w.people(voices), w.facts(o)
	if len(people)+len(facts) < 2 {
		facts = append(facts, w.peak())
	}
	w.begin()
	for n, group := range [][]clause{people, facts} {
		if n > 0 && len(people) > 0 && len(facts) > 0 {
			w.say("; ")
		}
		for k, c := range group {
			if k > 0 {
				w.say(", and ")
			}
			if k == 0 && (n == 0 || len(people) == 0) {
				c.words = capital(c.words)
			}
			c.write(c.words)
		}
	}
	w.finish()
	return nil
}

// people returns the clauses about who started an incident and who spread it.
func (w *writer) people(v *insight.Voices) (clauses []clause) {
	var first *insight.Voice
	if v.Story != nil && len(v.First) > 0 {
		first = &v.First[0]
		clauses = append(clauses, clause{"the first post about it was by ", func(words string) {
			w.say(words)
			w.claim(voiceText(first), w.voiceClaim(FirstClaim, first))
		}})
	}
	var spread []insight.Voice
	for _, by := range v.Engagement {
		isFirst := first != nil && isSameAuthor(&by, first) && len(v.Engagement) > 1
		isNamed := slices.ContainsFunc(spread, func(named insight.Voice) bool { return isSameAuthor(&by, &named) })
		comparable := float64(by.Engagement) >= minSpreadPart*float64(v.Engagement[0].Engagement)
		if len(spread) < shownSpread && by.Engagement >= minEngagement && comparable && !isFirst && !isNamed {
			spread = append(spread, by)
		}
	}
	if len(spread) == 0 {
		return clauses
	}
	return append(clauses, clause{"posts by ", func(words string) {
		w.say(words)
		for k := range spread {
			if k > 0 {
				w.say(" and ")
			}
			w.claim(voiceText(&spread[k]), w.voiceClaim(SpreadClaim, &spread[k]))
		}
		w.say(" got the most engagement")
	}})
}

func (w *writer) voiceClaim(kind ClaimKind, v *insight.Voice) Claim {
	c := Claim{Kind: kind, Name: earshot.OneLine(v.Name, maxName), Value: value(float64(v.Engagement)), Link: w.link(AuthorPage, "")}
	c.Link.Author, c.Link.Source = v.Username, v.Source
	if v.Username == "" {
		c.Link = w.link(PostsPage, filter.Site.Only(v.Name))
	}
	return c
}

// isSameAuthor reports whether two voices are the same author, who has accounts on several networks.
func isSameAuthor(a, b *insight.Voice) bool {
	return strings.EqualFold(cmp.Or(a.Username, a.Name), cmp.Or(b.Username, b.Name)) || a.Role == insight.RoleOwn && b.Role == insight.RoleOwn
}

// voiceRoles are how texts name the roles of authors.
var voiceRoles = map[insight.VoiceRole]string{insight.RoleOwn: "own account", insight.RolePress: "press", insight.RoleCustomer: "customer"}

// voiceText names an author, such as "Nadia Keller (@nadia_brews, 412K followers)".
func voiceText(v *insight.Voice) string {
	name := earshot.OneLine(v.Name, maxName)
	var notes []string
	if handle := earshot.OneLine(strings.TrimPrefix(v.Username, "@"), maxName); handle != "" && !strings.EqualFold(handle, strings.TrimPrefix(name, "@")) && !strings.Contains(handle, "(") {
		notes = append(notes, "@"+handle)
	}
	if role := voiceRoles[v.Role]; role != "" {
		notes = append(notes, role)
	}
	if n := v.Followers.Int(); n >= minFollowers {
		notes = append(notes, format.Compact(float64(n))+" followers")
	}
	if len(notes) == 0 {
		return name
	}
	return name + " (" + strings.Join(notes, ", ") + ")"
}

// facts returns the clauses about what people feel and where they are.
func (w *writer) facts(o *insight.Overview) (clauses []clause) {
	if t, ok := feelingOf(w.query.Monitor, o); ok && !filter.Sentiment.In(w.link(PostsPage, "").Filter) {
		clauses = append(clauses, clause{"", func(string) { w.writeFeeling(t) }})
	}
	if p, ok := placeOf(o); ok {
		clauses = append(clauses, clause{"", func(string) { w.writePlace(p) }})
	}
	return clauses
}

// peak returns the clause about the busiest hour.
func (w *writer) peak() clause {
	return clause{"the busiest hour was ", func(words string) {
		peak := &w.incident.Peak
		c := Claim{Kind: PeakClaim, Value: value(float64(peak.Posts)), Link: w.link(PostsPage, "")}
		c.Link.From, c.Link.To = peak.Time, peak.Time.Add(time.Hour)
		w.say(words)
		w.claim(format.Moment(peak.Time, w.today)+", with "+format.Plural(peak.Posts, "post", "posts"), c)
	}}
}

// writeFeeling writes the share of a sentiment or category.
func (w *writer) writeFeeling(t insight.CategoryTotal) {
	name := strings.TrimPrefix(t.Category.Name, "Basic ")
	c := Claim{Kind: SentimentClaim, Name: name, Value: value(t.Share), Link: w.link(PostsPage, filter.Category.Only(t.Category.Name))}
	text := format.Percent(t.Share)
	if t.High > 0 {
		text = format.PercentInterval(t.Share, t.Low, t.High)
		c.Low, c.High = value(t.Low), value(t.High)
	}
	if w.query.Monitor.HasBasicCategories() {
		c.Link = w.link(PostsPage, filter.Sentiment.Is(strings.ToLower(name)))
		w.claim(text+" of the posts are "+strings.ToLower(name), c)
		return
	}
	w.claim(text+" of the posts are in the category "+earshot.OneLine(name, maxName), c)
}

// overview returns the sentiments and places of the summarized posts.
func (w *writer) overview(ctx context.Context) (*insight.Overview, error) {
	l := w.link(PostsPage, "")
	if l.To.Sub(l.From) > maxExplained && w.incident != nil {
		l.To = l.From.Add(maxExplained)
	}
	r := insight.OverviewRequest{
		Days:  earshot.Days{Start: earshot.DateOf(l.From), End: earshot.DateOf(l.To.Add(-1)).AddDays(1)},
		Parts: []insight.Part{insight.CategoriesPart, insight.PlacesPart, insight.PreviousPart},
	}
	text := l.Filter
	if r.Days.Start.Start(l.From.Location()) != l.From || r.Days.End.Start(l.To.Location()) != l.To {
		text = filter.And(text, filter.Hours(l.From, l.To))
	}
	refinement := w.Filters.Refinement(w.query.Caller, w.query.Monitor, text)
	r.Filter, r.Refine = refinement.Key(), refinement.Selection
	return w.Insight.Overview(ctx, w.query.Monitor, r)
}

// feelingOf returns the sentiment or category that stands out: more posts have it than any other.
// Neutral posts do not count.
func feelingOf(m *earshot.Monitor, o *insight.Overview) (first insight.CategoryTotal, ok bool) {
	var shown []insight.CategoryTotal
	for _, t := range o.Categories {
		if !t.Category.Hidden && t.Category.Name != "Basic Neutral" {
			shown = append(shown, t)
		}
	}
	slices.SortStableFunc(shown, func(a, b insight.CategoryTotal) int { return cmp.Compare(b.Share, a.Share) })
	if len(shown) == 0 || shown[0].Share < minFeeling {
		return first, false
	}
	first = shown[0]
	return first, len(shown) == 1 || max(first.Low, shown[1].High) == first.Low && first.Low > 0 || first.High == 0 && first.Share > shown[1].Share
}

// A place is a country and its share of the posts with a known place.
type place struct {
	name, id string
	share    float64
}

// placeOf returns the country that most posts are from, if their places are known.
func placeOf(o *insight.Overview) (p place, ok bool) {
	if len(o.Places.Countries) == 0 || float64(o.Places.Posts) < minPlaceKnown*float64(o.Posts) {
		return p, false
	}
	top := o.Places.Countries[0]
	p = place{top.Place.Name, geo.Plain(top.Place.Place).ID(), float64(top.Posts) / float64(o.Places.Posts)}
	return p, p.share >= minPlaceShare
}

// writePlace writes how many posts are from a country.
func (w *writer) writePlace(p place) {
	w.claim(fmt.Sprintf("%s of posts with a known location are from %s", format.Percent(p.share), withArticle(p.name)),
		Claim{Kind: PlaceClaim, Name: p.name, Value: value(p.share), Link: w.link(PostsPage, filter.Geolocation.Only(p.id))})
}

// withArticle returns the name of a country in a sentence.
func withArticle(country string) string {
	for _, sign := range []string{"United ", "Netherlands", "Philippines", "Bahamas", "Maldives", "Gambia", "Comoros", "Seychelles", " Islands", " Republic", " Emirates"} {
		if strings.Contains(country, sign) {
			return "the " + country
		}
	}
	return country
}

// writeUsual writes that nothing unusual happened.
func (w *writer) writeUsual(ctx context.Context, learning bool) error {
	e, err := w.explainPeriod(ctx)
	if err != nil {
		return err
	}
	o, err := w.overview(ctx)
	if err != nil {
		return err
	}
	name := w.nameOf(w.query.Monitor)
	when := w.period()
	w.begin()
	posts := func() {
		w.claim(format.Plural(o.Posts, "post", "posts"), Claim{Kind: PostsClaim, Value: value(float64(o.Posts)), Link: w.link(PostsPage, "")})
	}
	expected := func() {
		w.claim(fmt.Sprintf("%s–%s expected", format.Count(e.Expected.Low), format.Count(e.Expected.High)),
			Claim{Kind: ExpectedClaim, Value: value(e.Expected.Posts), Low: value(e.Expected.Low), High: value(e.Expected.High), Link: w.link(WhyPage, "")})
	}
	switch {
	case o.Posts == 0 && e != nil && e.Change == insight.ChangeFewer:
		w.say(name + " had no posts " + when + " (")
		expected()
		w.say(")")
	case o.Posts == 0:
		w.say(name + " had no posts " + when)
		w.finish()
		return nil
	case e != nil && (e.Change == insight.ChangeMore || e.Change == insight.ChangeFewer):
		w.say(name + " had ")
		posts()
		w.say(fmt.Sprintf(" %s, %s than usual (", when, e.Change))
		expected()
		w.say("), but there was no incident")
	case learning:
		w.say(name + " had ")
		posts()
		w.say(" " + when + "; Earshot knows what is usual for it after a few weeks of posts")
	default:
		w.say("Nothing unusual happened " + when + ": " + name + " had ")
		posts()
		w.writeChange(o)
	}
	w.finish()
	if o.Posts > 0 {
		w.writeFeelings(o)
	}
	return nil
}

// writeChange compares the posts with the period before.
func (w *writer) writeChange(o *insight.Overview) {
	if o.Previous == nil || o.Previous.Posts == 0 {
		return
	}
	before := "the day before"
	if n := o.Previous.Days.Len(); n > 1 {
		before = fmt.Sprintf("in the %d days before", n)
	}
	change := float64(o.Posts-o.Previous.Posts) / float64(o.Previous.Posts)
	c := Claim{Kind: ChangeClaim, Value: value(change), Link: w.link(OverviewPage, "")}
	c.Link.From, c.Link.To = o.Previous.Days.Start.Start(w.from.Location()), o.Previous.Days.End.Start(w.from.Location())
	switch percent := format.Percent(math.Abs(change)); {
	case percent == "0%" || percent == "0.0%":
		w.say(", ")
		w.claim("as many as "+before, c)
	case change > 0:
		w.say(", ")
		w.claim(percent+" more than "+before, c)
	default:
		w.say(", ")
		w.claim(percent+" fewer than "+before, c)
	}
}

// writeFeelings writes what people feel in a usual period, and where they are.
func (w *writer) writeFeelings(o *insight.Overview) {
	t, felt := feelingOf(w.query.Monitor, o)
	p, located := placeOf(o)
	if !felt && !located {
		return
	}
	w.begin()
	if felt {
		w.writeFeeling(t)
	}
	if felt && located {
		w.say(", and ")
	}
	if located {
		w.writePlace(p)
	}
	w.finish()
}

// explainPeriod explains the whole period. It returns nil if it is too long to be explained.
func (w *writer) explainPeriod(ctx context.Context) (*insight.Explanation, error) {
	if w.to.Sub(w.from) > maxExplained {
		return nil, nil
	}
	refinement := w.Filters.Refinement(w.query.Caller, w.query.Monitor, w.query.Filter)
	return w.Insight.Explain(ctx, w.query.Monitor, insight.ExplainRequest{From: w.from, To: w.to, Filter: refinement.Key(), Refine: refinement.Selection})
}

// period returns the summarized period, as words after a verb.
func (w *writer) period() string {
	first, last := earshot.DateOf(w.from), earshot.DateOf(w.to.Add(-1))
	zone := w.from.Location()
	switch {
	case first.Start(zone) != w.from || last.AddDays(1).Start(zone) != w.to:
		if first == last {
			return fmt.Sprintf("on %s from %s to %s", format.ShortDays(first, first, w.today), format.Clock(w.from), format.Clock(w.to))
		}
		return "from " + format.Moment(w.from, w.today) + " to " + format.Moment(w.to, w.today)
	case first == last:
		return "on " + format.ShortDays(first, first, w.today)
	}
	return "from " + format.ShortDays(first, first, w.today) + " to " + format.ShortDays(last, last, w.today)
}
