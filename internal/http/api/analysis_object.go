package api

import (
	"slices"
	"sync"

	"earshot"
	"earshot/internal/analysis"
	"earshot/internal/geo"
	"earshot/internal/insight"
	"earshot/internal/jsonvalue"
	"earshot/internal/model/interest"
	"earshot/internal/state/ledger"
)

// An analysisObject contains the requested kinds of analysis, in the order of ledger.Kinds.
type analysisObject struct {
	Sentiment *sentimentParts     `json:"sentiment,omitempty" doc:"posts by sentiment"`
	Volume    *counts             `json:"volume,omitempty" doc:"posts by source, for every requested source"`
	Emotion   *emotionParts       `json:"emotion,omitempty" doc:"posts by emotion"`
	Gender    *genderPosts        `json:"gender,omitempty" doc:"posts by the gender of their authors"`
	Age       *ageGroups          `json:"age,omitempty" doc:"posts by the age of their authors"`
	Ethnicity *ethnicityPosts     `json:"ethnicity,omitempty" doc:"estimated number of posts by ethnic group, based on the frequency of surnames in the United States; 0 if there are too few different surnames"`
	Location  *locationPosts      `json:"location,omitempty" doc:"posts by country"`
	Source    *counts             `json:"source,omitempty" doc:"posts by domain: the 100 most frequent domains"`
	Affinity  *[]analysisAffinity `json:"affinity,omitempty" doc:"interests with at least 5 microblog posts, most relevant first"`
	Reach     *int64              `json:"reach,omitempty" doc:"total number of the authors' followers, added up over all microblog posts"`
}

type part struct {
	Proportion float64 `json:"proportion" doc:"share of the posts for which this is known, from 0 to 1"`
	Count      int64   `json:"count" doc:"number of posts"`
}

type sentimentParts struct {
	Positive part `json:"positive" doc:"positive posts"`
	Neutral  part `json:"neutral" doc:"neutral posts"`
	Negative part `json:"negative" doc:"negative posts"`
}

type emotionParts struct {
	Joy      part `json:"Joy" doc:"posts that show joy"`
	Sadness  part `json:"Sadness" doc:"posts that show sadness"`
	Neutral  part `json:"Neutral" doc:"posts that show none of the other emotions"`
	Disgust  part `json:"Disgust" doc:"posts that show disgust"`
	Anger    part `json:"Anger" doc:"posts that show anger"`
	Surprise part `json:"Surprise" doc:"posts that show surprise"`
	Fear     part `json:"Fear" doc:"posts that show fear"`
}

type genderPosts struct {
	Female int64 `json:"F" doc:"posts by women"`
	Male   int64 `json:"M" doc:"posts by men"`
}

type ethnicityPosts struct {
	White  int64 `json:"White" doc:"posts by white people"`
	Latino int64 `json:"Latino" doc:"posts by Latinos"`
	Black  int64 `json:"Black" doc:"posts by black people"`
	Asian  int64 `json:"Asian" doc:"posts by Asians"`
}

type locationPosts struct {
	TotalVolume int64           `json:"totalVolume" doc:"number of posts whose country is known"`
	Data        []countryVolume `json:"data" doc:"the countries, most posts first"`
}

type countryVolume struct {
	Info       countryInfo `json:"info" doc:"the country"`
	Volume     int64       `json:"volume" doc:"number of posts"`
	PerMillion float64     `json:"perMillion" doc:"posts per million inhabitants; 0 if the population is unknown"`
}

type countryInfo struct {
	ID      string `json:"id" doc:"geography id"`
	Name    string `json:"name" doc:"name of the country"`
	Country string `json:"country" doc:"ISO 3166 alpha-3 code"`
}

type analysisAffinity struct {
	Affinity          string  `json:"affinity" doc:"name of the interest"`
	LocalCount        int64   `json:"localCount" doc:"microblog posts of this analysis with the interest"`
	LocalPercentage   float64 `json:"localPercentage" doc:"the same as a percentage of the analysis's microblog posts"`
	TwitterCount      int64   `json:"twitterCount" doc:"all microblog posts with the interest; older posts count less"`
	TwitterPercentage float64 `json:"twitterPercentage" doc:"the same as a percentage of all microblog posts"`
	SegmentID         int64   `json:"segmentId" doc:"id of the group that the interest belongs to"`
	SegmentName       string  `json:"segmentName" doc:"name of the group"`
	Relevance         float64 `json:"relevance" doc:"how many times more frequent it is than on microblogs in general"`
}

func newAnalysisObject(r *ledger.Analysis) (o analysisObject) {
	a := r.Metrics
	for _, kind := range r.Request.Kinds {
		switch kind {
		case ledger.Sentiment:
			p := newParts(a.Sentiments)
			o.Sentiment = &sentimentParts{p[earshot.Positive], p[earshot.Neutral], p[earshot.Negative]}
		case ledger.Volume:
			volume := make(counts, len(r.Request.Sources))
			for i, source := range r.Request.Sources {
				volume[i] = insight.Count{Name: source.Name, Posts: a.Volume[i]}
			}
			o.Volume = &volume
		case ledger.Emotion:
			p := newParts(a.Emotions)
			o.Emotion = &emotionParts{p[earshot.Joy], p[earshot.Sadness], p[earshot.NoEmotion], p[earshot.Disgust], p[earshot.Anger], p[earshot.Surprise], p[earshot.Fear]}
		case ledger.Gender:
			o.Gender = &genderPosts{a.Female, a.Male}
		case ledger.Age:
			o.Age = &ageGroups{a.Ages[0], a.Ages[1], a.Ages[2], a.Ages[3]}
		case ledger.Ethnicity:
			o.Ethnicity = (*ethnicityPosts)(&a.Ethnicity)
		case ledger.Location:
			o.Location = &locationPosts{a.Located, jsonvalue.Map(a.Countries, newCountryVolume)}
		case ledger.Sites:
			sites := counts(jsonvalue.Map(a.Sites, func(n ledger.NamedCount) insight.Count { return insight.Count(n) }))
			o.Source = &sites
		case ledger.Affinity:
			list := jsonvalue.Map(a.Affinities, newAnalysisAffinity)
			o.Affinity = &list
		case ledger.Reach:
			o.Reach = &a.Reach
		}
	}
	return o
}

// newParts pairs each count with its proportion of the sum.
func newParts(posts []int64) []part {
	parts := make([]part, len(posts))
	for i, fraction := range insight.Fractions(posts) {
		parts[i] = part{fraction, posts[i]}
	}
	return parts
}

// newCountryVolume uses the code as the name of a country that is no longer in the gazetteer.
func newCountryVolume(n ledger.NamedCount) countryVolume {
	item, ok := geo.Lookup(earshot.Place{Country: n.Name})
	if !ok {
		item.Name = n.Name
	}
	count := insight.PlaceCount{Place: item, Posts: n.Posts}
	return countryVolume{countryInfo{n.Name, item.Name, n.Name}, n.Posts, jsonvalue.Round(count.PerMillion())}
}

func newAnalysisAffinity(c ledger.AffinityCount) analysisAffinity {
	in, _ := interest.Lookup(c.Interest)
	id, name := segmentOf(in)
	return analysisAffinity{
		Affinity: in.Name, LocalCount: c.Posts, LocalPercentage: percent(c.Posts, c.RequestPosts),
		TwitterCount: c.BaselinePosts, TwitterPercentage: percent(c.BaselinePosts, c.BaselineTotal),
		SegmentID: id, SegmentName: name, Relevance: jsonvalue.Round(analysis.Relevance(c)),
	}
}

// segments lists the groups of interests, in the order of their first interests.
var segments = sync.OnceValue(func() (groups []string) {
	for _, in := range interest.All() {
		if !slices.Contains(groups, in.Group) {
			groups = append(groups, in.Group)
		}
	}
	return groups
})

// segmentOf returns the ID and name of an interest's group. IDs start at 1.
func segmentOf(in interest.Interest) (id int64, name string) {
	return int64(slices.Index(segments(), in.Group)) + 1, in.Group
}
