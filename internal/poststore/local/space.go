package local

import (
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"

	"earshot"
	"earshot/internal/disk"
)

// reserveBytes of disk space are kept free. The store rejects new posts before the disk is full
// because Pebble terminates the process if it cannot write its log. If other programs fill the
// disk, the store deletes a ballast file so that Pebble can finish its write.
const (
	reserveBytes = 24 << 20
	ballastBytes = 8 << 20
)

// A diskSpace monitors free disk space.
type diskSpace struct {
	ballast string
	free    func() int64 // returns the free bytes

	mu             sync.Mutex
	ballastDropped bool // guarded by mu; whether the ballast file is missing
}

func newDiskSpace(dir string) (*diskSpace, error) {
	r := &diskSpace{ballast: filepath.Join(dir, "ballast"), free: func() int64 {
		free, err := disk.Free(dir)
		if err != nil {
			return 1 << 62 // unknown, so assume there is enough
		}
		return free
	}}
	return r, r.restore()
}

// restore writes the ballast file again if there is space for it.
func (r *diskSpace) restore() error {
	if info, err := os.Stat(r.ballast); err == nil && info.Size() == ballastBytes {
		r.ballastDropped = false
		return nil
	}
	if r.free() < reserveBytes+ballastBytes {
		r.ballastDropped = true
		return nil
	}
	ballast := make([]byte, ballastBytes)
	rand.Read(ballast) // zeros would take no space on a compressing file system
	err := os.WriteFile(r.ballast, ballast, 0o600)
	r.ballastDropped = err != nil
	return err
}

// drop deletes the ballast file. Pebble calls it when the disk is full.
func (r *diskSpace) drop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ballastDropped = true
	os.Remove(r.ballast)
}

// check returns a StorageFull error if there is no space for the given number of additional bytes.
func (r *diskSpace) check(bytes int64) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ballastDropped {
		if err := r.restore(); err != nil || r.ballastDropped {
			return errFull
		}
	}
	if r.free() < reserveBytes+bytes {
		return errFull
	}
	return nil
}

// checkFlush returns a StorageFull error if there is no space to flush the segments. Attempting the
// flush would leave no space for other writers.
func (r *diskSpace) checkFlush(segments []*segmentState) error {
	if _, _, bytes := unflushed(segments); r.free() < bytes {
		return errFull
	}
	return nil
}

var errFull = &earshot.Error{
	Kind:    earshot.StorageFull,
	Message: "The disk is full. Free some space or add storage, then try again",
	Err:     errors.New("not enough disk space for posts"),
}

// openPebble opens the database for everything that changes.
func openPebble(dir string, r *diskSpace, log *slog.Logger) (*pebble.DB, error) {
	cache := pebble.NewCache(64 << 20)
	defer cache.Unref()
	o := &pebble.Options{
		Cache:                       cache,
		FS:                          vfs.OnDiskFull(vfs.Default, r.drop),
		FormatMajorVersion:          pebble.FormatNewest,
		MemTableSize:                8 << 20, // the log is preallocated at this size on disk
		MemTableStopWritesThreshold: 4,
		CompactionConcurrencyRange:  func() (int, int) { return 1, 1 },
		Logger:                      pebbleLogger{log},
	}
	for i := range o.Levels {
		o.Levels[i].FilterPolicy = bloom.FilterPolicy(10) // most lookups are for new keys
	}
	db, err := pebble.Open(dir, o)
	if errors.Is(err, syscall.EAGAIN) { // lock held by another process; for this process, Pebble has its own error
		return nil, fmt.Errorf("another process is using the directory: %w", err)
	}
	return db, err
}

// A pebbleLogger logs Pebble's messages. The informational ones are numerous and logged at debug
// level.
type pebbleLogger struct{ *slog.Logger }

func (q pebbleLogger) Infof(format string, args ...any) {
	q.Debug("pebble", "message", fmt.Sprintf(format, args...))
}
func (q pebbleLogger) Errorf(format string, args ...any) {
	q.Error("pebble", "message", fmt.Sprintf(format, args...))
}
func (q pebbleLogger) Fatalf(format string, args ...any) {
	q.Error("database failed; exiting", "message", fmt.Sprintf(format, args...))
	os.Exit(1)
}
