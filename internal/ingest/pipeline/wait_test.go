package pipeline

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

func TestWaitPosition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p Pipeline
		p.position.Store(5)
		if err := p.WaitPosition(t.Context(), 5); err != nil {
			t.Errorf("a position that is reached: %v", err)
		}
		began := time.Now()
		time.AfterFunc(time.Second, func() { p.position.Store(6) })
		time.AfterFunc(2*time.Second, func() { p.position.Store(9) })
		if err := p.WaitPosition(t.Context(), 7); err != nil || time.Since(began) != 2*time.Second {
			t.Errorf("got %v after %v, want the position after 2 s", err, time.Since(began))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := p.WaitPosition(ctx, 10); err != context.DeadlineExceeded {
			t.Errorf("got %v, want a timeout", err)
		}
	})
}
