package sleep

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

func TestRepeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 25*time.Second)
		defer cancel()
		began, calls := time.Now(), 0
		Repeat(ctx, 10*time.Second, func(context.Context) { calls++ })
		if took := time.Since(began); calls != 3 || took != 25*time.Second {
			t.Errorf("got %d calls in %v, want 3 in 25s", calls, took)
		}
		if For(ctx, 0) {
			t.Error("For reports that an ended context is valid")
		}
	})
}
