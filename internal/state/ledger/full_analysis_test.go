package ledger

import (
	"time"

	"earshot"
)

// zone has an offset with seconds.
var zone = time.FixedZone("somewhere", 5*3600+1800+1)

// fullAnalysis returns an analysis with every field set.
func fullAnalysis() *Analysis {
	moment := time.Date(2026, 3, 15, 12, 30, 45, 123456789, time.UTC)
	choice := func(value string) earshot.Choice {
		return earshot.Choice{Exclude: true, Values: []string{value, "all"}}
	}
	return &Analysis{
		ID: earshot.FirstID, User: 2, Teams: []earshot.TeamID{3, 4}, Created: moment,
		Request: Request{
			Kinds:     Kinds,
			Keywords:  `"blue sky" AND (über OR <b>)`,
			Sources:   []Source{{Name: "TWITTER", Source: earshot.Twitter}, {Name: "CUSTOM:reviews", Source: "5"}},
			Team:      3,
			Start:     moment.Add(-24*time.Hour + 1),
			End:       moment.Add(2),
			Languages: choice("EN"), Places: choice("USA"), Genders: choice("F"),
			Echo: []byte(`{"keywords":"blue & sky"}`),
		},
		State: Done, Attempt: 6, Running: true, Due: moment.Add(3),
		Metrics: &Metrics{
			Posts: 100, Sentiments: []int64{1, 2, 3}, Volume: []int64{60, 40}, Emotions: []int64{4, 5, 6, 7, 8, 9, 10},
			Female: 11, Male: 12, Ages: []int64{13, 14, 15, 16}, Ethnicity: EthnicityCounts{White: 17, Latino: 18, Black: 19, Asian: 20},
			Located: 21, Countries: []NamedCount{{Name: "USA", Posts: 22}}, Sites: []NamedCount{{Name: "example.com", Posts: 23}},
			Affinities: []AffinityCount{{Interest: 24, Posts: 25, RequestPosts: 26, BaselinePosts: 27, BaselineTotal: 28}}, Reach: 1 << 53,
		},
	}
}
