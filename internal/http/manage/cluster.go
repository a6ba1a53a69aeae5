package manage

import (
	"context"
	"time"

	"earshot"
	"earshot/internal/http/rest"
)

// A Cluster is the state of all nodes as one of them sees it. An installation that is not a cluster has
// one node and no name.
type Cluster struct {
	Name    string          `json:"name"`
	Nodes   []ClusterNode   `json:"nodes"` // by name
	Journal ClusterJournal  `json:"journal"`
	Streams []ClusterStream `json:"streams"`

	// Problem says why the journal or the streams could not be read, for example because too few
	// nodes are running. The rest of the response is what this node knows.
	Problem string `json:"problem,omitempty"`
}

// A ClusterNode is one node.
type ClusterNode struct {
	ID       string           `json:"id"`
	Name     string           `json:"name"`
	Version  string           `json:"version"`
	Self     bool             `json:"self"` // it has answered this request
	Live     bool             `json:"live"`
	Ready    bool             `json:"ready"`
	State    string           `json:"state"`            // starting, joining, ready, behind
	Detail   string           `json:"detail,omitempty"` // of the state
	Seen     time.Time        `json:"seen"`
	Position earshot.Position `json:"position"`
	Lag      int64            `json:"lag"` // journal positions that it has not processed
	Roles    []string         `json:"roles"`
}

// A ClusterJournal is which entries the journal has.
type ClusterJournal struct {
	First earshot.Position `json:"first"`
	Last  earshot.Position `json:"last"`
}

// A ClusterStream is where the replicas of a NATS stream are.
type ClusterStream struct {
	Name     string           `json:"name"`
	Leader   string           `json:"leader"` // empty during an election
	Replicas []ClusterReplica `json:"replicas"`
}

// A ClusterReplica is a copy of a NATS stream.
type ClusterReplica struct {
	Node    string `json:"node"`
	Current bool   `json:"current"`
	Lag     int64  `json:"lag"`
	Offline bool   `json:"offline"`
}

// showCluster serves GET /manage/v1/cluster.
func (a *API) showCluster(ctx context.Context, _ *earshot.Caller, _ struct{}) (Cluster, error) {
	return a.Cluster(ctx)
}

type nodeParams struct {
	ID string `path:"id"` // or name
}

// removeNode serves DELETE /manage/v1/cluster/nodes/{id}.
func (a *API) removeNode(ctx context.Context, _ *earshot.Caller, p nodeParams) (rest.NoContent, error) {
	return rest.NoContent{}, a.RemoveNode(ctx, p.ID)
}
