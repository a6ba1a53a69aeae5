package journal

import (
	"encoding/json"
	"time"

	"earshot"
)

// A header is the first line of an encoded entry: the number of posts that follow, or the stored
// form of any other change. New names may be added; existing names never change their meaning.
type header struct {
	Posts     int            `json:"posts,omitempty"`
	Deletion  *deletionJSON  `json:"deletion,omitempty"`
	Snapshots *snapshotsJSON `json:"figures,omitempty"`
	Pictures  *picturesJSON  `json:"pictures,omitempty"`
	Looks     []lookJSON     `json:"looks,omitempty"`
	Origin    *originJSON    `json:"origin,omitempty"`
}

type originJSON struct {
	Source   int64           `json:"source"`
	Cursor   string          `json:"cursor,omitempty"`
	Counters json.RawMessage `json:"counters,omitempty"`
}

type deletionJSON struct {
	ContentSource int64     `json:"source"`
	Network       string    `json:"network,omitempty"`
	Batch         string    `json:"batch,omitempty"`
	GUIDs         []string  `json:"guids,omitempty"`
	URLs          []string  `json:"urls,omitempty"`
	Pages         []string  `json:"pages,omitempty"`
	Before        time.Time `json:"before,omitzero"`
	Accounts      []string  `json:"accounts,omitempty"`
}

type snapshotsJSON struct {
	Monitor   int64          `json:"monitor"`
	Snapshots []snapshotJSON `json:"snapshots"`
}

type snapshotJSON struct {
	Date      earshot.Date  `json:"date"`
	Followers earshot.Count `json:"followers,omitzero"`
	Likes     earshot.Count `json:"likes,omitzero"`
}

func newHeader(e Entry) header {
	h := header{Posts: len(e.Posts)}
	if d := e.Deletion; d != nil {
		h.Deletion = &deletionJSON{int64(d.ContentSource), string(d.Source), d.Batch, d.GUIDs, d.URLs, d.Pages, d.Before, d.Accounts}
	}
	if o := e.Origin; o != nil {
		h.Origin = &originJSON{int64(o.Source), o.Cursor, json.RawMessage(o.Counters)}
	}
	if f := e.Snapshots; f != nil {
		h.Snapshots = &snapshotsJSON{int64(f.Monitor), make([]snapshotJSON, len(f.Snapshots))}
		for i, s := range f.Snapshots {
			h.Snapshots.Snapshots[i] = snapshotJSON(s)
		}
	}
	if p := e.Pictures; p != nil {
		h.Pictures = newPictures(p)
	}
	for _, l := range e.Looks {
		h.Looks = append(h.Looks, newLook(l))
	}
	return h
}

// entry returns the change in the header, without posts.
func (h header) entry() (e Entry) {
	if d := h.Deletion; d != nil {
		e.Deletion = &earshot.Deletion{
			ContentSource: earshot.ContentSourceID(d.ContentSource), Source: earshot.Source(d.Network),
			Batch: d.Batch, GUIDs: d.GUIDs, URLs: d.URLs, Pages: d.Pages, Before: d.Before, Accounts: d.Accounts,
		}
	}
	e.Origin = h.origin()
	if f := h.Snapshots; f != nil {
		e.Snapshots = &AccountSnapshots{Monitor: earshot.MonitorID(f.Monitor), Snapshots: make([]earshot.Snapshot, len(f.Snapshots))}
		for i, s := range f.Snapshots {
			e.Snapshots.Snapshots[i] = earshot.Snapshot(s)
		}
	}
	if h.Pictures != nil {
		e.Pictures = h.Pictures.pictures()
	}
	for _, l := range h.Looks {
		e.Looks = append(e.Looks, l.look())
	}
	return e
}

func (h header) origin() *Origin {
	if h.Origin == nil {
		return nil
	}
	return &Origin{Source: earshot.LiveSourceID(h.Origin.Source), Cursor: h.Origin.Cursor, Counters: string(h.Origin.Counters)}
}
