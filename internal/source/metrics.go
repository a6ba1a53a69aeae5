package source

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"earshot/internal/connector"
)

// WriteMetrics writes the state and the counters of the live sources.
func (s *Service) WriteMetrics(w io.Writer) {
	phases := []connector.Phase{connector.Starting, connector.Live, connector.CatchingUp, connector.BackingOff, connector.Attention, connector.Stopped}
	for _, of := range s.All() {
		labels := fmt.Sprintf(`id="%d",kind=%q`, of.ID, of.LiveSource.Kind)
		for _, p := range phases {
			is := 0
			if p == of.State.Phase {
				is = 1
			}
			fmt.Fprintf(w, "earshot_source_state{%s,state=%q} %d\n", labels, string(p), is)
		}
		c := of.Counters
		for _, m := range []struct {
			name  string
			value int64
		}{
			{"events_total", c.Events}, {"posts_total", c.Posts}, {"deletions_total", c.Deletions}, {"bytes_total", c.Bytes},
			{"reconnects_total", c.Reconnects}, {"gap_seconds_total", int64(of.GapTime.Seconds())}, {"lag_seconds", int64(of.State.Lag.Seconds())},
		} {
			fmt.Fprintf(w, "earshot_source_%s{%s} %d\n", m.name, labels, m.value)
		}
		for _, reason := range slices.Sorted(maps.Keys(c.Skipped)) {
			fmt.Fprintf(w, "earshot_source_skipped_total{%s,reason=%q} %d\n", labels, reason, c.Skipped[reason])
		}
	}
}
