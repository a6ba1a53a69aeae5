package local

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"syscall"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// openPebble opens the database for everything that changes.
func (s *Store) openPebble() (*pebble.DB, error) {
	o := pebbleOptions(s.log)
	o.FS = vfs.OnDiskFull(vfs.Default, s.space.drop)
	o.EventListener = &pebble.EventListener{DataCorruption: s.reportCorruption}
	return openPebble(s.stateDir(), o)
}

// openReadOnly opens the database without changing it.
func openReadOnly(dir string) (*pebble.DB, error) {
	o := pebbleOptions(slog.New(slog.DiscardHandler))
	o.ReadOnly = true
	o.EventListener = &pebble.EventListener{DataCorruption: func(pebble.DataCorruptionInfo) {}}
	return openPebble(dir, o)
}

func openPebble(dir string, o *pebble.Options) (*pebble.DB, error) {
	cache := pebble.NewCache(64 << 20)
	defer cache.Unref()
	o.Cache = cache
	db, err := pebble.Open(dir, o)
	if errors.Is(err, syscall.EAGAIN) { // lock held by another process; for this process, Pebble has its own error
		return nil, fmt.Errorf("another process is using the directory: %w", err)
	}
	return db, err
}

func pebbleOptions(log *slog.Logger) *pebble.Options {
	o := &pebble.Options{
		FormatMajorVersion:          pebble.FormatNewest,
		MemTableSize:                8 << 20, // the log is preallocated at this size on disk
		MemTableStopWritesThreshold: 4,
		CompactionConcurrencyRange:  func() (int, int) { return 1, 1 },
		Logger:                      pebbleLogger{log},
	}
	for i := range o.Levels {
		o.Levels[i].FilterPolicy = bloom.FilterPolicy(10) // most lookups are for new keys
	}
	return o
}

// reportCorruption logs that a read of Pebble found damage. The read returns an error.
func (s *Store) reportCorruption(i pebble.DataCorruptionInfo) {
	s.corruptReads.Add(1)
	s.log.Error("the database of the post store is damaged; stop Earshot and run \"earshot repair\"", "file", i.Path, "error", i.Details)
}

// CorruptReads returns the number of reads that failed since the start because Pebble's files are
// damaged.
func (s *Store) CorruptReads() int64 { return s.corruptReads.Load() }

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
