package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"earshot"
)

// A Status is the state of all nodes as one of them sees it. An installation that is not a cluster has
// one node and no name.
type Status struct {
	Name    string         `json:"name"`
	Nodes   []NodeStatus   `json:"nodes"` // by name
	Journal JournalStatus  `json:"journal"`
	Streams []StreamStatus `json:"streams"`

	// Problem says why the journal or the streams could not be read, for example because too few
	// nodes are running. The rest of the response is what this node knows.
	Problem string `json:"problem,omitempty"`
}

// A NodeStatus is the state of one node.
type NodeStatus struct {
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

// A JournalStatus tells which entries the journal has.
type JournalStatus struct {
	First earshot.Position `json:"first"`
	Last  earshot.Position `json:"last"`
}

// A StreamStatus tells where the replicas of a NATS stream are.
type StreamStatus struct {
	Name     string          `json:"name"`
	Leader   string          `json:"leader"` // empty during an election
	Replicas []ReplicaStatus `json:"replicas"`
}

// A ReplicaStatus is a copy of a NATS stream.
type ReplicaStatus struct {
	Node    string `json:"node"`
	Current bool   `json:"current"`
	Lag     int64  `json:"lag"`
	Offline bool   `json:"offline"`
}

// statusTimeout limits how long the state of a cluster may take, which is needed most when its parts do
// not respond.
const statusTimeout = 3 * time.Second

// Status returns the state of all nodes.
func (m *Membership) Status(ctx context.Context) (Status, error) {
	ctx, cancel := context.WithTimeout(ctx, statusTimeout)
	defer cancel()
	s := Status{Name: m.Name, Nodes: []NodeStatus{}, Streams: []StreamStatus{}}
	err := m.readJournal(ctx, &s.Journal)
	if m.members == nil {
		at := m.Stored().Processed
		s.Nodes = append(s.Nodes, NodeStatus{
			ID: m.Identity.Name, Name: m.Identity.Name, Version: m.Version, Self: true, Live: true, Ready: m.Ready(),
			State: string(Ready), Seen: m.Now().UTC(), Position: at, Lag: int64(max(s.Journal.Last, at) - at), Roles: append([]string{}, m.Roles()...),
		})
		return s, err
	}
	members := m.members.List()
	lag := m.lagOf(ctx)
	for _, member := range members { // without a majority, this is the best known end of the journal
		s.Journal.Last = max(s.Journal.Last, member.Position)
	}
	for _, member := range members {
		if !member.Live {
			member.Roles = nil // others have them, or will
		}
		s.Nodes = append(s.Nodes, NodeStatus{
			ID: member.ID, Name: member.Name, Version: member.Version, Self: member.Self, Live: member.Live, Ready: member.Live && member.State == Ready,
			State: string(member.State), Detail: member.Detail, Seen: member.Seen.UTC(), Position: member.Position,
			Lag: lag(member.Position, s.Journal.Last), Roles: append([]string{}, member.Roles...),
		})
	}
	streams, streamsErr := m.Streams(ctx)
	s.Streams = append(s.Streams, streams...)
	if err := errors.Join(err, streamsErr); err != nil {
		m.Log.Debug("the state of the cluster is incomplete", "error", err)
		s.Problem = problem(members, m.RemoveServer != nil)
	}
	return s, nil
}

// problem says why NATS does not respond, as far as the nodes tell. embedded means that the NATS servers
// run in the nodes.
func problem(members []Member, embedded bool) string {
	live := 0
	for _, m := range members {
		if m.Live {
			live++
		}
	}
	if !embedded || 2*live > len(members) {
		return "The storage service does not respond. This is normal for some seconds after a server has stopped"
	}
	return fmt.Sprintf("Only %d of %d nodes are running, which is no majority. Nothing can be stored until another one is back", live, len(members))
}

// readJournal sets which entries the journal has.
func (m *Membership) readJournal(ctx context.Context, j *JournalStatus) (err error) {
	if j.Last, err = m.Journal.Last(ctx); err != nil {
		return err
	}
	trimmed, err := m.Journal.Trimmed(ctx)
	j.First = trimmed + 1
	return err
}

// Remove removes a node that has been stopped, by ID or name.
func (m *Membership) Remove(ctx context.Context, node string) error {
	if m.members == nil {
		return earshot.Errorf(earshot.Invalid, "This installation is not a cluster, so no node can be removed")
	}
	member, err := m.members.Find(node)
	if err != nil {
		return err
	}
	if member.Live {
		return earshot.Errorf(earshot.Conflict, "Node %s is running, or was until a few seconds ago. Please stop it, wait 10 seconds and try again", member.Name)
	}
	if m.RemoveServer != nil {
		if err := m.RemoveServer(ctx, member.Name); err != nil {
			return err
		}
	}
	return m.members.Remove(ctx, member.ID)
}
