package natsnode

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"earshot"
)

// A Topology is where the servers of a cluster store the streams.
type Topology struct {
	Cluster string
	Leader  string // node that assigns streams to nodes
	Members []Member
	Streams []StreamReplicas // by name
}

// A Member is a server of the cluster.
type Member struct {
	Node    string // name of the node, or the peer ID of a server whose name is unknown
	Current bool   // has everything that the leader has
	Offline bool
	Active  time.Duration // since it was last seen by the leader
	peer    string
	server  string
}

// StreamReplicas is where the replicas of a stream are.
type StreamReplicas struct {
	Name     string
	Leader   string    // empty during an election
	Replicas []Replica // including the leader, by node
}

// A Replica is a copy of a stream.
type Replica struct {
	Node    string
	Current bool
	Lag     uint64 // operations behind the leader
	Offline bool
}

// Topology returns the state of a cluster, as the leaders see it. Members is empty with an external
// server.
func (n *Node) Topology(ctx context.Context) (Topology, error) {
	t := Topology{}
	var names map[string]string
	var running map[string]bool
	if n.member != nil {
		running = n.connectedServers()
		var err error
		if names, err = n.serverNames(ctx); err != nil {
			return t, fmt.Errorf("list the members of the cluster: %w", err)
		}
		if t, err = n.metaGroup(ctx, names); err != nil {
			return t, err
		}
	}
	lister := n.js.ListStreams(ctx)
	for info := range lister.Info() {
		if info.Cluster == nil {
			continue
		}
		if t.Cluster == "" {
			t.Cluster = info.Cluster.Name
		}
		t.Streams = append(t.Streams, streamReplicas(info, names, running))
	}
	if err := lister.Err(); err != nil && !errors.Is(err, jetstream.ErrEndOfData) {
		return t, fmt.Errorf("list the streams of the cluster: %w", n.TranslateError(err))
	}
	slices.SortFunc(t.Streams, func(a, b StreamReplicas) int { return strings.Compare(a.Name, b.Name) })
	return t, nil
}

// streamReplicas returns where the replicas of a stream are. names are the names of servers by their
// peer IDs. If running is not nil, servers that it lacks are offline: NATS takes minutes to call a
// server offline that was killed.
func streamReplicas(info *jetstream.StreamInfo, names map[string]string, running map[string]bool) StreamReplicas {
	s := StreamReplicas{Name: info.Config.Name, Leader: nodeOf(info.Cluster.Leader)}
	if s.Leader != "" {
		s.Replicas = append(s.Replicas, Replica{Node: s.Leader, Current: true})
	}
	for _, r := range info.Cluster.Replicas {
		name := fullName(r.Name, names)
		s.Replicas = append(s.Replicas, Replica{Node: nodeOf(name), Current: r.Current, Lag: r.Lag, Offline: r.Offline || running != nil && !running[name]})
	}
	slices.SortFunc(s.Replicas, func(a, b Replica) int { return strings.Compare(a.Node, b.Node) })
	return s
}

// metaGroup returns the members as their leader sees them.
func (n *Node) metaGroup(ctx context.Context, names map[string]string) (t Topology, err error) {
	reply, err := n.systemRequest(ctx, "$SYS.REQ.SERVER.PING.JSZ", map[string]any{"leader_only": true})
	if err != nil {
		return t, fmt.Errorf("ask the leader of the cluster: %w", n.TranslateError(err))
	}
	var response struct {
		Data struct {
			Meta *server.MetaClusterInfo `json:"meta_cluster"`
		} `json:"data"`
	}
	if err := json.Unmarshal(reply.Data, &response); err != nil {
		return t, fmt.Errorf("read the response of the leader of the cluster: %w", err)
	}
	meta := response.Data.Meta
	if meta == nil {
		return t, &earshot.Error{Kind: earshot.Unavailable, Message: "The cluster has no leader. Please try again in a moment"}
	}
	t.Cluster, t.Leader = meta.Name, nodeOf(meta.Leader)
	t.Members = append(t.Members, Member{Node: t.Leader, Current: true, peer: peerID(meta.Leader), server: meta.Leader})
	running := n.connectedServers() // NATS takes minutes to call a server offline that was killed
	for _, r := range meta.Replicas {
		name := fullName(r.Name, names)
		t.Members = append(t.Members, Member{
			Node: nodeOf(name), Current: r.Current, Offline: r.Offline || !running[name], Active: r.Active, peer: r.Peer, server: names[r.Peer],
		})
	}
	slices.SortFunc(t.Members, func(a, b Member) int { return strings.Compare(a.Node, b.Node) })
	return t, nil
}

// fullName returns the name of a server. The leader names servers that it has not seen since it started
// by their peer IDs.
func fullName(serverName string, names map[string]string) string {
	for id, name := range names {
		if strings.Contains(serverName, id) {
			return name
		}
	}
	return serverName
}

// ErrNotMember means that a cluster has no node of a name.
var ErrNotMember = errors.New("natsnode: not a member of the cluster")

// RemovePeer removes a node that has been stopped from the cluster of embedded servers. Other nodes
// get replicas of its streams if there are enough of them. It returns ErrNotMember if there is no
// such node.
func (n *Node) RemovePeer(ctx context.Context, node string) error {
	if n.member == nil {
		return &earshot.Error{Kind: earshot.Invalid, Message: "The nodes use an external NATS cluster. Remove its servers with the tools of NATS"}
	}
	members, err := n.listMembers(ctx)
	if err != nil {
		return fmt.Errorf("list the members of the cluster: %w", err)
	}
	servers := members[node]
	if len(servers) == 0 {
		return ErrNotMember
	}
	for _, name := range servers {
		p, found, err := n.findPeer(ctx, name)
		if err != nil {
			return err
		}
		if found && !p.Offline {
			return &earshot.Error{Kind: earshot.Invalid, Message: fmt.Sprintf("The node %s is running. Stop it before you remove it", node)}
		}
	}
	for _, name := range servers {
		if err := n.removeServer(ctx, name); err != nil {
			return err
		}
	}
	return n.members.Purge(ctx, node)
}

// findPeer returns the member with the given server name.
func (n *Node) findPeer(ctx context.Context, serverName string) (Member, bool, error) {
	t, err := n.metaGroup(ctx, nil)
	if err != nil {
		return Member{}, false, err
	}
	id := peerID(serverName)
	i := slices.IndexFunc(t.Members, func(m Member) bool { return m.peer == id })
	if i < 0 {
		return Member{}, false, nil
	}
	return t.Members[i], true, nil
}

// removeServer removes a server from the cluster. A repeat has no effect.
func (n *Node) removeServer(ctx context.Context, serverName string) error {
	return n.Retry(ctx, func(ctx context.Context) error {
		reply, err := n.systemRequest(ctx, server.JSApiRemoveServer, server.JSApiMetaServerRemoveRequest{Peer: peerID(serverName)})
		if err != nil {
			return err
		}
		var response struct {
			Error *jetstream.APIError `json:"error"`
		}
		if err := json.Unmarshal(reply.Data, &response); err != nil {
			return fmt.Errorf("read the response of the leader of the cluster: %w", err)
		}
		switch {
		case response.Error == nil, response.Error.ErrorCode == codeNotClusterMember:
			return nil
		}
		return response.Error
	})
}

// systemRequest sends a request from the system account.
func (n *Node) systemRequest(ctx context.Context, subject string, body any) (*nats.Msg, error) {
	public, err := n.systemKey.PublicKey()
	if err != nil {
		return nil, err
	}
	conn, err := nats.Connect("", nats.Name("earshot system"), nats.InProcessServer(n.server), nats.Nkey(public, n.systemKey.Sign))
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	data, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, firstTryTimeout)
		defer cancel()
	}
	return conn.RequestWithContext(ctx, subject, data)
}

// peerID returns the ID that NATS derives from the name of a server.
func peerID(serverName string) string {
	const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	sum := sha256.Sum256([]byte(serverName))
	id := make([]byte, 8)
	for i := range id {
		id[i] = digits[int(sum[i])%len(digits)]
	}
	return string(id)
}
