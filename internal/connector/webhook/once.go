package webhook

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"

	"earshot/internal/state/kv"
)

// Responses are remembered by webhook-id for at least a day. The keys contain the day, so that old
// ones can be removed without reading them.
const (
	day            = 24 * time.Hour
	forgetInterval = time.Hour
)

// answerKey returns the key of the response to a request received on a given day.
func answerKey(id string, at time.Time) string {
	hash := sha256.Sum256([]byte(id))
	return "answer." + dayOf(at) + "." + hex.EncodeToString(hash[:16])
}

func dayOf(t time.Time) string { return strconv.FormatInt(t.Unix()/int64(day/time.Second), 10) }

// A flight is a request that is being handled. Requests with the same ID wait for it.
type flight struct {
	done   chan struct{} // closed at the end
	answer answer
	err    error
}

// once returns the response to a request with an ID. It calls handle unless there is a remembered
// response. If several requests have the same ID at the same time, one is handled and the others get
// its response.
//
// A response that accepts nothing is not remembered: nothing was stored, and the sender can repeat
// the request after the settings were corrected.
func (w *webhook) once(ctx context.Context, id string, handle func() (answer, error)) (answer, error) {
	for {
		w.mu.Lock()
		other, busyNow := w.flights[id]
		f := &flight{done: make(chan struct{})}
		if !busyNow {
			w.flights[id] = f
		}
		w.mu.Unlock()
		if !busyNow {
			f.err = errNotRunning // if handle panics
			defer func() {
				w.mu.Lock()
				delete(w.flights, id)
				w.mu.Unlock()
				close(f.done)
			}()
			f.answer, f.err = w.recallOrHandle(ctx, id, handle)
			return f.answer, f.err
		}
		select {
		case <-other.done:
			if other.err == nil {
				return other.answer, nil
			}
		case <-ctx.Done():
			return answer{}, busy(ctx.Err())
		}
	}
}

// recallOrHandle returns the remembered response to a request, or handles the request and remembers
// the response.
func (w *webhook) recallOrHandle(ctx context.Context, id string, handle func() (answer, error)) (answer, error) {
	now := w.env.Now()
	for _, at := range []time.Time{now, now.Add(-day)} {
		stored, err := w.env.Store.Get(ctx, answerKey(id, at))
		if errors.Is(err, kv.ErrNotFound) {
			continue
		}
		var a answer
		if err == nil {
			err = json.Unmarshal(stored.Value, &a)
		}
		if err != nil {
			return answer{}, busy(err)
		}
		return a, nil
	}
	a, err := handle()
	if err != nil || a.Accepted == 0 {
		return a, err
	}
	data, err := json.Marshal(a)
	if err == nil { // the posts are stored, even if the sender has given up
		_, err = w.env.Store.Set(context.WithoutCancel(ctx), answerKey(id, now), data)
	}
	if err != nil { // repeating the request would do no harm
		w.env.Log.WarnContext(ctx, "the response to a webhook request was not recorded", "error", err)
	}
	return a, nil
}

// forget removes responses that are older than a day.
func (w *webhook) forget(ctx context.Context, now time.Time) {
	keys, err := w.env.Store.Keys(ctx, "answer.>")
	for _, key := range keys {
		if at := strings.Split(key, "."); at[1] == dayOf(now) || at[1] == dayOf(now.Add(-day)) {
			continue
		}
		if err = w.env.Store.Purge(ctx, key); err != nil {
			break
		}
	}
	if err != nil && ctx.Err() == nil {
		w.env.Log.WarnContext(ctx, "old responses to webhook requests were not removed; will retry in an hour", "error", err)
	}
}
