package local

import (
	"errors"
	"os"
	"path/filepath"
	"sync"

	"earshot"
	"earshot/internal/operate/disk"
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
	err := disk.Reserve(r.ballast, ballastBytes)
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
