package crashtest

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"
)

// A deliveryLog contains the posts that a reader of a stream received: each once, in the order of
// first delivery.
type deliveryLog struct {
	list    []delivery
	place   map[delivery]int // index in list
	at      int              // index in list after the last delivery
	repeats int              // number of repeated runs
	seen    int              // number of posts in list that are already compared
}

func (r *deliveryLog) unseen() []delivery { return r.list[r.seen:] }

// add records a post, or returns an error if it may not be delivered now. Only the end of the
// latest upload may be delivered again, and only as a whole.
func (r *deliveryLog) add(d delivery) error {
	i, again := r.place[d]
	if !again {
		i = len(r.list)
	}
	if i > r.at {
		return fmt.Errorf("%v was delivered out of order: want %v", d, r.list[r.at])
	}
	if i < r.at {
		if last := r.list[r.at-1]; d.writer() != last.writer() || d.Title != last.Title {
			return fmt.Errorf("%v was delivered again after %v", d, last)
		}
		r.repeats++
	}
	if r.at = i + 1; again {
		return nil
	}
	if r.place == nil {
		r.place = map[delivery]int{}
	}
	r.place[d] = i
	r.list = append(r.list, d)
	return nil
}

// A cursorReader reads from a cursor that it keeps.
type cursorReader struct {
	stream int64
	cursor string // after the last processed post
	got    deliveryLog
}

func (r *cursorReader) read(p *process) (n int, err error) {
	posts, next, err := readStream(p, fmt.Sprintf("/api/stream/%d/posts?cursor=%s", r.stream, r.cursor))
	if err != nil {
		return 0, err
	}
	for _, d := range posts {
		if err := r.got.add(d); err != nil {
			return 0, fmt.Errorf("who names a place: %w", err)
		}
	}
	r.cursor = next
	return len(posts), nil
}

// keepReading reads until the process is killed.
func keepReading(t *testing.T, p *process, read func(*process) (n int, err error)) {
	for {
		n, err := read(p)
		if err != nil {
			if !p.Dying.Load() {
				t.Error(err)
			}
			return
		}
		if n == 0 {
			<-time.After(10 * time.Millisecond)
		}
	}
}

// drain reads until there are no more posts.
func drain(t *testing.T, p *process, read func(*process) (n int, err error)) {
	t.Helper()
	for n := 1; n > 0; {
		var err error
		if n, err = read(p); err != nil {
			t.Fatal(err)
		}
	}
}

// readStream requests posts of a stream, and returns them with the cursor after them.
func readStream(p *process, path string) (posts []delivery, next string, err error) {
	status, header, answer, err := p.send("GET", path, "")
	if err != nil {
		return nil, "", err
	}
	if status != 200 {
		return nil, "", fmt.Errorf("%s: %d %s", path, status, answer)
	}
	var list struct{ Posts []delivery }
	err = json.Unmarshal(answer, &list)
	return list.Posts, header.Get("X-Stream-Cursor"), err
}

// A queueReader takes posts. Posts whose response is lost in a kill are not sent again.
type queueReader struct {
	stream int64
	got    []delivery
}

func (r *queueReader) take(p *process) (n int, err error) {
	posts, _, err := readStream(p, fmt.Sprintf("/api/stream/%d/posts?count=100", r.stream))
	r.got = append(r.got, posts...)
	return len(posts), err
}

// differs describes posts that were received but should not have been, or that are missing. It
// returns "" if there are none.
func (r *queueReader) differs(all *deliveryLog, gone func(delivery) bool, kills int) string {
	last, back, different := -1, 0, map[delivery]bool{}
	for _, d := range r.got {
		if gone(d) {
			continue
		}
		i, there := all.place[d]
		if !there {
			return fmt.Sprintf("%v, which other readers did not", d)
		}
		if i <= last {
			back++
		}
		last, different[d] = i, true
	}
	if back > all.repeats {
		return fmt.Sprintf("posts again or out of order %d times, want at most %d", back, all.repeats)
	}
	lost := 0
	for _, d := range all.list {
		if !different[d] && !gone(d) {
			lost++
		}
	}
	if lost > 100*kills {
		return fmt.Sprintf("%d posts too few after %d kills; each may lose one response", lost, kills)
	}
	return ""
}
