package folder

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"

	"earshot"
	"earshot/internal/connector"
	"earshot/internal/connector/inbox"
	"earshot/internal/state/kv"
)

// A session is a call of Run.
type session struct {
	env  connector.Env
	sink connector.Sink
	box  *inbox.Inbox
	path string
	move bool

	root   *os.Root // of the current round
	files  map[string]*fileState
	resume cursor // in the file that was being read when the process ended
	remark remark
	pruned time.Time
}

// A remark describes the latest file with a problem, for people.
type remark struct{ file, text string }

// A version identifies the contents of a file as well as possible without reading it.
type version struct {
	Size     int64
	Modified int64 // nanoseconds since 1970
}

func versionOf(info fs.FileInfo) version { return version{info.Size(), info.ModTime().UnixNano()} }

// fileState is the state of a file in the folder.
type fileState struct {
	version
	done     bool   // this version needs no more work
	sum      string // of its contents, if done
	reported bool   // a problem with this version was logged
	scan     bool   // seen in the current scan
}

// round scans the folder once and reads the files that are complete.
func (s *session) round(ctx context.Context) error {
	// The folder is opened each time, because a network file system may be mounted again.
	root, err := os.OpenRoot(s.path)
	if err != nil {
		return fmt.Errorf("open the folder: %w", err)
	}
	defer root.Close()
	s.root = root
	ready, err := s.scan(ctx)
	if err != nil {
		return err
	}
	for _, name := range ready {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := s.take(ctx, name); err != nil {
			return err
		}
	}
	return s.prune(ctx)
}

// scan updates s.files and returns the names of the files that have not changed since the previous
// scan and are to be read, oldest first.
func (s *session) scan(ctx context.Context) (ready []string, err error) {
	for _, f := range s.files {
		f.scan = false
	}
	err = eachFile(s.root, func(name string, info fs.FileInfo) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		f := s.files[name]
		switch {
		case f == nil:
			f = &fileState{version: versionOf(info)}
			if err := s.recall(ctx, name, f); err != nil {
				return err
			}
			s.files[name] = f
		case f.version != versionOf(info):
			*f = fileState{version: versionOf(info)}
		case !f.done:
			ready = append(ready, name)
		}
		f.scan = true
		return nil
	})
	if err != nil {
		return nil, err
	}
	for name, f := range s.files {
		if !f.scan {
			delete(s.files, name)
			if s.remark.file == name && !s.move {
				s.remark = remark{}
			}
			if err := s.env.Store.Purge(ctx, nameKey(name)); err != nil {
				return nil, err
			}
		}
	}
	slices.SortFunc(ready, func(a, b string) int {
		return cmp.Or(cmp.Compare(s.files[a].Modified, s.files[b].Modified), cmp.Compare(a, b))
	})
	return ready, nil
}

// scanChunk is the number of directory entries that are read together.
const scanChunk = 1000

// eachFile calls f for each file of a folder that has a known format. It skips subdirectories,
// hidden files, everything that is not a regular file, and links that point outside the folder.
func eachFile(root *os.Root, f func(name string, info fs.FileInfo) error) error {
	dir, err := root.Open(".")
	if err != nil {
		return fmt.Errorf("read the folder: %w", err)
	}
	defer dir.Close()
	for {
		entries, readErr := dir.ReadDir(scanChunk)
		for _, e := range entries {
			name := e.Name()
			if formatOf(name) == "" || strings.HasPrefix(name, ".") || e.IsDir() {
				continue
			}
			info, err := root.Stat(name) // fails for links that point outside the folder
			if err != nil || !info.Mode().IsRegular() {
				continue
			}
			if err := f(name, info); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(readErr, io.EOF):
			return nil
		case readErr != nil:
			return fmt.Errorf("read the folder: %w", readErr)
		}
	}
}

// formatOf returns the extension that determines how to read a file, without .gz, or "".
func formatOf(name string) string {
	name = strings.TrimSuffix(strings.ToLower(name), ".gz")
	if ending := path.Ext(name); slices.Contains([]string{".jsonl", ".ndjson", ".json", ".csv"}, ending) {
		return ending
	}
	return ""
}

func isCompressed(name string) bool { return strings.HasSuffix(strings.ToLower(name), ".gz") }

// Records of the source: which contents were read, and which files have them, so that a restart does
// not read all files again.
const (
	sumPrefix  = "sum."
	namePrefix = "name."
)

func sumKey(sum string) string { return sumPrefix + sum }

// nameKey returns the key for a file. Names may contain any bytes.
func nameKey(name string) string {
	hash := sha256.Sum256([]byte(name))
	return namePrefix + hex.EncodeToString(hash[:16])
}

// A nameRecord is a version of a file that was read.
type nameRecord struct {
	Version version `json:"version"`
	Sum     string  `json:"sum"`
}

// A sumRecord is about contents that were read.
type sumRecord struct {
	Name     string    `json:"name"` // of the first file with them
	Taken    time.Time `json:"taken"`
	Accepted int64     `json:"accepted"`
	Rejected int64     `json:"rejected"`
}

// recall restores what was known about a file before a restart.
func (s *session) recall(ctx context.Context, name string, f *fileState) error {
	var r nameRecord
	known, err := s.get(ctx, nameKey(name), &r)
	if err != nil || !known || r.Version != f.version {
		return err
	}
	f.done, f.sum = true, r.Sum
	if s.move { // the process ended before the file was moved
		s.moveAway(ctx, name, f)
	}
	return nil
}

// get reads a record and reports whether it exists.
func (s *session) get(ctx context.Context, key string, into any) (bool, error) {
	e, err := s.env.Store.Get(ctx, key)
	if errors.Is(err, kv.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, json.Unmarshal(e.Value, into)
}

func (s *session) set(ctx context.Context, key string, record any) error {
	data, err := json.Marshal(record)
	if err != nil {
		return err
	}
	_, err = s.env.Store.Set(ctx, key, data)
	return err
}

// Contents that are no longer in the folder are eventually forgotten, so that the number of records
// does not grow without bound.
const (
	pruneInterval = 24 * time.Hour
	rememberFor   = 180 * 24 * time.Hour
)

// prune removes records of contents that were read long ago and that no file has anymore.
func (s *session) prune(ctx context.Context) error {
	now := s.env.Now()
	if now.Sub(s.pruned) < pruneInterval {
		return nil
	}
	s.pruned = now
	present := map[string]bool{}
	for _, f := range s.files {
		present[f.sum] = true
	}
	keys, err := s.env.Store.Keys(ctx, sumPrefix+">")
	if err != nil {
		return err
	}
	for _, key := range keys {
		var r sumRecord
		if present[strings.TrimPrefix(key, sumPrefix)] {
			continue
		}
		if known, err := s.get(ctx, key, &r); err != nil || !known || now.Sub(r.Taken) < rememberFor {
			if err != nil {
				return err
			}
			continue
		}
		if err := s.env.Store.Purge(ctx, key); err != nil {
			return err
		}
	}
	return nil
}

// printable returns a file's name for a message or a report.
func printable(name string) string {
	return earshot.Clip(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, strings.ToValidUTF8(name, "?")), 100)
}
