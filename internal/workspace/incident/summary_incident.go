package incident

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/query/filter"
	"earshot/internal/report/format"
)

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
