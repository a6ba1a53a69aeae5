package cluster

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// snapshotExpiry is how long a snapshot is kept without reads. The node that reads it may be slow, but
// each of its requests is short.
const snapshotExpiry = 2 * time.Minute

// A SnapshotServer lets other nodes copy the post store of this one.
type SnapshotServer struct {
	Dir string // contains the snapshots; on the file system of the store, so that files can be linked
	Log *slog.Logger

	// Checkpoint writes a consistent copy of the store to a new directory, and sets everything in the
	// manifest except the files.
	Checkpoint func(ctx context.Context, dir string, m *Manifest) error

	mu   sync.Mutex
	open map[string]*openSnapshot // guarded by mu; by the node that reads it
}

// An openSnapshot is a snapshot that another node reads.
type openSnapshot struct {
	id       string
	root     *os.Root
	dir      string
	sizes    map[string]int64 // by file
	manifest []byte
	used     time.Time // guarded by SnapshotServer.mu
}

var errNoSnapshot = errors.New("there is no such snapshot; it may have expired")

// Clean removes the snapshots of an earlier process. Call it before the first request.
func (s *SnapshotServer) Clean() error {
	if err := os.RemoveAll(s.Dir); err != nil {
		return fmt.Errorf("remove old snapshots: %w", err)
	}
	return nil
}

// Run removes snapshots that nobody reads anymore, until ctx ends, and then all.
func (s *SnapshotServer) Run(ctx context.Context) {
	tick := time.NewTicker(snapshotExpiry / 8)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			s.removeUnused(0)
			return
		case <-tick.C:
			s.removeUnused(snapshotExpiry)
		}
	}
}

// removeUnused removes snapshots that were not used for a time.
func (s *SnapshotServer) removeUnused(age time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for node, o := range s.open {
		if time.Since(o.used) >= age {
			s.remove(node, o)
		}
	}
}

// remove removes a snapshot. s.mu must be held.
func (s *SnapshotServer) remove(node string, o *openSnapshot) {
	delete(s.open, node)
	if err := errors.Join(o.root.Close(), os.RemoveAll(o.dir)); err != nil {
		s.Log.Warn("removing a snapshot failed", "directory", o.dir, "error", err)
	}
}

// Serve serves one request.
func (s *SnapshotServer) Serve(ctx context.Context, request []byte) ([]byte, error) {
	var r snapshotRequest
	if err := json.Unmarshal(request, &r); err != nil {
		return nil, fmt.Errorf("read the request: %w", err)
	}
	switch r.Op {
	case "open":
		return s.create(ctx, r.Node)
	case "read":
		o, err := s.find(r)
		if err != nil {
			return nil, err
		}
		return o.read(r.File, r.Offset)
	case "close":
		o, err := s.find(r)
		if err != nil {
			return nil, nil // a repeat is harmless
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.open[r.Node] == o {
			s.remove(r.Node, o)
		}
		return nil, nil
	}
	return nil, fmt.Errorf("unknown request %q", r.Op)
}

// find returns the snapshot of a request.
func (s *SnapshotServer) find(r snapshotRequest) (*openSnapshot, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.open[r.Node]
	if o == nil || o.id != r.ID {
		return nil, errNoSnapshot
	}
	o.used = time.Now()
	return o, nil
}

// create makes a snapshot for a node. It replaces an earlier one.
func (s *SnapshotServer) create(ctx context.Context, node string) (_ []byte, err error) {
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return nil, err
	}
	o := &openSnapshot{id: rand.Text(), used: time.Now(), sizes: map[string]int64{}}
	o.dir = filepath.Join(s.Dir, o.id)
	var m Manifest
	if err := s.Checkpoint(ctx, o.dir, &m); err != nil {
		return nil, fmt.Errorf("make a checkpoint: %w", err)
	}
	defer func() {
		if err != nil {
			os.RemoveAll(o.dir)
		}
	}()
	if m.Files, err = listFiles(o.dir); err != nil {
		return nil, err
	}
	for _, f := range m.Files {
		o.sizes[f.Name] = f.Size
	}
	if o.manifest, err = json.Marshal(m); err != nil {
		return nil, err
	}
	if o.root, err = os.OpenRoot(o.dir); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == nil {
		s.open = map[string]*openSnapshot{}
	}
	if earlier := s.open[node]; earlier != nil {
		s.remove(node, earlier)
	}
	s.open[node] = o
	s.Log.Info("another node copies the post store", "node", node, "bytes", m.Size(), "position", m.Position)
	return json.Marshal(snapshotOpened{ID: o.id, Manifest: int64(len(o.manifest))})
}

// listFiles returns all files below a directory, in the order of their names.
func listFiles(dir string) (files []SnapshotFile, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		files = append(files, SnapshotFile{filepath.ToSlash(name), info.Size()})
		return err
	})
	return files, err
}

// read returns a part of a file, or of the manifest, with a checksum.
func (o *openSnapshot) read(name string, offset int64) ([]byte, error) {
	if name == manifestName {
		if offset < 0 || offset > int64(len(o.manifest)) {
			return nil, fmt.Errorf("the manifest has no offset %d", offset)
		}
		return sealChunk(o.manifest[offset:min(offset+chunkSize, int64(len(o.manifest)))]), nil
	}
	size, known := o.sizes[name]
	if !known || offset < 0 || offset > size {
		return nil, fmt.Errorf("the snapshot has no file %q with offset %d", name, offset)
	}
	f, err := o.root.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	part := make([]byte, min(chunkSize, size-offset))
	if _, err := f.ReadAt(part, offset); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return sealChunk(part), nil
}
