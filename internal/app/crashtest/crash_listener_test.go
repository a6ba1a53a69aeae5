package crashtest

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// An eventReader listens to events, and reconnects with the ID of the last one.
type eventReader struct {
	stream int64
	last   string // ID of the last event
	got    deliveryLog
}

// run listens until the process is killed.
func (r *eventReader) run(t *testing.T, p *process) {
	if err := r.listen(context.Background(), p, nil); !p.Dying.Load() {
		t.Errorf("the event reader: %v", err)
	}
}

// drain listens until the given post arrives.
func (r *eventReader) drain(t *testing.T, p *process, last delivery) {
	t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	enough := func() bool { _, came := r.got.place[last]; return came }
	if enough() {
		return
	}
	if err := r.listen(ctx, p, enough); err != nil {
		t.Fatalf("the event reader got %d posts, but not %v: %v", len(r.got.list), last, err)
	}
}

// listen receives posts until enough returns true. A nil enough means forever.
func (r *eventReader) listen(ctx context.Context, p *process, enough func() bool) error {
	request, err := p.request("GET", fmt.Sprintf("/manage/v1/streams/%d/events?cursor=0-0", r.stream), "")
	if err != nil {
		return err
	}
	if r.last != "" {
		request.Header.Set("Last-Event-ID", r.last)
	}
	response, err := p.waiter.Do(request.WithContext(ctx))
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d", response.StatusCode)
	}
	lines := bufio.NewReader(response.Body)
	for enough == nil || !enough() {
		e, err := readEvent(lines)
		if err != nil {
			return err
		}
		var d delivery
		if err := json.Unmarshal([]byte(e.data), &d); err != nil {
			return err
		}
		if err := r.got.add(d); err != nil {
			return err
		}
		r.last = e.id
	}
	return nil
}

// An event is a server-sent event.
type event struct{ id, name, data string }

// readEvent reads the next event. It skips heartbeats.
func readEvent(r *bufio.Reader) (e event, err error) {
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return event{}, err
		}
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch name {
		case "id":
			e.id = value
		case "event":
			e.name = value
		case "data":
			e.data = value
		case "":
			if e.data != "" { // without data it only sets the start
				return e, nil
			}
		}
	}
}
