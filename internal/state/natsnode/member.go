package natsnode

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nats-io/nats-server/v2/server"

	"earshot/internal/operate/disk"
	"earshot/internal/operate/integrity"
	"earshot/internal/state/acklog"
	"earshot/internal/state/natsfile"
)

// memberFile is in the directory of a server that is a member of a cluster.
const memberFile = "member.json"

// A member is the identity of a server in a cluster and what its directory must contain.
//
// A server that has lost its files must not vote as the server it was: it would vote for a leader
// without the messages that it once acknowledged. The name of the server therefore contains an ID
// that is as old as its directory, such as "node-1~k3v9q2ta". With a new directory, the server is a new
// member, and the others agree to replace the old one by it ([Node.join]).
type member struct {
	Cluster      string            `json:"cluster"`
	Node         string            `json:"node"`
	Server       string            `json:"server"`
	Installation string            `json:"installation"` // empty until it is known
	Streams      map[string]string `json:"streams"`      // with a replica here, and their Raft groups
}

// openMember reads and verifies the files of a member, or creates a new member in an empty directory.
func openMember(ctx context.Context, o Options) (*member, error) {
	m, err := readMember(o.Dir)
	switch {
	case err != nil:
		return nil, replicaDamage(o.Dir, err.Error())
	case m == nil:
		return createMember(o)
	case m.Cluster != o.Cluster.Name:
		return nil, fmt.Errorf("%s belongs to the cluster %q, but cluster.name is %q", o.Dir, m.Cluster, o.Cluster.Name)
	case m.Node != o.Cluster.NodeName:
		return nil, fmt.Errorf("%s belongs to the node %q, but node_name is %q: set node_name to %[2]q. If this is a copy of another node, "+
			"remove the directory; the node gets its contents from the other nodes", o.Dir, m.Node, o.Cluster.NodeName)
	}
	findings, err := natsfile.VerifyReplica(ctx, o.Dir, m.Streams, nil)
	if err != nil {
		return nil, fmt.Errorf("verify the files of NATS: %w", err)
	}
	if len(findings) > 0 {
		var list strings.Builder
		for _, f := range findings[:min(len(findings), 20)] {
			list.WriteString("\n  " + f.String())
		}
		return nil, replicaDamage(o.Dir, list.String())
	}
	return m, nil
}

// replicaDamage returns an error that says what to do about damaged files of one node.
func replicaDamage(dir, damage string) error {
	return fmt.Errorf("the files of NATS on this node are damaged, so it does not start. Nothing was changed. "+
		"The other nodes have the same data: if a majority of them is running, remove the directory %s and start this node again; "+
		"it then gets everything from them. The damage: %s", dir, damage)
}

// createMember creates a member in a directory without streams.
func createMember(o Options) (*member, error) {
	streams, err := natsfile.Streams(o.Dir)
	if err != nil {
		return nil, err
	}
	_, err = os.Stat(filepath.Join(o.Dir, acklog.FileName))
	if len(streams) > 0 || err == nil {
		return nil, fmt.Errorf("%s contains the data of a single node. As a member of a cluster, NATS would remove it. To move the data to the cluster, "+
			"start the single node once more without cluster.name, back it up with \"earshot backup\", and restore the backup into the empty cluster "+
			"with \"earshot restore\" as docs/cluster.md describes", o.Dir)
	}
	const letters = "abcdefghijkmnpqrstuvwxyz23456789"
	id := make([]byte, 8)
	for i := range id {
		id[i] = letters[rand.IntN(len(letters))]
	}
	m := &member{Cluster: o.Cluster.Name, Node: o.Cluster.NodeName, Server: o.Cluster.NodeName + nameSeparator + string(id), Streams: map[string]string{}}
	return m, m.write(o.Dir)
}

// nameSeparator separates the name of a node from the ID of its directory. Node names do not
// contain it.
const nameSeparator = "~"

// nodeOf returns the name of the node that a server runs on.
func nodeOf(serverName string) string {
	node, _, _ := strings.Cut(serverName, nameSeparator)
	return node
}

// readMember returns the member in a directory, or nil if there is none.
func readMember(dir string) (*member, error) {
	data, err := os.ReadFile(filepath.Join(dir, memberFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	m := &member{}
	if err := json.Unmarshal(data, m); err != nil || m.Server == "" || nodeOf(m.Server) != m.Node {
		return nil, fmt.Errorf("%s is unreadable", filepath.Join(dir, memberFile))
	}
	return m, nil
}

// write replaces the file atomically.
func (m *member) write(dir string) error {
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return disk.Replace(filepath.Join(dir, memberFile), data)
}

// recordReplicas records which streams have a replica on this node, so that the next start notices
// if one of them is gone. It returns without an error if nothing has changed.
func (n *Node) recordReplicas() error {
	info, err := n.server.Jsz(&server.JSzOptions{Accounts: true, Streams: true, RaftGroups: true})
	if err != nil {
		return err
	}
	streams := map[string]string{}
	for _, a := range info.AccountDetails {
		for _, s := range a.Streams {
			if s.RaftGroup != "" {
				streams[s.Name] = s.RaftGroup
			}
		}
	}
	if n.recorded != nil && n.recorded.Installation == n.installation && maps.Equal(streams, n.recorded.Streams) {
		return nil
	}
	m := *n.member
	m.Installation, m.Streams = n.installation, streams
	if err := m.write(n.dir); err != nil {
		return fmt.Errorf("record the streams of this node: %w", err)
	}
	n.recorded = &m
	return nil
}

// IsMember reports whether a directory belongs to a member of a cluster.
func IsMember(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, memberFile))
	return err == nil
}

// CheckMember verifies the files of a member of a cluster that is not running.
func CheckMember(ctx context.Context, dir string, progress integrity.Progress) ([]integrity.Finding, error) {
	m, err := readMember(dir)
	if err != nil {
		return []integrity.Finding{{Part: integrity.Directory, File: filepath.Join(dir, memberFile), Problem: err.Error()}}, nil
	}
	return natsfile.VerifyReplica(ctx, dir, m.Streams, progress)
}

// refuseMember returns an error if a directory belongs to a member of a cluster.
func refuseMember(dir string) error {
	m, err := readMember(dir)
	if err != nil || m == nil {
		return err
	}
	return fmt.Errorf("%s belongs to the node %q of the cluster %q: set cluster.name, peers and node_name to start it. "+
		"To continue with a single node, back up the cluster with \"earshot backup\" and restore the backup to a new data directory", dir, m.Node, m.Cluster)
}

// localStreams returns the names of the streams with files on this node.
func (m *member) localStreams() []string { return slices.Sorted(maps.Keys(m.Streams)) }
