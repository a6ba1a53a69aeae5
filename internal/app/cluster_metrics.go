package app

import (
	"fmt"
	"io"
	"time"

	"earshot/internal/cluster"
)

// writeClusterMetrics writes how many nodes this one knows, by state, its lag, and its roles.
func writeClusterMetrics(w io.Writer, m *membership, roles []string) {
	writeNodeMetrics(w, m.List(), time.Now())
	lag, _ := m.lag.get()
	fmt.Fprintf(w, "earshot_cluster_lag_entries %d\n", lag)
	for _, role := range roles {
		fmt.Fprintf(w, "earshot_cluster_role{role=%q} 1\n", role)
	}
}

// writeNodeMetrics writes how many nodes are in each state.
func writeNodeMetrics(w io.Writer, nodes []cluster.Member, now time.Time) {
	var ready, live, away, forgotten int
	for _, n := range nodes {
		switch {
		case n.Live && n.State == cluster.Ready:
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
