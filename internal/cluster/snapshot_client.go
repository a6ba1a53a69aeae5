package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"earshot/internal/operate/disk"
	"earshot/internal/sleep"
)

// How a snapshot is copied: how many parts are requested at the same time, so that the connection is
// never idle; how often a part is requested until copying fails, which covers about a minute; and how
// long one request may take. Making a checkpoint takes longer, because it flushes the store.
const (
	parallelReads = 4
	maxReads      = 12
	maxReadWait   = 10 * time.Second
	readTimeout   = 20 * time.Second
	openTimeout   = 2 * time.Minute
)

// A SnapshotClient copies the post store of another node.
type SnapshotClient struct {
	Node     string                                                    // ID of this node
	Request  func(ctx context.Context, request []byte) ([]byte, error) // sends a request to the other node
	Progress func(done, total int64)                                   // in bytes; called often
}

// Fetch copies a snapshot to a directory, which must not exist. When it returns, the files are on
// disk. Requests that fail are repeated. The caller verifies what the files contain.
func (c *SnapshotClient) Fetch(ctx context.Context, dir string) (m Manifest, err error) {
	var opened snapshotOpened
	text, err := c.request(ctx, snapshotRequest{Op: "open"}, openTimeout)
	if err == nil {
		err = json.Unmarshal(text, &opened)
	}
	if err != nil {
		return m, fmt.Errorf("open a snapshot: %w", err)
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readTimeout)
		defer cancel()
		_, _ = c.Request(ctx, snapshotRequest{Op: "close", Node: c.Node, ID: opened.ID}.encode()) // it expires otherwise
	}()
	if m, err = c.fetchManifest(ctx, opened); err != nil {
		return m, fmt.Errorf("read the manifest of a snapshot: %w", err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return m, err
	}
	if err := c.fetchFiles(ctx, opened.ID, dir, m); err != nil {
		return m, fmt.Errorf("copy a snapshot: %w", err)
	}
	return m, syncTree(dir)
}

// fetchManifest reads the manifest and checks the names in it.
func (c *SnapshotClient) fetchManifest(ctx context.Context, opened snapshotOpened) (m Manifest, err error) {
	var text []byte
	for int64(len(text)) < opened.Manifest {
		part, err := c.read(ctx, opened.ID, manifestName, int64(len(text)))
		if err != nil {
			return m, err
		}
		if len(part) == 0 {
			return m, errors.New("it is incomplete")
		}
		text = append(text, part...)
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return m, err
	}
	for _, f := range m.Files {
		if !filepath.IsLocal(filepath.FromSlash(f.Name)) || f.Size < 0 {
			return m, fmt.Errorf("the file name %q is invalid", f.Name)
		}
	}
	return m, nil
}

// fetchFiles copies all files, several parts at a time.
func (c *SnapshotClient) fetchFiles(ctx context.Context, id, dir string, m Manifest) error {
	var done atomic.Int64
	total := m.Size()
	reads, ctx := errgroup.WithContext(ctx)
	reads.SetLimit(parallelReads)
	for _, file := range m.Files {
		path := filepath.Join(dir, filepath.FromSlash(file.Name))
		if err := createFile(path, file.Size); err != nil {
			return errors.Join(err, reads.Wait())
		}
		for offset := int64(0); offset < file.Size && ctx.Err() == nil; offset += chunkSize {
			reads.Go(func() error {
				part, err := c.read(ctx, id, file.Name, offset)
				if err == nil && int64(len(part)) != min(chunkSize, file.Size-offset) {
					err = fmt.Errorf("%s has another size than in the manifest", file.Name)
				}
				if err == nil {
					err = writeAt(path, part, offset)
				}
				if err == nil && c.Progress != nil {
					c.Progress(done.Add(int64(len(part))), total)
				}
				return err
			})
		}
	}
	return reads.Wait()
}

// read returns a part of a file.
func (c *SnapshotClient) read(ctx context.Context, id, file string, offset int64) ([]byte, error) {
	return c.request(ctx, snapshotRequest{Op: "read", ID: id, File: file, Offset: offset}, readTimeout)
}

// request sends a request until it succeeds.
func (c *SnapshotClient) request(ctx context.Context, r snapshotRequest, timeout time.Duration) (response []byte, err error) {
	r.Node = c.Node
	wait := 100 * time.Millisecond
	for range maxReads {
		attempt, cancel := context.WithTimeout(ctx, timeout)
		response, err = c.Request(attempt, r.encode())
		cancel()
		if err == nil && r.Op == "read" {
			response, err = openChunk(response)
		}
		if err == nil || ctx.Err() != nil || err.Error() == errNoSnapshot.Error() {
			return response, err
		}
		if !sleep.For(ctx, wait) {
			return nil, ctx.Err()
		}
		wait = min(2*wait, maxReadWait)
	}
	return nil, err
}

// createFile creates a file of a size, and the directories that contain it.
func createFile(path string, size int64) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(f.Truncate(size), f.Close())
}

func writeAt(path string, data []byte, offset int64) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(data, offset)
	return errors.Join(err, f.Close())
}

// syncTree makes all files and directories below dir durable.
func syncTree(dir string) error {
	return filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return disk.Sync(path)
	})
}
