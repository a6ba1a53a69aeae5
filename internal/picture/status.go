package picture

import "earshot"

// A Status reports how far the pictures of posts have been looked at. Counts are since the process
// started.
type Status struct {
	Fetched       bool             `json:"fetched"`       // the setting images.fetch
	Position      earshot.Position `json:"position"`      // of the last journal entry that is dealt with
	Lag           int64            `json:"lag"`           // later journal entries
	Waiting       int              `json:"waiting"`       // pictures
	OldestSeconds int64            `json:"oldestSeconds"` // how long the oldest of them has waited
	Looked        int64            `json:"looked"`        // pictures that were classified
	Cached        int64            `json:"cached"`        // pictures whose classes were known
	Failed        int64            `json:"failed"`        // pictures that could not be fetched or read
	Thumbnails    int64            `json:"thumbnails"`
	Bytes         int64            `json:"bytes"` // of thumbnails
}

// Status returns how far pictures have been looked at. fetched means that Run is used, and last is the
// last position of the journal.
func (s *Service) Status(fetched bool, last earshot.Position) Status {
	st := s.Stats()
	status := Status{
		Fetched: fetched, Waiting: st.Waiting, OldestSeconds: int64(st.Oldest.Seconds()),
		Looked: st.Looked, Cached: st.Cached, Failed: st.Failed, Thumbnails: st.Thumbnails, Bytes: st.ThumbnailSize,
	}
	if fetched {
		status.Position, status.Lag = st.Position, max(int64(last)-int64(st.Position), 0)
	}
	return status
}
