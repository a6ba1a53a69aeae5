package incident

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/insight"
	"earshot/internal/query/filter"
	"earshot/internal/report/format"
)

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
