package clustertest

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// A delivery is a post of the stream, as a reader receives it.
type delivery struct {
	URL       string
	MonitorID int64
}

// A cursorReader reads the stream from a cursor that it keeps, on any node.
type cursorReader struct {
	client
	stream int64
	cursor string // after the last post received
	got    []delivery
}

func (r *cursorReader) run(ctx context.Context) {
	for pause(ctx, 2*afterAnswer) {
		r.read(r.node())
	}
}

// read reads the next posts from a node.
func (r *cursorReader) read(n *node) (received int, err error) {
	a, err := r.send(n, "GET", fmt.Sprintf("/api/stream/%d/posts?cursor=%s", r.stream, r.cursor), "")
	posts, err := decodePosts(a, err)
	if err != nil {
		return 0, err
	}
	r.got, r.cursor = append(r.got, posts...), a.header.Get("X-Stream-Cursor")
	return len(posts), nil
}

func decodePosts(a *answer, err error) ([]delivery, error) {
	if err != nil {
		return nil, err
	}
	if a.status != http.StatusOK {
		return nil, fmt.Errorf("%d %s", a.status, a.body)
	}
	var list struct{ Posts []delivery }
	err = json.Unmarshal(a.body, &list)
	return list.Posts, err
}

// A queueReader takes posts. The posts of a response that is lost are not sent again.
type queueReader struct {
	client
	stream int64
	got    []delivery
	lost   int // requests that may have taken posts without a response
}

// taken is the number of posts that a request takes at most.
const taken = 20

func (r *queueReader) run(ctx context.Context) {
	for pause(ctx, 3*afterAnswer) {
		r.take(r.node())
	}
}

func (r *queueReader) take(n *node) (received int, err error) {
	a, err := r.send(n, "GET", fmt.Sprintf("/api/stream/%d/posts?count=%d", r.stream, taken), "")
	posts, err := decodePosts(a, err)
	if err != nil {
		r.lost++
		return 0, err
	}
	r.got = append(r.got, posts...)
	return len(posts), nil
}

// An eventReader listens to events of a node until that fails, and then to those of another.
type eventReader struct {
	client
	stream int64
	last   string // ID of the last event
	got    []delivery
}

func (r *eventReader) run(ctx context.Context) {
	for pause(ctx, afterFailure) {
		n := r.node()
		began := time.Now()
		err := r.listen(ctx, n, nil)
		r.history.add(began, r.name, n.name, "listen", fmt.Sprint(err))
	}
}

// eventLimit is how long an eventReader listens to one node, and how long it waits for an event.
const eventLimit = 5 * time.Second

// listen receives events until enough returns true; a nil enough means that it listens for
// eventLimit.
func (r *eventReader) listen(ctx context.Context, n *node, enough func() bool) error {
	ctx, cancel := context.WithTimeout(ctx, eventLimit)
	defer cancel()
	request, err := r.c.request(ctx, n, "GET", fmt.Sprintf("/manage/v1/streams/%d/events?cursor=0-0", r.stream), "")
	if err != nil {
		return err
	}
	if r.last != "" {
		request.Header.Set("Last-Event-ID", r.last)
	}
	response, err := r.c.waiter.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d", response.StatusCode)
	}
	lines := bufio.NewReader(response.Body)
	var id, data string
	for enough == nil || !enough() {
		line, err := lines.ReadString('\n')
		if err != nil {
			return err
		}
		switch name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": "); {
		case name == "id":
			id = value
		case name == "data":
			data = value
		case name == "" && data != "":
			var d delivery
			if err := json.Unmarshal([]byte(data), &d); err != nil {
				return err
			}
			r.got, r.last, data = append(r.got, d), id, ""
		}
	}
	return nil
}
