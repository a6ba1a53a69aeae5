package stream

import (
	"slices"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/state/catalog"
	"earshot/internal/state/feed"
	"earshot/internal/state/journal"
)

// routes maps monitors to the streams that contain their posts. It follows the catalog; an update
// costs time proportional to the number of changed streams.
type routes struct {
	version   uint64
	byMonitor map[earshot.MonitorID][]route
	byStream  map[earshot.StreamID][]earshot.StreamMonitor
}

type route struct {
	stream earshot.StreamID
	after  earshot.Position // journal position when the monitor was added; earlier entries are skipped
}

// update applies catalog changes since the last call.
func (r *routes) update(streams *catalog.Table[earshot.StreamID, earshot.Stream]) {
	ids, version := streams.Changes(r.version)
	if r.byMonitor == nil {
		r.byMonitor, r.byStream = map[earshot.MonitorID][]route{}, map[earshot.StreamID][]earshot.StreamMonitor{}
	}
	for _, id := range ids {
		r.remove(id)
		if st, ok := streams.Find(id); ok {
			r.add(st)
		}
	}
	r.version = version
}

func (r *routes) add(st *earshot.Stream) {
	for _, m := range st.Monitors {
		r.byMonitor[m.ID] = append(r.byMonitor[m.ID], route{st.ID, m.After})
	}
	r.byStream[st.ID] = st.Monitors
}

func (r *routes) remove(id earshot.StreamID) {
	for _, m := range r.byStream[id] {
		left := slices.DeleteFunc(r.byMonitor[m.ID], func(to route) bool { return to.stream == id })
		if len(left) == 0 {
			delete(r.byMonitor, m.ID)
		} else {
			r.byMonitor[m.ID] = left
		}
	}
	delete(r.byStream, id)
}

// maxCollectBytes bounds the bytes collected at once, because thousands of posts may each be in
// thousands of streams.
const maxCollectBytes = 8 << 20

// collect returns the runs that the posts of a journal entry add to streams, in the order of the
// posts, and their size. If the size exceeds maxCollectBytes, it also returns the remaining posts.
func (r *routes) collect(at earshot.Position, posts []poststore.MatchedPost) (runs []feed.Run, bytes int, rest []poststore.MatchedPost) {
	index := map[earshot.StreamID]int{} // of the stream's run in runs
	for i := range posts {
		if bytes >= maxCollectBytes {
			return runs, bytes, posts[i:]
		}
		encoded := ""
		for _, set := range posts[i].Sets {
			m, ok := set.Monitor()
			if !ok {
				continue
			}
			for _, to := range r.byMonitor[m] {
				if at <= to.after {
					continue
				}
				if encoded == "" {
					encoded = string(journal.AppendPost(nil, &posts[i].Post))
				}
				run, ok := index[to.stream]
				if !ok {
					run = len(runs)
					index[to.stream] = run
					runs = append(runs, feed.Run{Stream: to.stream, Position: at})
				}
				runs[run].Items = append(runs[run].Items, feed.Item{Monitor: m, Post: encoded})
				bytes += len(encoded) + itemBytes
			}
		}
	}
	return runs, bytes, nil
}

// itemBytes is the memory that an item needs in addition to its post.
const itemBytes = 48
