package ledger

import (
	"time"

	"earshot"
)

// State is that of an analysis request.
type State string

const (
	Waiting State = "WAITING"
	Done    State = "DONE"
	Skipped State = "SKIPPED" // failed too often
)

// A Analysis is an analysis request and what came of it.
type Analysis struct {
	ID      earshot.ResultID
	User    earshot.UserID
	Teams   []earshot.TeamID // whose members may see it
	Request Request
	Created time.Time

	State   State
	Attempt int       // how many were begun
	Running bool      // the last one has not ended yet, as far as is known
	Due     time.Time // of a WAITING one: when the next attempt may begin, whatever has become of the last
	Metrics *Metrics  `json:"Answer"` // of a DONE one
}

// A Request says what is to be analysed.
type Request struct {
	Kinds    []Kind
	Keywords string
	Sources  []Source
	Team     earshot.TeamID // that custom sources belong to; 0 when there are none
	Start    time.Time
	End      time.Time // exclusive

	Languages earshot.Choice // as in earshot.Criteria
	Places    earshot.Choice
	Genders   earshot.Choice

	Echo []byte // the request as the caller sees it again, JSON
}

// A Source is a source of a request.
type Source struct {
	Name   string         // in answers: TWITTER, CUSTOM:reviews
	Source earshot.Source `json:"Of"` // posts
}

// A Kind is something that an analysis tells.
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

// Kinds lists all there are, in the order in which answers have them.
var Kinds = []Kind{Sentiment, Volume, Emotion, Gender, Age, Ethnicity, Location, Sites, Affinity, Reach}

// An Metrics is what the posts of a request are. Of kinds that were not asked for it has nothing.
type Metrics struct {
	Posts      int64   // selected
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

// EthnicityCounts are expected numbers of posts.
type EthnicityCounts struct{ White, Latino, Black, Asian int64 }

// A NamedCount is a count of something that has a name.
type NamedCount struct {
	Name  string
	Posts int64
}

// An AffinityCount says how often microblog posts speak of an interest: those of the request,
// and all.
type AffinityCount struct {
	Interest      earshot.InterestID
	Posts         int64
	RequestPosts  int64 `json:"Of"`    // microblog posts of the request
	BaselinePosts int64 `json:"All"`   // microblog posts of everyone that speak of it
	BaselineTotal int64 `json:"OfAll"` // microblog posts of everyone
}
