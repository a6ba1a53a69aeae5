package journal

import (
	"time"

	"earshot"
)

// The records below are the durable format, and so are the field names of the
// domain's Place, Point and Image, which posts carry as they are. Names may be
// added; the meaning of those that are here never changes.
//
// Ids are plain numbers here: the domain's types read themselves from text,
// which JSON would then insist on.

// A head is the first line of an entry. Posts tells how many lines follow.
type head struct {
	Posts    int             `json:"posts,omitempty"`
	Deletion *deletionRecord `json:"deletion,omitempty"`
	Figures  *figuresRecord  `json:"figures,omitempty"`
}

type deletionRecord struct {
	ContentSource int64    `json:"source"`
	Batch         string   `json:"batch,omitempty"`
	GUIDs         []string `json:"guids,omitempty"`
	URLs          []string `json:"urls,omitempty"`
}

type figuresRecord struct {
	Monitor   int64            `json:"monitor"`
	Snapshots []snapshotRecord `json:"snapshots"`
}

type snapshotRecord struct {
	Date      earshot.Date  `json:"date"`
	Followers earshot.Count `json:"followers,omitzero"`
	Likes     earshot.Count `json:"likes,omitzero"`
}

func newHead(e Entry) head {
	h := head{Posts: len(e.Posts)}
	if d := e.Deletion; d != nil {
		h.Deletion = &deletionRecord{int64(d.ContentSource), d.Batch, d.GUIDs, d.URLs}
	}
	if f := e.Figures; f != nil {
		h.Figures = &figuresRecord{int64(f.Monitor), make([]snapshotRecord, len(f.Snapshots))}
		for i, s := range f.Snapshots {
			h.Figures.Snapshots[i] = snapshotRecord(s)
		}
	}
	return h
}

// entry returns what the head itself holds: everything but posts.
func (h head) entry() (e Entry) {
	if d := h.Deletion; d != nil {
		e.Deletion = &earshot.Deletion{ContentSource: earshot.ContentSourceID(d.ContentSource), Batch: d.Batch, GUIDs: d.GUIDs, URLs: d.URLs}
	}
	if f := h.Figures; f != nil {
		e.Figures = &Figures{Monitor: earshot.MonitorID(f.Monitor), Snapshots: make([]earshot.Snapshot, len(f.Snapshots))}
		for i, s := range f.Snapshots {
			e.Figures.Snapshots[i] = earshot.Snapshot(s)
		}
	}
	return e
}

// A postLine is a line of an entry: a post and its ids.
type postLine struct {
	postRecord
	ContentSource int64 `json:"cs,omitempty"`
	Team          int64 `json:"tm,omitempty"`
}

func newPostLine(p *earshot.Post) postLine {
	line := postLine{postRecord: postRecord(*p), ContentSource: int64(p.ContentSource), Team: int64(p.Team)}
	line.Time = line.Time.UTC()
	return line
}

func (line *postLine) post() earshot.Post {
	p := earshot.Post(line.postRecord)
	p.ContentSource = earshot.ContentSourceID(line.ContentSource)
	p.Team = earshot.TeamID(line.Team)
	p.Time = p.Time.UTC()
	return p
}

// A postRecord has the fields of earshot.Post in the same order, so that the
// compiler refuses the conversion when a field is added there and not here.
type postRecord struct {
	Source        earshot.Source          `json:"s,omitempty"`
	ContentSource earshot.ContentSourceID `json:"-"` // in postLine
	Team          earshot.TeamID          `json:"-"` // in postLine
	Batch         string                  `json:"b,omitempty"`
	GUID          string                  `json:"g,omitempty"`
	URL           string                  `json:"u,omitempty"`
	Site          string                  `json:"st,omitempty"`
	Time          time.Time               `json:"t,omitzero"`

	Title    string `json:"ti,omitempty"`
	Contents string `json:"c,omitempty"`
	Language string `json:"l,omitempty"`

	Author          string         `json:"a,omitempty"`
	AuthorUsername  string         `json:"au,omitempty"`
	AuthorProfileID string         `json:"ap,omitempty"`
	Bio             string         `json:"bio,omitempty"`
	Gender          earshot.Gender `json:"ge,omitempty"`
	Age             earshot.Count  `json:"age,omitzero"`
	Followers       earshot.Count  `json:"fo,omitzero"`
	Following       earshot.Count  `json:"fg,omitzero"`
	AuthorPosts     earshot.Count  `json:"po,omitzero"`
	Klout           earshot.Count  `json:"kl,omitzero"`
	Verified        bool           `json:"v,omitempty"`

	Location  string         `json:"lo,omitempty"`
	Place     earshot.Place  `json:"pl,omitzero"`
	Point     *earshot.Point `json:"pt,omitempty"`
	Zipcode   string         `json:"z,omitempty"`
	Geotagged bool           `json:"gt,omitempty"`

	Engagement earshot.Engagement `json:"e,omitempty"`
	ParentGUID string             `json:"pg,omitempty"`
	PageID     string             `json:"pi,omitempty"`
	Likes      earshot.Count      `json:"li,omitzero"`
	Shares     earshot.Count      `json:"sh,omitzero"`
	Comments   earshot.Count      `json:"co,omitzero"`
	Replies    earshot.Count      `json:"re,omitzero"`
	Retweets   earshot.Count      `json:"rt,omitzero"`
	Views      earshot.Count      `json:"vi,omitzero"`
	Rating     *float64           `json:"ra,omitempty"`

	Hashtags  []string          `json:"h,omitempty"`
	Links     []string          `json:"lk,omitempty"`
	MediaURLs []string          `json:"m,omitempty"`
	Images    []earshot.Image   `json:"im,omitempty"`
	Custom    map[string]string `json:"cu,omitempty"`
}
