package memory

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/model/people"
	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
)

// tally first lists the posts of each row, then evaluates each list.
func (o *oracle) tally(ctx context.Context, of poststore.Selection, t poststore.Tally) ([]poststore.Row, error) {
	if err := enginekit.CheckTally(&t); err != nil {
		return nil, err
	}
	switch {
	case slices.Contains(t.By, poststore.BySets):
		return o.bySets(of, t), ctx.Err()
	case slices.Contains(t.By, poststore.ByEthnicity):
		return o.byEthnicity(of, t), ctx.Err()
	}
	var rows []poststore.Row
	for _, key := range o.keys(of, t) {
		var posts []earshot.Post
		for _, p := range o.taken(of, t) {
			if hasAll(p, t, key) {
				posts = append(posts, p)
			}
		}
		row := poststore.Row{Key: key, Posts: int64(len(posts))}
		for _, m := range t.Sum {
			row.Sums = append(row.Sums, sum(m, posts))
		}
		rows = append(rows, row)
	}
	// keys is sorted, so a stable sort keeps ties in key order.
	slices.SortStableFunc(rows, func(a, b poststore.Row) int { return int(b.Posts - a.Posts) })
	if t.Top > 0 {
		var kept []poststore.Row
		for i, row := range rows {
			if i < t.Top || len(row.Key) == 1 && slices.Contains(t.IncludeKeys, row.Key[0]) || hasTopSum(t, rows, i) {
				kept = append(kept, row)
			}
		}
		rows = kept
	}
	return rows, ctx.Err()
}

// hasTopSum reports whether a row is included for its first sum: fewer than TopSum rows precede it.
func hasTopSum(t poststore.Tally, rows []poststore.Row, i int) bool {
	if t.TopSum == 0 || rows[i].Sums[0] == 0 {
		return false
	}
	before := 0
	for j := range rows {
		if rows[j].Sums[0] > rows[i].Sums[0] || rows[j].Sums[0] == rows[i].Sums[0] && j < i {
			before++
		}
	}
	return before < t.TopSum
}

// taken returns the posts that a tally counts.
func (o *oracle) taken(of poststore.Selection, t poststore.Tally) []earshot.Post {
	return slices.DeleteFunc(o.selected(of), func(p earshot.Post) bool {
		return len(t.Sources) > 0 && !slices.Contains(t.Sources, p.Source)
	})
}

// byEthnicity lists the authors and estimates their shares with the model.
func (o *oracle) byEthnicity(of poststore.Selection, t poststore.Tally) (rows []poststore.Row) {
	var authors []string
	for _, p := range o.taken(of, t) {
		authors = append(authors, p.Author)
	}
	model, err := people.New()
	if err != nil {
		panic(err)
	}
	s := model.Ethnicity(slices.Values(authors))
	shares := map[string]float64{"Asian": s.Asian, "Black": s.Black, "Latino": s.Latino, "Other": s.Other, "White": s.White}
	for _, key := range slices.Sorted(maps.Keys(shares)) {
		const close = 1e-6 // tolerance for rounding of percentages
		if n := math.Floor(shares[key]*float64(s.Known) + 0.5 + close); n > 0 {
			rows = append(rows, poststore.Row{Key: []string{key}, Posts: int64(n)})
		}
	}
	slices.SortStableFunc(rows, func(a, b poststore.Row) int { return int(b.Posts - a.Posts) })
	return rows
}

// bySets computes for each post the key of the sets that contain it.
func (o *oracle) bySets(of poststore.Selection, t poststore.Tally) (rows []poststore.Row) {
	o.mu.Lock()
	defer o.mu.Unlock()
	counts := map[string]int64{}
	for _, m := range o.posts {
		if m = corrected(of.Corrections, m); !o.picks(of, m) || len(t.Sources) > 0 && !slices.Contains(t.Sources, m.Post.Source) {
			continue
		}
		key := make([]byte, (len(t.Sets)+7)/8)
		for i, id := range t.Sets {
			if slices.Contains(m.Sets, id) {
				key[i>>3] += 1 << (i & 7)
			}
		}
		counts[string(key)]++
	}
	for _, key := range slices.Sorted(maps.Keys(counts)) {
		rows = append(rows, poststore.Row{Key: []string{key}, Posts: counts[key]})
	}
	slices.SortStableFunc(rows, func(a, b poststore.Row) int { return int(b.Posts - a.Posts) })
	return rows
}

// keys returns the combinations of values that selected posts have, in order.
func (o *oracle) keys(of poststore.Selection, t poststore.Tally) [][]string {
	if len(t.By) == 0 {
		return [][]string{{}}
	}
	var keys [][]string
	for _, p := range o.taken(of, t) {
		combinations := [][]string{{}}
		for _, d := range t.By {
			var longer [][]string
			for _, c := range combinations {
				for _, v := range valuesOf(p, d, t.Zone) {
					longer = append(longer, append(slices.Clone(c), v))
				}
			}
			combinations = longer
		}
		keys = append(keys, combinations...)
	}
	slices.SortFunc(keys, slices.Compare)
	return slices.CompactFunc(keys, slices.Equal)
}

func hasAll(p earshot.Post, t poststore.Tally, key []string) bool {
	for i, d := range t.By {
		if !slices.Contains(valuesOf(p, d, t.Zone), key[i]) {
			return false
		}
	}
	return true
}

// hasOneOf searches for each key separately, and for an id as the first word of a value.
func hasOneOf(p earshot.Post, h poststore.Having) bool {
	for _, key := range h.Keys {
		for _, v := range valuesOf(p, h.By, h.Zone) {
			pictured := h.By == poststore.ByImageClass || h.By == poststore.ByBrand
			if v == key || pictured && key != "" && strings.HasPrefix(v, key+" ") && !strings.Contains(key, " ") {
				return true
			}
		}
	}
	return false
}

func valuesOf(p earshot.Post, d poststore.Dim, zone *time.Location) []string {
	if zone == nil {
		zone = time.UTC
	}
	var values []string
	switch d {
	case poststore.ByHour:
		values = []string{hourOf(p.Time.In(zone)).UTC().Format("2006-01-02T15:04:05Z")}
	case poststore.ByDay:
		values = []string{p.Time.In(zone).Format("2006-01-02")}
	case poststore.BySource:
		values = []string{string(p.Source)}
	case poststore.ByContentSource:
		values = []string{strings.TrimPrefix(strconv.Itoa(int(p.ContentSource)), "0")}
	case poststore.BySite:
		values = []string{enginekit.RegisteredDomain(p.Site)}
	case poststore.ByLanguage:
		values = []string{p.Language}
	case poststore.ByCountry:
		values = []string{p.Place.Country}
	case poststore.ByState:
		values = []string{joinID(p.Place.Country, p.Place.State)}
	case poststore.ByCity:
		values = []string{joinID(p.Place.Country, p.Place.State, p.Place.City)}
	case poststore.ByGender:
		values = []string{string(p.Gender)}
	case poststore.ByAge:
		values = agesOf(p)
	case poststore.ByAuthor:
		values = authorOf(p)
	case poststore.ByHashtag:
		values = p.Hashtags
	case poststore.ByCashtag:
		values = p.Cashtags
	case poststore.ByEngagement:
		values = []string{string(p.Engagement)}
	case poststore.ByParent:
		values = []string{p.ParentGUID}
	case poststore.BySentiment:
		values = largestOf(p.Sentiment[:], earshot.BasicCategories)
	case poststore.ByEmotion:
		values = largestOf(p.Emotion[:], earshot.BasicEmotions)
	case poststore.BySentimentCell:
		if cell := p.Sentiment.Cell(); cell > 0 {
			values = []string{fmt.Sprint(cell)}
		}
	case poststore.ByEmotionCell:
		if cell := p.Emotion.Cell(); cell > 0 {
			values = []string{fmt.Sprint(cell)}
		}
	case poststore.ByModels:
		values = []string{fmt.Sprint(p.InferredBy)}
	case poststore.ByPicture:
		if len(p.Images) > 0 {
			values = []string{"yes"}
		}
	case poststore.ByRetweeted:
		if p.Engagement == "RETWEET" && p.ParentGUID != "" {
			values = []string{fmt.Sprintf("%s %s", p.Source, p.ParentGUID)}
		}
	case poststore.ByClock:
		if name, ok := geo.TimeZone(p.Place); ok && p.Place.Country != "" {
			zone, _ = time.LoadLocation(name)
		}
		values = []string{p.Time.In(zone).Format("Monday ") + strings.TrimPrefix(p.Time.In(zone).Format("15"), "0")}
		if strings.HasSuffix(values[0], " ") {
			values[0] += "0"
		}
	case poststore.ByInterest:
		for _, id := range slices.Concat(p.Interests, p.AuthorInterests) {
			values = append(values, fmt.Sprint(id))
		}
	case poststore.ByImageClass:
		for _, i := range p.Images {
			for _, o := range i.Objects {
				values = append(values, fmt.Sprintf("%d %s", o.ClassID, o.ClassName))
			}
		}
	case poststore.ByBrand:
		for _, i := range p.Images {
			for _, b := range i.Brands {
				values = append(values, strings.Join(strings.Split(b.ID, " "), "_")+" "+b.Name)
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(values), func(v string) bool { return v == "" })
}

// hourOf steps back minute by minute as long as the clock runs evenly and shows the same hour.
func hourOf(t time.Time) time.Time {
	t = t.Truncate(time.Minute)
	for {
		before := t.Add(-time.Minute)
		if before.Hour() != t.Hour() || before.Minute() != t.Minute()-1 {
			return t
		}
		t = before
	}
}

// joinID joins the parts of an id. It returns "" if one is missing.
func joinID(parts ...string) string {
	if slices.Contains(parts, "") {
		return ""
	}
	return strings.Join(parts, ".")
}

// largestOf returns the name of the highest score, the first of equal ones.
func largestOf(scores []earshot.Percent, names []string) []string {
	largest := -1
	for i, score := range scores {
		if score > 0 && (largest < 0 || score > scores[largest]) {
			largest = i
		}
	}
	if largest < 0 {
		return nil
	}
	return names[largest : largest+1]
}

func agesOf(p earshot.Post) []string {
	years, stated := p.Age.Value()
	switch {
	case !stated && p.AgeGroup > 0:
		return []string{earshot.AgeGroups[p.AgeGroup-1]}
	case !stated:
		return nil
	case years >= 35:
		return []string{"THIRTYFIVE_AND_OVER"}
	case years >= 25:
		return []string{"TWENTYFIVE_TO_THIRTYFOUR"}
	case years >= 18:
		return []string{"EIGHTEEN_TO_TWENTYFOUR"}
	}
	return []string{"ZERO_TO_SEVENTEEN"}
}

func authorOf(p earshot.Post) []string {
	if p.AuthorUsername != "" {
		return []string{strings.ToLower(p.AuthorUsername)}
	}
	return []string{strings.ToLower(p.Author)}
}

func sum(m poststore.Measure, posts []earshot.Post) int64 {
	figures := map[poststore.Measure]func(p earshot.Post) earshot.Count{
		poststore.Impressions: func(p earshot.Post) earshot.Count { return p.Followers },
		poststore.Likes:       func(p earshot.Post) earshot.Count { return p.Likes },
		poststore.Shares:      func(p earshot.Post) earshot.Count { return p.Shares },
		poststore.Comments:    func(p earshot.Post) earshot.Count { return p.Comments },
		poststore.Replies:     func(p earshot.Post) earshot.Count { return p.Replies },
		poststore.Retweets:    func(p earshot.Post) earshot.Count { return p.Retweets },
		poststore.Views:       func(p earshot.Post) earshot.Count { return p.Views },
	}
	total, authors := new(big.Int), map[string]bool{}
	for _, p := range posts {
		authors[authorOf(p)[0]] = true
		if figure := figures[m]; figure != nil {
			total.Add(total, big.NewInt(figure(p).Int()))
		}
	}
	if m == poststore.Authors {
		delete(authors, "")
		return int64(len(authors))
	}
	if !total.IsInt64() {
		return 1<<63 - 1
	}
	return total.Int64()
}
