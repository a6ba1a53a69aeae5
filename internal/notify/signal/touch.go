package signal

import (
	"sync"
	"time"

	"earshot"
	"earshot/internal/poststore"
)

// touches records which monitors and saved filters got posts. It is how evaluations know what to
// query; the counts themselves always come from the store.
type touches struct {
	mu     sync.Mutex
	recent map[earshot.MonitorID]touch     // since the last evaluation; guarded by mu
	prompt map[earshot.MonitorID]time.Time // when to evaluate promptly, at the earliest; guarded by mu
}

// A touch says what kind of posts a monitor got.
type touch struct {
	posts int
	old   int // of these, posts from before the windows that are evaluated
}

// Touch notes that posts were stored. It is fast and does not retain them. Repeating a
// call is harmless.
func (s *Service) Touch(posts []poststore.MatchedPost) {
	if len(posts) == 0 {
		return
	}
	old := s.Now().Add(-longWindow)
	t := &s.touched
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.recent == nil {
		t.recent = map[earshot.MonitorID]touch{}
	}
	for i := range posts {
		for _, set := range posts[i].Sets {
			id, ok := set.Monitor()
			if !ok {
				continue
			}
			seen := t.recent[id]
			seen.posts++
			if posts[i].Post.Time.Before(old) {
				seen.old++
			}
			t.recent[id] = seen
			t.schedule(id, time.Time{})
		}
	}
}

// takeRecent returns what happened since the last call.
func (t *touches) takeRecent() map[earshot.MonitorID]touch {
	t.mu.Lock()
	defer t.mu.Unlock()
	taken := t.recent
	t.recent = map[earshot.MonitorID]touch{}
	return taken
}

// takePrompt returns the monitors that are due.
func (t *touches) takePrompt(now time.Time) (due []earshot.MonitorID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for id, at := range t.prompt {
		if !now.Before(at) {
			due = append(due, id)
			delete(t.prompt, id)
		}
	}
	return due
}

// postpone schedules a prompt evaluation of a monitor, unless it has an earlier one.
func (t *touches) postpone(id earshot.MonitorID, until time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.schedule(id, until)
}

// schedule is postpone for a caller that holds mu.
func (t *touches) schedule(id earshot.MonitorID, at time.Time) {
	if t.prompt == nil {
		t.prompt = map[earshot.MonitorID]time.Time{}
	}
	if before, ok := t.prompt[id]; !ok || at.Before(before) {
		t.prompt[id] = at
	}
}

// longWindow is the longest window of unusual rules.
const longWindow = 24 * time.Hour
