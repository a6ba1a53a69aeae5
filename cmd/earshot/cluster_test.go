package main

import (
	"strings"
	"testing"
)

const clusterResponse = `{"name":"eu","nodes":[
	{"id":"i1","name":"a","version":"1.2","ready":true,"live":true,"state":"ready","seen":"2026-03-15T12:00:00Z","position":812,"lag":0,"roles":["signals","streams"]},
	{"id":"i2","name":"b","version":"1.2","ready":false,"live":true,"state":"starting","seen":"2026-03-15T12:00:00Z","position":700,"lag":112,"roles":[]},
	{"id":"i3","name":"c","version":"1.1","ready":false,"live":false,"state":"ready","seen":"2026-03-14T08:30:00Z","position":650,"lag":162,"roles":[]}],
	"journal":{"first":600,"last":812},"problem":"too few nodes",
	"streams":[{"name":"JOURNAL","leader":"a","replicas":[{"node":"a","current":true,"lag":0,"offline":false},
		{"node":"b","current":false,"lag":3,"offline":false},{"node":"c","current":false,"lag":162,"offline":true}]},
	{"name":"KV_catalog","leader":"","replicas":[{"node":"a","current":false,"lag":0,"offline":false}]}]}`

const clusterShown = `Cluster eu, journal entries 600 to 812

NODE  STATE                               POSITION  LAG  VERSION  ROLES
a     ready                               812       0    1.2      signals, streams
b     starting                            700       112  1.2      
c     down since 2026-03-14 08:30:00 UTC  650       162  1.1      

too few nodes

STREAM      LEADER  REPLICAS
JOURNAL     a       a, b (3 behind), c (offline)
KV_catalog  none    a (catching up)
`

func TestClusterStatus(t *testing.T) {
	s := newServer(t, response{status: 200, body: clusterResponse})
	r := world{}.run(t.Context(), s.URL, "cluster", "status")
	if r.code != exitOK || r.out != clusterShown {
		t.Errorf("got code %d\n%s%s\nwant\n%s", r.code, r.out, r.err, clusterShown)
	}
	if want := "GET /manage/v1/cluster"; len(s.requests) != 1 || s.requests[0] != want {
		t.Errorf("got requests %q, want %s", s.requests, want)
	}
}

func TestClusterRemove(t *testing.T) {
	s := newServer(t, response{status: 204})
	r := world{}.run(t.Context(), s.URL, "cluster", "remove", "a/b")
	if r.code != exitOK || r.out != "Removed node a/b\n" {
		t.Errorf("got code %d, %s%s", r.code, r.out, r.err)
	}
	if want := "DELETE /manage/v1/cluster/nodes/a%2Fb"; len(s.requests) != 1 || s.requests[0] != want {
		t.Errorf("got requests %q, want %s", s.requests, want)
	}
}

func TestClusterSecretsDiffer(t *testing.T) {
	secret := func() string {
		return strings.TrimSpace(world{}.run(t.Context(), "", "cluster", "secret").out)
	}
	if a, b := secret(), secret(); len(a) != 48 || len(b) != 48 || a == b {
		t.Errorf("got %q and %q, want two different secrets of 48 characters", a, b)
	}
}

func TestClusterSupportNeedsPeers(t *testing.T) {
	r := world{}.run(t.Context(), "", "cluster", "support")
	if want := "earshot: cluster support needs --cluster-name and --peers\n"; r.code != exitUsage || !strings.HasPrefix(r.err, want) {
		t.Errorf("got code %d, %q, want %q", r.code, r.err, want)
	}
}
