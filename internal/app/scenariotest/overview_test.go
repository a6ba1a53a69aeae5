package scenariotest

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"earshot"
)

// TestOverviewsAgree generates random posts and checks that an overview agrees with the metrics of
// the public API, and that refining by a listed value gives the listed count.
func TestOverviewsAgree(t *testing.T) {
	for seed := range uint64(3) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, seed)
			for range 2 {
				w.change()
				for _, m := range w.monitors {
					w.compareOverview(m.id)
					w.compareOverview(m.filter)
				}
			}
		})
	}
}

// An overview is the response of the overview endpoint.
type overview struct {
	Posts int64
	Days  []struct {
		Date                 string
		Posts                int64
		Categories, Emotions []int64
	}
	Hours []struct {
		Time                 string
		Posts                int64
		Categories, Emotions []int64
	}
	Categories, Emotions                 []countedItem
	Words, Hashtags, Sites, Sources      []countedItem
	Languages, Ages, Genders, Engagement []countedItem
	Interests                            []countedItem
	Clock                                []struct {
		Weekday string
		Hour    int
		Posts   int64
	}
	Authors struct {
		Count, Posts int64
		Top          []countedItem
	}
	Places struct {
		Located                   int64
		Countries, States, Cities []countedItem
	}
	Images struct {
		Posts           int64
		Classes, Brands []countedItem
	}
}

type countedItem struct {
	ID    any
	Name  string
	Posts int64
}

func (c countedItem) id() string {
	if n, ok := c.ID.(float64); ok {
		return fmt.Sprintf("%.0f", n)
	}
	return fmt.Sprint(c.ID)
}

// compareOverview compares the overview of some days.
func (w *world) compareOverview(id int64) {
	w.Helper()
	start := earshot.Date{Year: 2026, Month: time.March, Day: 1 + w.IntN(12)}
	end := start.AddDays(1 + w.IntN(31))
	asked := fmt.Sprintf("/manage/v1/monitors/%d/overview?start=%s&end=%s", id, start, end)
	days := fmt.Sprintf("?id=%d&start=%s&end=%s", id, start, end)
	var o overview
	w.get(asked, &o)
	metrics := w.results(days)
	check := func(what, of string, got dailyCounts) {
		w.Helper()
		want := metrics[of]
		for key := range want {
			if _, kind, _ := strings.Cut(key, " "); got[key] != want[key] && got.has(kind) {
				w.Errorf("%s: %s: %s is %d, %s says %d", asked, what, key, got[key], of, want[key])
			}
		}
		for key, n := range got {
			if want[key] != n {
				w.Errorf("%s: %s: %s is %d, %s says %d", asked, what, key, n, of, want[key])
			}
		}
	}
	check("days", "results", o.daily())
	hours := dailyCounts{}
	for _, h := range o.Hours {
		hours.add(h.Time, "hour "+h.Time[11:13], h.Posts)
	}
	check("hours", "hourly volume", hours)
	w.compareHours(asked, &o)
	metrics["sources"], metrics["gender"] = metrics["sources"].total(), metrics["gender"].total()
	metrics["imageresults"], metrics["dayandtime of authors"] = metrics["imageresults"].total(), metrics["dayandtime of authors"].total()
	check("sources", "sources", inAll("source ", names(o.Sources)))
	check("genders", "gender", inAll("gender ", ids(o.Genders)))
	check("countries", "countries", inAll("country ", ids(o.Places.Countries)))
	check("pictured", "imageresults", inAll("", map[string]int64{"pictured": o.Images.Posts}))
	clock := int64(0)
	for _, c := range o.Clock {
		clock += c.Posts
	}
	check("clock", "dayandtime of authors", inAll("", map[string]int64{"posts": clock}))
	var cloud struct{ Data map[string]int64 }
	w.get("/api/monitor/wordcloud"+days, &cloud)
	for _, word := range o.Words {
		if cloud.Data[word.Name] != word.Posts {
			w.Errorf("%s: %q occurs %d times, the word cloud has %d", asked, word.Name, word.Posts, cloud.Data[word.Name])
		}
	}
	w.compareRefinement(asked, &o)
}

// compareRefinement requests the posts of each value that an overview lists.
func (w *world) compareRefinement(parameters string, o *overview) {
	w.Helper()
	count := func(filter string) int64 {
		var n overview
		w.get(parameters+"&parts=sources&filter="+url.QueryEscape(filter), &n)
		return n.Posts
	}
	lists := map[string]map[string]int64{
		"gender": ids(o.Genders), "age": ids(o.Ages), "source": names(o.Sources), "site": names(o.Sites), "hashtag": names(o.Hashtags),
		"author": names(o.Authors.Top), "language": ids(o.Languages), "geolocation": ids(o.Places.Countries), "engagement": names(o.Engagement),
		"category": ids(append(o.Categories, o.Emotions...)), "image": ids(o.Images.Classes), "interest": ids(o.Interests),
	}
	for field, values := range lists {
		for value, want := range values {
			if got := count(field + ":" + value); got != want {
				w.Errorf("%s: narrowed to %s %s there are %d, it lists %d", parameters, field, value, got, want)
			}
		}
	}
	byDay := map[string]int64{}
	for _, c := range o.Clock {
		byDay[c.Weekday] += c.Posts
	}
	for weekday, want := range byDay {
		if got := count("weekday:" + weekday); got != want {
			w.Errorf("%s: narrowed to %s there are %d, it lists %d", parameters, weekday, got, want)
		}
	}
}

// daily returns the counts of an overview by day.
func (o *overview) daily() dailyCounts {
	f := dailyCounts{}
	for _, d := range o.Days {
		f.add(d.Date, "posts", d.Posts)
		for i, n := range d.Categories {
			f.add(d.Date, o.Categories[i].id(), n)
		}
		for i, n := range d.Emotions {
			f.add(d.Date, o.Emotions[i].id(), n)
		}
	}
	return f
}

// compareHours checks that the categories and emotions of the hours of a day add up to those of the
// day. The hours of an opinion monitor have no categories.
func (w *world) compareHours(asked string, o *overview) {
	w.Helper()
	if len(o.Hours) == 0 {
		return
	}
	for _, d := range o.Days {
		categories, emotions := make([]int64, len(d.Categories)), make([]int64, len(d.Emotions))
		for _, h := range o.Hours {
			if h.Time[:len(d.Date)] != d.Date {
				continue
			}
			if o.Categories[0].Name != earshot.BasicCategories[0] {
				categories = d.Categories
			}
			for i, n := range h.Categories {
				categories[i] += n
			}
			for i, n := range h.Emotions {
				emotions[i] += n
			}
		}
		if !slices.Equal(categories, d.Categories) || !slices.Equal(emotions, d.Emotions) {
			w.Errorf("%s: the hours of %s add up to %v %v, the day has %v %v", asked, d.Date, categories, emotions, d.Categories, d.Emotions)
		}
	}
}

// total returns the sums over all days.
func (f dailyCounts) total() dailyCounts {
	all := dailyCounts{}
	for key, n := range f {
		_, of, _ := strings.Cut(key, " ")
		all.add("0000-00-00", of, n)
	}
	return all
}

func inAll(prefix string, counts map[string]int64) dailyCounts {
	all := dailyCounts{}
	for name, n := range counts {
		all.add("0000-00-00", prefix+name, n)
	}
	return all
}

func names(list []countedItem) map[string]int64 {
	all := map[string]int64{}
	for _, c := range list {
		all[c.Name] = c.Posts
	}
	return all
}

func ids(list []countedItem) map[string]int64 {
	all := map[string]int64{}
	for _, c := range list {
		all[c.id()] = c.Posts
	}
	return all
}
