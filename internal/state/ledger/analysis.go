package ledger

import (
	"time"

	"earshot"
)

// State is the state of an analysis.
type State string

const (
	Waiting State = "WAITING"
	Done    State = "DONE"
	Skipped State = "SKIPPED" // failed too often
)

// An Analysis is an analysis request and its result.
type Analysis struct {
	ID      earshot.ResultID
	User    earshot.UserID
	Teams   []earshot.TeamID // of the user at the time, or the team of the content sources
	Request Request
	Created time.Time

	State   State
	Attempt int       // number of attempts started
	Running bool      // the last attempt is not known to have ended
	Due     time.Time // if WAITING: when the next attempt may start, even if the last one has not ended
	Metrics *Metrics  `json:"Answer"` // if DONE
}

// A Request describes what to analyze.
type Request struct {
	Kinds    []Kind
	Keywords string
	Sources  []Source
	Team     earshot.TeamID // owner of custom sources; 0 if there are none
	Start    time.Time
	End      time.Time // exclusive

	Languages earshot.Choice // as in earshot.Criteria
	Places    earshot.Choice
	Genders   earshot.Choice

	Echo []byte // the request as repeated in responses, in JSON
}

// A Source is a source of a request.
type Source struct {
	Name   string         // in responses, for example TWITTER or CUSTOM:reviews
	Source earshot.Source `json:"Of"` // source of the posts
}

// A Kind is a kind of metric.
type Kind string

const (
	Volume    Kind = "volume"
	Sentiment Kind = "sentiment"
	Emotion   Kind = "emotion"
	Gender    Kind = "gender"
	Age       Kind = "age"
	Ethnicity Kind = "ethnicity"
	Location  Kind = "location"
	Sites     Kind = "source" // by domain
	Affinity  Kind = "affinity"
	Reach     Kind = "reach"
)

// Kinds lists all kinds in the order in which responses contain them.
var Kinds = []Kind{Sentiment, Volume, Emotion, Gender, Age, Ethnicity, Location, Sites, Affinity, Reach}

// Metrics describes the posts of a request. Kinds that were not requested are zero.
type Metrics struct {
	Posts      int64   // number of selected posts
	Sentiments []int64 // by earshot.BasicCategories
	Volume     []int64 // by the request's sources
	Emotions   []int64 // by earshot.BasicEmotions
	Female     int64
	Male       int64
	Ages       []int64 // by age group: ZERO_TO_SEVENTEEN … THIRTYFIVE_AND_OVER
	Ethnicity  EthnicityCounts
	Located    int64        // posts with a country
	Countries  []NamedCount // largest first; the name is the country's code
	Sites      []NamedCount // largest first
	Affinities []AffinityCount
	Reach      int64
}

// EthnicityCounts contains expected numbers of posts.
type EthnicityCounts struct{ White, Latino, Black, Asian int64 }

// A NamedCount is the number of posts with a name, for example a country or a site.
type NamedCount struct {
	Name  string
	Posts int64
}

// An AffinityCount compares how often an interest is mentioned in the microblog posts of the
// request and in the baseline of all recent microblog posts.
type AffinityCount struct {
	Interest      earshot.InterestID
	Posts         int64
	RequestPosts  int64 `json:"Of"`    // all microblog posts of the request
	BaselinePosts int64 `json:"All"`   // microblog posts of the baseline that mention it
	BaselineTotal int64 `json:"OfAll"` // all microblog posts of the baseline
}
