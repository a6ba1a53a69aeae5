package bench

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"earshot"
	"earshot/internal/http/client"
)

func (v *served) addTeam(ctx context.Context, name string) (earshot.TeamID, error) {
	var team struct{ ID earshot.TeamID }
	err := v.post(ctx, "/manage/v1/teams", map[string]any{"name": name}, &team)
	return team.ID, err
}

// addMonitors makes a monitor for each word.
func (v *served) addMonitors(ctx context.Context, team earshot.TeamID, words []string) ([]earshot.MonitorID, error) {
	ids := make([]earshot.MonitorID, len(words))
	err := together(ctx, clients, len(words), func(ctx context.Context, i int) error {
		var monitor struct{ ID earshot.MonitorID }
		body := map[string]any{"name": words[i], "type": earshot.Buzz, "team": team, "keywords": words[i]}
		err := v.post(ctx, "/manage/v1/monitors", body, &monitor)
		ids[i] = monitor.ID
		return err
	})
	return ids, err
}

// addStreamsOf makes streams, the k-th with the monitors that it is to have.
func (v *served) addStreamsOf(ctx context.Context, team earshot.TeamID, n int, monitors func(k int) []earshot.MonitorID) ([]earshot.StreamID, error) {
	ids := make([]earshot.StreamID, n)
	err := together(ctx, clients, n, func(ctx context.Context, k int) error {
		var stream struct{ ID earshot.StreamID }
		if err := v.post(ctx, "/manage/v1/streams", map[string]any{"name": fmt.Sprint("Stream ", k), "team": team}, &stream); err != nil {
			return err
		}
		ids[k] = stream.ID
		for _, m := range monitors(k) {
			put := client.Request{Method: "PUT", Path: fmt.Sprintf("/manage/v1/streams/%d/monitors/%d", stream.ID, m)}
			if _, err := v.client.Call(ctx, put); err != nil {
				return err
			}
		}
		return nil
	})
	return ids, err
}

// together does n things, so many of them at a time, and returns the first error, which ends it.
func together(ctx context.Context, workers, n int, do func(ctx context.Context, i int) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var next atomic.Int64
	var wait sync.WaitGroup
	for range workers {
		wait.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				if err := do(ctx, i); err != nil {
					stop(err)
				}
			}
		})
	}
	wait.Wait()
	return context.Cause(ctx)
}
