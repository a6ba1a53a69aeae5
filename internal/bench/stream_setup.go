package bench

import (
	"context"
	"fmt"

	"earshot"
	"earshot/internal/http/client"
	"earshot/internal/parallel"
)

func (v *runningServer) addTeam(ctx context.Context, name string) (earshot.TeamID, error) {
	var team struct{ ID earshot.TeamID }
	err := v.post(ctx, "/manage/v1/teams", map[string]any{"name": name}, &team)
	return team.ID, err
}

// addMonitors creates a monitor for each word.
func (v *runningServer) addMonitors(ctx context.Context, team earshot.TeamID, words []string) ([]earshot.MonitorID, error) {
	ids := make([]earshot.MonitorID, len(words))
	err := parallel.For(ctx, len(words), clients, func(ctx context.Context, i int) error {
		var monitor struct{ ID earshot.MonitorID }
		body := map[string]any{"name": words[i], "type": earshot.Buzz, "team": team, "keywords": words[i]}
		err := v.post(ctx, "/manage/v1/monitors", body, &monitor)
		ids[i] = monitor.ID
		return err
	})
	return ids, err
}

// addStreamsOf creates n streams. The function returns the monitors of stream k.
func (v *runningServer) addStreamsOf(ctx context.Context, team earshot.TeamID, n int, monitors func(k int) []earshot.MonitorID) ([]earshot.StreamID, error) {
	ids := make([]earshot.StreamID, n)
	err := parallel.For(ctx, n, clients, func(ctx context.Context, k int) error {
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
