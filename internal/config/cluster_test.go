package config

import (
	"reflect"
	"strings"
	"testing"
)

func TestClusterSettings(t *testing.T) {
	c, err := load(t, "cluster:\n    name: eu\n    listen: 10.0.0.1:7000\npeers: [a:7000, 'b:7000', '[::1]:7000']\nnode_name: a\n", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := New()
	want.ClusterName, want.ClusterListen, want.NodeName = "eu", "10.0.0.1:7000", "a"
	want.Peers = []string{"a:7000", "b:7000", "[::1]:7000"}
	if !reflect.DeepEqual(c, want) {
		t.Errorf("got  %+v\nwant %+v", c, want)
	}
	if !c.Clustered() || c.Replicas() != 3 {
		t.Errorf("got clustered %v and %d replicas, want true and 3", c.Clustered(), c.Replicas())
	}
	var printed strings.Builder
	if err := c.Print(&printed); err != nil {
		t.Fatal(err)
	}
	if again, err := load(t, printed.String(), nil, nil); err != nil || !reflect.DeepEqual(again, c) {
		t.Errorf("printed and loaded: got %+v %v\nwant %+v", again, err, c)
	}
}

func TestReplicas(t *testing.T) {
	f := func(want int, args ...string) {
		t.Helper()
		c, err := load(t, "", nil, args)
		if err != nil || c.Replicas() != want {
			t.Errorf("%v: got %d %v, want %d", args, c.Replicas(), err, want)
		}
	}
	f(1)
	f(1, "--nats-url=nats://n")
	f(2, "--nats-url=nats://n", "--nats-replicas=2")
	f(3, "--nats-url=nats://n", "--cluster-name=c")
	f(5, "--nats-url=nats://n", "--cluster-name=c", "--nats-replicas=5")
	f(3, "--peers=a:6222,b:1,c:1,d:1", "--cluster-name=c")
}

func TestNodeNameDefaultsToHost(t *testing.T) {
	for _, args := range [][]string{nil, {"--node-name="}} {
		c, err := load(t, "", nil, args)
		if err != nil || c.NodeName != hostName() || c.NodeName == "" {
			t.Errorf("%v: got %q %v, want %q", args, c.NodeName, err, hostName())
		}
	}
}

func TestClusterSettingErrors(t *testing.T) {
	f := func(want string, environ ...string) {
		t.Helper()
		_, err := load(t, "", environ, nil)
		if err == nil || err.Error() != want {
			t.Errorf("%v:\ngot  %v\nwant %s", environ, err, want)
		}
	}
	const peers = "EARSHOT_PEERS=a:6222,b:6222,c:6222"
	f("setting peers: needs cluster.name, the name of the cluster that these nodes form", peers)
	f("setting peers: cannot be combined with nats_url: the nodes form a cluster of their own (peers) or use an external one (nats_url)",
		peers, "EARSHOT_CLUSTER_NAME=c", "EARSHOT_NATS_URL=nats://n")
	f("setting cluster.name: needs peers, the addresses of all nodes, or nats_url, the URLs of an external NATS cluster", "EARSHOT_CLUSTER_NAME=c")
	f("setting nats_replicas: invalid value 2: must be 3 to 5 with cluster.name, so that the loss of a node loses no data",
		peers, "EARSHOT_CLUSTER_NAME=c", "EARSHOT_NATS_REPLICAS=2")
	f("setting nats_replicas: invalid value 5: must not be larger than the number of peers, 3", peers, "EARSHOT_CLUSTER_NAME=c", "EARSHOT_NATS_REPLICAS=5")
	f("setting peers: no address has the port of cluster.listen, :6223, so the other nodes cannot reach this one. Set cluster.listen to the address of this node in the list, or cluster.advertise if ports are forwarded",
		peers, "EARSHOT_CLUSTER_NAME=c", "EARSHOT_CLUSTER_LISTEN=:6223")
	f(`setting cluster.name: invalid value "a b" in environment variable EARSHOT_CLUSTER_NAME: must be up to 64 letters, digits, hyphens and underscores, like earshot`,
		peers, "EARSHOT_CLUSTER_NAME=a b")
	f(`setting node_name: invalid value "a/b" in environment variable EARSHOT_NODE_NAME: must be up to 64 letters, digits, dots, hyphens and underscores, like node-1`,
		"EARSHOT_NODE_NAME=a/b")
	f(`setting cluster.listen: invalid value ":0" in environment variable EARSHOT_CLUSTER_LISTEN: must be an address and a port from 1 to 65535, like :6222`,
		"EARSHOT_CLUSTER_LISTEN=:0")
	f(`setting cluster.advertise: invalid value ":1" in environment variable EARSHOT_CLUSTER_ADVERTISE: must be a host and a port from 1 to 65535, like a:6222`,
		"EARSHOT_CLUSTER_ADVERTISE=:1")
	const list = "setting peers: invalid value %q in environment variable EARSHOT_PEERS: must be "
	for _, invalid := range []string{"a,b,c", ":1,b:1,c:1", "a:0,b:1,c:1", "nats://a:1,b:1,c:1"} {
		f(strings.Replace(list, "%q", `"`+invalid+`"`, 1)+"a list of hosts with ports, like a:6222,b:6222,c:6222", "EARSHOT_PEERS="+invalid)
	}
	f(strings.Replace(list, "%q", `"a:1,b:1"`, 1)+"a list of all nodes, at least 3: fewer do not survive the loss of one", "EARSHOT_PEERS=a:1,b:1")
	f(strings.Replace(list, "%q", `"a:1,b:1,a:1"`, 1)+"a list without duplicates; a:1 is there twice", "EARSHOT_PEERS=a:1,b:1,a:1")
}
