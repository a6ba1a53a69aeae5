package memory

import (
	"context"
	"errors"
	"testing"
	"time"

	"earshot/internal/poststore"
)

// A countdown is a context that expires after its error has been checked a number of times.
type countdown struct {
	context.Context
	looks int
}

func (c *countdown) Err() error {
	c.looks--
	if c.looks < 0 {
		return context.DeadlineExceeded
	}
	return nil
}

func TestCallsStopWhenCanceled(t *testing.T) {
	s := New()
	posts := make([]poststore.MatchedPost, 0, 3*scanStep)
	for _, batch := range batches()[:3*scanStep/1000+1] {
		posts = append(posts, batch...)
	}
	for i := range posts {
		posts[i].Post.Time = time.Date(2024, time.March, 1, 0, 0, i, 0, time.UTC)
	}
	if err := s.Append(t.Context(), 1, posts); err != nil {
		t.Fatal(err)
	}
	for name, ask := range map[string]func(context.Context) error{
		"Posts": func(ctx context.Context) error {
			_, _, err := s.Posts(ctx, poststore.Selection{}, 10)
			return err
		},
		"TallyOne": func(ctx context.Context) error {
			_, err := poststore.TallyOne(ctx, s, poststore.Selection{}, poststore.Tally{})
			return err
		},
		"Rematch": func(ctx context.Context) error {
			return s.Rematch(ctx, poststore.Rematch{Rules: poststore.Rules{1: {}}})
		},
	} {
		if err := ask(&countdown{t.Context(), 3}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: got error %v, want %v", name, err, context.DeadlineExceeded)
		}
	}
	rows, err := poststore.TallyOne(t.Context(), s, poststore.Selection{Set: 1}, poststore.Tally{})
	if err != nil || rows[0].Posts != int64(len(posts)) {
		t.Errorf("after a canceled rematch: got %v, %v, want all %d posts of set %d", rows, err, len(posts), poststore.SetID(1))
	}
}
