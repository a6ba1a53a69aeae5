package clustertest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"strconv"

	"earshot/internal/state/natsfile"
)

// A message is a place in a NATS stream.
type message struct {
	stream   string
	sequence uint64
}

// checkFiles stops all nodes and reads the files of their NATS servers. The servers must have stored
// the same messages, and none that a node wrote in a role after another node had taken it over.
func (l *load) checkFiles() {
	l.c.Helper()
	for _, n := range l.c.nodes {
		n.process.Stop(l.c)
	}
	stored, fenced := map[message][32]byte{}, 0
	for _, n := range l.c.nodes {
		streams, err := natsfile.Streams(filepath.Join(n.data, "nats"))
		if err != nil {
			l.c.Fatal(err)
		}
		for _, s := range streams {
			f := fenceLog{raised: map[string][]uint64{}}
			if _, err := s.Read(context.Background(), nil, func(r natsfile.Record) {
				if r.Deleted {
					return
				}
				f.add(r)
				key, sum := message{s.Name, r.Sequence}, sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%s", r.Subject, r.Header, r.Data))
				if before, is := stored[key]; is && before != sum {
					l.c.Errorf("message %d of %s on node %s differs from that on another node: %s %q", r.Sequence, s.Name, n.name, r.Subject, r.Data)
				}
				stored[key] = sum
			}); err != nil {
				l.c.Fatalf("node %s: %s: %v", n.name, s.Name, err)
			}
			for _, w := range f.stale() {
				l.c.Errorf("message %d of %s on node %s was written with token %d of %s, after it was raised again",
					w.sequence, s.Name, n.name, w.token, w.fence)
			}
			fenced += len(f.writes)
		}
	}
	if fenced == 0 {
		l.c.Error("nothing was written under a fence")
	}
	l.c.Logf("the nodes stored %d messages, %d of them under a fence", len(stored), fenced/len(l.c.nodes))
}

// A fencedWrite is a message that the server stored because a fence had a token.
type fencedWrite struct {
	sequence uint64
	fence    string // subject of the fence
	token    uint64 // sequence of the fence
}

// A fenceLog is the fences in a stream and the writes that depend on them.
type fenceLog struct {
	raised map[string][]uint64 // sequences by subject; a server may have removed old ones
	writes []fencedWrite
}

func (f *fenceLog) add(r natsfile.Record) {
	f.raised[r.Subject] = append(f.raised[r.Subject], r.Sequence)
	fence := headerValue(r.Header, "Nats-Expected-Last-Subject-Sequence-Subject")
	token, err := strconv.ParseUint(headerValue(r.Header, "Nats-Expected-Last-Subject-Sequence"), 10, 64)
	if fence != "" && err == nil {
		f.writes = append(f.writes, fencedWrite{r.Sequence, fence, token})
	}
}

// stale returns the writes with a token that was not the last one.
func (f *fenceLog) stale() (list []fencedWrite) {
	for _, w := range f.writes {
		for _, raised := range f.raised[w.fence] {
			if w.token < raised && raised < w.sequence {
				list = append(list, w)
				break
			}
		}
	}
	return list
}

// headerValue returns the value of a header of a message, or "".
func headerValue(header []byte, name string) string {
	for line := range bytes.SplitSeq(header, []byte("\r\n")) {
		if key, value, ok := bytes.Cut(line, []byte(":")); ok && string(key) == name {
			return string(bytes.TrimSpace(value))
		}
	}
	return ""
}
