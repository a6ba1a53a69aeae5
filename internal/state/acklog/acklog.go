// Package acklog records what the embedded NATS server has acknowledged, in a file that the server
// does not know about. At startup the record is compared with the files of the server, so that an
// acknowledged message that is damaged or missing is told apart from one that a crash interrupted.
//
// The file contains one record for each acknowledged message, written before the client gets its
// response:
//
//	mark byte | length u16 | CRC-32C u32 | kind byte, stream, subject, sequence, time
//
// For example, after a user with the key user.7 is saved, the record says that message 812 of the
// stream KV_catalog, with the subject $KV.catalog.user.7, is acknowledged. From then on, the stream
// must contain message 812 or a newer one of that subject. [State] is the sum of all records.
//
// A record is written with one system call and is not synced before the response, so a killed
// process loses none, and a power failure loses those of the last second. The file is then behind
// the streams, which is harmless: it states the least that the streams must contain.
//
// The file is rewritten when it has grown to several times the size of its state.
package acklog

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"earshot/internal/operate/disk"
	"earshot/internal/sleep"
)

// FileName is the name of the log in the directory of the server.
const FileName = "acknowledged"

const (
	// syncInterval is the minimum time between two syncs. A shorter one would compete with the
	// syncs of the server: 20 ms made appends 15 to 20% slower. A longer one would leave more
	// unproven after a power failure.
	syncInterval = time.Second

	// The log is rewritten when it is larger than minRewrite and growthFactor times its state.
	minRewrite   = 1 << 20
	growthFactor = 4
)

// A Log is an open log. Its methods may be called concurrently.
type Log struct {
	path string
	now  func() time.Time

	mu     sync.Mutex
	state  *State   // guarded by mu
	file   *os.File // guarded by mu
	size   int64    // of the file; guarded by mu
	limit  int64    // size at which the file is rewritten; guarded by mu
	failed error    // set when the file can no longer be written; guarded by mu
	buf    []byte   // guarded by mu

	unsynced chan struct{} // has a value if there are records to sync
	stop     chan struct{}
	synced   chan struct{} // closed when the syncing goroutine has ended
}

// Create writes a new log with the given state, replacing an existing one, and opens it. The log
// owns the state from then on.
func Create(dir string, s *State) (*Log, error) {
	l := &Log{path: filepath.Join(dir, FileName), now: time.Now, state: s}
	if err := l.rewrite(); err != nil {
		return nil, fmt.Errorf("write %s: %w", l.path, err)
	}
	l.start()
	return l, nil
}

func (l *Log) start() {
	l.unsynced, l.stop, l.synced = make(chan struct{}, 1), make(chan struct{}), make(chan struct{})
	go l.syncLoop()
}

// Close syncs and closes the log. A second call has no effect.
func (l *Log) Close() error {
	l.mu.Lock()
	closed := errors.Is(l.failed, fs.ErrClosed)
	failed := l.failed
	l.failed = fs.ErrClosed
	l.mu.Unlock()
	if closed {
		return nil
	}
	close(l.stop)
	<-l.synced
	return errors.Join(failed, l.file.Sync(), l.file.Close())
}

// Installation returns the ID of the installation that the log belongs to.
func (l *Log) Installation() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state.Installation
}

// A Message is an acknowledged message.
type Message struct {
	Subject  string
	Deletion bool          // the message deletes the entry of its subject
	Lifetime time.Duration // 0: the maximum age of the stream
}

// Acknowledged records that messages with consecutive sequence numbers are stored, the last of them
// with the given one.
func (l *Log) Acknowledged(stream string, last uint64, messages ...Message) error {
	now := l.now()
	return l.append(func(add func(record)) {
		t := l.state.Stream(stream)
		sequence := last - uint64(len(messages))
		for i, m := range messages {
			sequence++
			if i+1 < len(messages) && messages[i+1].Subject == m.Subject {
				continue // only the last message of a subject matters
			}
			kind := byte(kindMessage)
			if m.Deletion {
				kind = kindDeletion
			}
			add(record{kind: kind, stream: stream, subject: m.Subject, sequence: sequence, time: t.expiryBase(m, now)})
		}
	})
}

// All stands for the last acknowledged message in calls of Purging and Purged.
const All = math.MaxUint64

// Purging records that messages of a subject, or of all subjects if it is empty, may disappear up
// to a sequence number. It must be called before they are purged.
func (l *Log) Purging(stream, subject string, upTo uint64) error {
	return l.append(func(add func(record)) {
		add(record{kind: kindPurging, stream: stream, subject: subject, sequence: l.bound(stream, upTo)})
	})
}

// Purged records that the messages of a subject have disappeared, after a call of Purging.
func (l *Log) Purged(stream, subject string, upTo uint64) error {
	return l.append(func(add func(record)) {
		add(record{kind: kindPurged, stream: stream, subject: subject, sequence: l.bound(stream, upTo)})
	})
}

// bound returns upTo, or the last sequence number if upTo is All. The caller holds l.mu.
func (l *Log) bound(stream string, upTo uint64) uint64 {
	if upTo == All {
		return l.state.Stream(stream).Last
	}
	return upTo
}

// Hole records that the messages of a range may disappear.
func (l *Log) Hole(stream string, r Range) error {
	return l.append(func(add func(record)) {
		add(record{kind: kindHole, stream: stream, sequence: r.First, time: int64(r.Last)})
	})
}

// Describe records the configuration of a stream, as the server stores it, and the properties that
// follow from it.
func (l *Log) Describe(stream string, p Properties, config []byte) error {
	return l.append(func(add func(record)) {
		t := l.state.Stream(stream)
		if t.Properties != p {
			add(propertiesRecord(stream, p))
		}
		if t.Config != string(config) {
			add(record{kind: kindConfig, stream: stream, subject: string(config)})
		}
	})
}

// append writes the records that fill passes to add, with one system call, and applies them. fill is
// called with l.mu held.
func (l *Log) append(fill func(add func(record))) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failed != nil {
		return fmt.Errorf("write %s: %w", l.path, l.failed)
	}
	l.buf = l.buf[:0]
	fill(func(r record) {
		l.buf = r.appendTo(l.buf)
		l.state.apply(r)
	})
	if len(l.buf) == 0 {
		return nil
	}
	if _, err := l.file.Write(l.buf); err != nil {
		return l.undo(err)
	}
	l.size += int64(len(l.buf))
	sleep.Notify(l.unsynced)
	if l.size < l.limit {
		return nil
	}
	if err := l.rewrite(); err != nil {
		l.limit = 2 * l.size // try again later; the file is complete as it is
	}
	return nil
}

// undo cuts off an incomplete record, so that later ones follow the last complete one. The state may
// then be ahead of the file until the file is rewritten, but only by messages that are stored.
func (l *Log) undo(cause error) error {
	if err := l.file.Truncate(l.size); err != nil {
		l.failed = errors.Join(cause, err)
	} else if _, err := l.file.Seek(l.size, 0); err != nil {
		l.failed = errors.Join(cause, err)
	}
	return fmt.Errorf("write %s: %w", l.path, cause)
}

// rewrite replaces the file with one that contains the state only, and opens it. The caller holds
// l.mu, unless the log is not in use yet.
func (l *Log) rewrite() (err error) {
	l.state.expire(l.now())
	buf := l.state.encode()
	temp := l.path + ".tmp"
	f, err := os.OpenFile(temp, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(temp)
		}
	}()
	if _, err := f.Write(buf); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := os.Rename(temp, l.path); err != nil {
		return err
	}
	if err := disk.Sync(filepath.Dir(l.path)); err != nil {
		return err
	}
	if l.file != nil {
		l.file.Close()
	}
	l.file, l.size = f, int64(len(buf))
	l.limit = max(minRewrite, growthFactor*l.size)
	return nil
}

// syncLoop syncs the file soon after each write.
func (l *Log) syncLoop() {
	defer close(l.synced)
	for {
		select {
		case <-l.stop:
			return
		case <-l.unsynced:
		}
		l.mu.Lock()
		f := l.file
		l.mu.Unlock()
		// A rewrite may close the file, and it syncs its successor.
		if err := f.Sync(); err != nil && !errors.Is(err, fs.ErrClosed) {
			l.mu.Lock()
			l.failed = err // what the file contains now is unknown
			l.mu.Unlock()
		}
		select {
		case <-l.stop:
			return
		case <-time.After(syncInterval):
		}
	}
}

// sortedKeys returns the keys of m in ascending order.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
