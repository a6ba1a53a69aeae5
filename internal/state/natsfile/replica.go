package natsfile

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/minio/highwayhash"

	"earshot/internal/operate/integrity"
)

// Files of a Raft group, in jetstream/$SYS/_js_/<group> of a server in a cluster:
//
//	meta.inf, meta.sum      configuration of the log
//	msgs/1.blk              the log, in blocks like those of a stream
//	snapshots/snap.3.812    state at the end of what the log no longer has, with a checksum at its end
//	peers.idx               members: size u32 | number u32 | IDs of 8 bytes each | extension u16
//	tav.idx                 term u64 | vote, the ID of a member or nothing
const (
	snapshotDir   = "snapshots"
	peersFile     = "peers.idx"
	voteFile      = "tav.idx"
	peerIDSize    = 8
	minSnapshot   = 28
	metaGroupName = "_meta_"
)

func groupsDir(dir string) string { return filepath.Join(dir, "jetstream", "$SYS", "_js_") }

// VerifyReplica verifies the files of a server that is a member of a cluster, before the server opens
// them. A damaged replica must not vote: the server would cut off what it cannot read, and might then
// become the leader and have the others delete it, too. streams are the streams that the server must
// have, with their Raft groups. There is no acknowledgment log; what is missing at the end of a log
// after a crash was not acknowledged by this server.
func VerifyReplica(ctx context.Context, dir string, streams map[string]string, progress integrity.Progress) ([]integrity.Finding, error) {
	r := &replica{dir: dir, progress: progress}
	found, err := Streams(dir)
	if err != nil {
		return nil, err
	}
	for _, s := range found {
		if err := r.verifyStream(ctx, s); err != nil {
			return nil, err
		}
	}
	groups, err := listGroups(dir)
	if err != nil {
		return nil, err
	}
	for _, g := range groups {
		if err := r.verifyGroup(ctx, g); err != nil {
			return nil, err
		}
	}
	r.verifyPresence(streams)
	return r.findings, nil
}

type replica struct {
	dir      string
	progress integrity.Progress
	findings []integrity.Finding
}

func (r *replica) add(part, file, problem string) {
	r.findings = append(r.findings, integrity.Finding{Part: part, File: file, Problem: problem})
}

func (r *replica) verifyStream(ctx context.Context, s Stream) error {
	damage, err := s.Read(ctx, r.progress, nil)
	if err != nil {
		return err
	}
	for _, d := range damage {
		if !d.Torn {
			r.add(Part(s.Name), d.File, d.problem())
		}
	}
	blocks, err := s.blocks()
	if err != nil {
		return err
	}
	_, c, err := s.config()
	if err != nil {
		if len(blocks) > 0 { // otherwise, a crash interrupted the creation of the stream
			r.add(Part(s.Name), filepath.Join(s.dir, configFile), err.Error())
		}
		return nil
	}
	if !c.properties().Contiguous {
		return nil
	}
	for i := 1; i < len(blocks); i++ { // blocks disappear from the front only
		if blocks[i] != blocks[i-1]+1 {
			r.add(Part(s.Name), s.blockPath(blocks[i-1]+1), "the file is missing")
		}
	}
	return nil
}

// listGroups returns the Raft groups as if they were streams, which they are on disk.
func listGroups(dir string) ([]Stream, error) {
	entries, err := os.ReadDir(groupsDir(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var groups []Stream
	for _, e := range entries {
		if e.IsDir() {
			groups = append(groups, Stream{Name: e.Name(), dir: filepath.Join(groupsDir(dir), e.Name())})
		}
	}
	return groups, nil
}

// groupPart is what findings about Raft groups belong to.
const groupPart = "replication"

func (r *replica) verifyGroup(ctx context.Context, g Stream) error {
	damage, err := g.Read(ctx, nil, nil)
	if err != nil {
		return err
	}
	for _, d := range damage {
		if !d.Torn {
			r.add(groupPart, d.File, d.problem())
		}
	}
	path := filepath.Join(g.dir, peersFile)
	peers, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		r.add(groupPart, path, "the file is missing")
	case err != nil:
		r.add(groupPart, path, err.Error())
	case !validPeers(peers):
		r.add(groupPart, path, "the list of members is unreadable")
	}
	vote, err := os.ReadFile(filepath.Join(g.dir, voteFile))
	if err == nil && len(vote) != 8 && len(vote) != 8+peerIDSize {
		r.add(groupPart, filepath.Join(g.dir, voteFile), "the vote is unreadable")
	}
	return r.verifySnapshots(g)
}

func validPeers(b []byte) bool {
	if len(b) < 8 {
		return false
	}
	n := int(binary.LittleEndian.Uint32(b[4:]))
	return n <= 100 && len(b) >= 8+n*peerIDSize
}

// verifySnapshots verifies the newest snapshot. The server removes older ones.
func (r *replica) verifySnapshots(g Stream) error {
	entries, err := os.ReadDir(filepath.Join(g.dir, snapshotDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var newest string
	var newestIndex uint64
	for _, e := range entries {
		var term, index uint64
		if n, _ := fmt.Sscanf(e.Name(), "snap.%d.%d", &term, &index); n == 2 && !strings.HasSuffix(e.Name(), ".tmp") && index >= newestIndex {
			newest, newestIndex = e.Name(), index
		}
	}
	if newest == "" {
		return nil
	}
	path := filepath.Join(g.dir, snapshotDir, newest)
	b, err := os.ReadFile(path)
	if err != nil {
		r.add(groupPart, path, err.Error())
		return nil
	}
	if len(b) < minSnapshot || !bytes.Equal(b[len(b)-hashSize:], snapshotSum(g.Name, b[:len(b)-hashSize])) {
		r.add(groupPart, path, "the checksum of the snapshot does not match")
	}
	return nil
}

func snapshotSum(group string, data []byte) []byte {
	key := sha256.Sum256([]byte(group))
	h, err := highwayhash.New64(key[:])
	if err != nil {
		panic(err) // the key has the right length
	}
	h.Write(data)
	return h.Sum(nil)
}

// verifyPresence checks that no stream and no Raft group is missing.
func (r *replica) verifyPresence(streams map[string]string) {
	if len(streams) == 0 {
		return
	}
	missing := func(part, dir string) {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			r.add(part, dir, "the directory is missing")
		}
	}
	missing(groupPart, filepath.Join(groupsDir(r.dir), metaGroupName))
	for _, name := range slices.Sorted(maps.Keys(streams)) {
		missing(Part(name), StreamDir(r.dir, name))
		missing(groupPart, filepath.Join(groupsDir(r.dir), streams[name]))
	}
}
