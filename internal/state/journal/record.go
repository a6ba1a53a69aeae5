package journal

import "earshot"

// The records below are the durable format of everything but posts. Names may be
// added; the meaning of those that are here never changes.

// A head is the first line of an entry. Posts tells how many follow.
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
