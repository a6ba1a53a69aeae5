package config

import (
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
)

// minPeers is the smallest number of nodes that survives the loss of one of them.
const minPeers = 3

// validateCluster checks settings that depend on each other.
func (c Config) validateCluster() error {
	switch {
	case !c.Clustered() && len(c.Peers) > 0:
		return errors.New("setting peers: needs cluster.name, the name of the cluster that these nodes form")
	case !c.Clustered():
		return nil
	case len(c.Peers) > 0 && c.NATSURL != "":
		return errors.New("setting peers: cannot be combined with nats_url: the nodes form a cluster of their own (peers) or use an external one (nats_url)")
	case len(c.Peers) == 0 && c.NATSURL == "":
		return errors.New("setting cluster.name: needs peers, the addresses of all nodes, or nats_url, the URLs of an external NATS cluster")
	case c.Replicas() < minPeers:
		return fmt.Errorf("setting nats_replicas: invalid value %d: must be 3 to 5 with cluster.name, so that the loss of a node loses no data", c.NATSReplicas)
	case len(c.Peers) > 0 && c.Replicas() > len(c.Peers):
		return fmt.Errorf("setting nats_replicas: invalid value %d: must not be larger than the number of peers, %d", c.NATSReplicas, len(c.Peers))
	case !c.isListed():
		return fmt.Errorf("setting peers: no address has the port of cluster.listen, %s, so the other nodes cannot reach this one. Set cluster.listen to the address of this node in the list, or cluster.advertise if ports are forwarded", c.ClusterListen)
	}
	if err := isNodeName(c.NodeName); err != nil {
		return fmt.Errorf("setting node_name: invalid value %q: must be %w; it is the name of the host unless you set it", c.NodeName, err)
	}
	return nil
}

// isListed reports whether one of the peers may be this node, whose own address is unknown: one that
// has the port of its listener. Behind port forwarding, any of them may.
func (c Config) isListed() bool {
	return len(c.Peers) == 0 || c.ClusterAdvertise != "" ||
		slices.ContainsFunc(c.Peers, func(peer string) bool { return portOf(peer) == portOf(c.ClusterListen) })
}

// isClusterName accepts a name that is one token of a NATS subject.
func isClusterName(s string) error {
	if s != "" && !isWord(s, "-_") {
		return errors.New("up to 64 letters, digits, hyphens and underscores, like earshot")
	}
	return nil
}

func isNodeName(s string) error {
	if !isWord(s, "-_.") || slices.Contains(strings.Split(s, "."), "") {
		return errors.New("up to 64 letters, digits, dots, hyphens and underscores, like node-1")
	}
	return nil
}

// isWord reports whether s has 1 to 64 ASCII letters, digits and characters of others.
func isWord(s, others string) bool {
	allowed := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(others, r)
	}
	return len(s) >= 1 && len(s) <= 64 && !strings.ContainsFunc(s, func(r rune) bool { return !allowed(r) })
}

// isListener accepts an address for connections of other nodes. They know the port, so it is never a
// free one.
func isListener(s string) error {
	if port := portOf(s); port == "" {
		return errors.New("an address and a port from 1 to 65535, like :6222")
	}
	return nil
}

// isAdvertised accepts an address at which other nodes reach this one.
func isAdvertised(s string) error {
	if host, _, _ := net.SplitHostPort(s); s != "" && (host == "" || portOf(s) == "") {
		return errors.New("a host and a port from 1 to 65535, like a:6222")
	}
	return nil
}

// portOf returns the port of an address, or an empty string if the address or its port is invalid.
func portOf(address string) string {
	_, port, err := net.SplitHostPort(address)
	if n, numberErr := strconv.ParseUint(port, 10, 16); err != nil || numberErr != nil || n == 0 {
		return ""
	}
	return port
}

// peers is a list of addresses, separated by commas.
type peers struct{ field *[]string }

func (p peers) Set(s string) error {
	var found []string
	for address := range strings.SplitSeq(s, ",") {
		address = strings.TrimSpace(address)
		if address == "" {
			continue
		}
		host, _, _ := net.SplitHostPort(address)
		if host == "" || portOf(address) == "" || strings.ContainsAny(host, "/@ ") {
			return errors.New("a list of hosts with ports, like a:6222,b:6222,c:6222")
		}
		if slices.Contains(found, address) {
			return fmt.Errorf("a list without duplicates; %s is there twice", address)
		}
		found = append(found, address)
	}
	if n := len(found); n > 0 && n < minPeers {
		return fmt.Errorf("a list of all nodes, at least %d: fewer do not survive the loss of one", minPeers)
	}
	*p.field = found
	return nil
}

func (p peers) String() string { return strings.Join(*p.field, ", ") }
func (p peers) Type() string   { return "list" }
func (p peers) yaml() any      { return append([]string{}, *p.field...) }

// A nodeName is a name, by default that of the host.
type nodeName struct{ field *string }

func (n nodeName) Set(s string) error {
	if s == "" {
		s = hostName()
	} else if err := isNodeName(s); err != nil {
		return err
	}
	*n.field = s
	return nil
}

func (n nodeName) String() string { return *n.field }
func (n nodeName) Type() string   { return "string" }
func (n nodeName) yaml() any      { return *n.field }

// hostName returns the name of the host, or an empty string if it has none.
func hostName() string {
	name, err := os.Hostname()
	if err != nil {
		return ""
	}
	return name
}
