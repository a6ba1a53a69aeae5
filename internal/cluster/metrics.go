package cluster

import (
	"fmt"
	"io"
	"time"
)

// WriteMetrics writes how many nodes this one knows, by state, its lag, and its roles. The only node of
// an installation writes nothing.
func (m *Membership) WriteMetrics(w io.Writer) {
	if m.members == nil {
		return
	}
	writeNodeMetrics(w, m.members.List(), time.Now())
	lag, _ := m.lag.get()
	fmt.Fprintf(w, "earshot_cluster_lag_entries %d\n", lag)
	for _, role := range m.Roles() {
		fmt.Fprintf(w, "earshot_cluster_role{role=%q} 1\n", role)
	}
}

// writeNodeMetrics writes how many nodes are in each state.
func writeNodeMetrics(w io.Writer, nodes []Member, now time.Time) {
	var ready, live, away, forgotten int
	for _, n := range nodes {
		switch {
		case n.Live && n.State == Ready:
			ready++
		case n.Live:
			live++
		case n.Forgotten(now):
			forgotten++
		default:
			away++
		}
	}
	fmt.Fprintf(w, "earshot_cluster_nodes{state=\"ready\"} %d\nearshot_cluster_nodes{state=\"not ready\"} %d\n"+
		"earshot_cluster_nodes{state=\"away\"} %d\nearshot_cluster_nodes{state=\"forgotten\"} %d\n", ready, live, away, forgotten)
}
