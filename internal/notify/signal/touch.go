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
	recent map[earshot.MonitorID]touch // since the last evaluation; guarded by mu
	prompt map[earshot.MonitorID]bool  // since the last prompt evaluation; guarded by mu
}

// A touch says what kind of posts a monitor got.
type touch struct {
	posts int
	old   int // of these, posts from before the windows that are evaluated
}

// Touch tells the service that posts were stored. It is fast and does not retain them. Repeating a
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
		t.recent, t.prompt = map[earshot.MonitorID]touch{}, map[earshot.MonitorID]bool{}
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
			t.recent[id], t.prompt[id] = seen, true
		}
	}
}

// takeRecent returns what happened since the last call.
func (t *touches) takeRecent() map[earshot.MonitorID]touch {
	t.mu.Lock()
	defer t.mu.Unlock()
	taken := t.recent
	t.recent = map[earshot.MonitorID]touch{}
	if t.prompt == nil {
		t.prompt = map[earshot.MonitorID]bool{}
	}
	return taken
}

// takePrompt returns the monitors that got posts since the last call.
func (t *touches) takePrompt() map[earshot.MonitorID]bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.prompt) == 0 {
		return nil
	}
	taken := t.prompt
	t.prompt = map[earshot.MonitorID]bool{}
	return taken
}

// postpone marks a monitor for the next prompt evaluation.
func (t *touches) postpone(id earshot.MonitorID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.prompt[id] = true
}

// longWindow is the longest window of unusual rules.
const longWindow = 24 * time.Hour
