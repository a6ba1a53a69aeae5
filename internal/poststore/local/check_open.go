package local

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/cockroachdb/pebble/v2"

	"earshot/internal/operate/integrity"
	"earshot/internal/poststore/local/pebblefile"
)

// verifyAtOpen is the size of Pebble's tables up to which Open verifies them. That takes a quarter of
// a second per 10 million posts if they are in the page cache. Verify reads larger ones later.
const verifyAtOpen = 1 << 30

// checkBeforeOpen returns an error that wraps an *integrity.DamageError if the store in dir must not
// be opened, because opening a damaged database deletes files. It changes nothing.
func checkBeforeOpen(dir, installation string) (*stateCheck, error) {
	c := &stateCheck{dir: dir}
	if err := c.run(); err != nil {
		return nil, err
	}
	if want, got := installation, c.installation; len(c.findings) == 0 && want != "" && got != "" && want != got {
		c.add(dir, fmt.Sprintf("the posts belong to installation %s, the catalog and the journal to installation %s", got, want),
			"directories of different installations are mixed")
	}
	if size, err := tableBytes(stateDir(dir)); err == nil && len(c.findings) == 0 && size <= verifyAtOpen {
		c.verifyTables(nil)
	}
	return c, integrity.Stopping(c.findings)
}

// A stateCheck verifies that the database is complete up to the last commit.
type stateCheck struct {
	dir          string
	findings     []integrity.Finding
	state        stateRecord
	installation string
	copying      bool // posts are being copied to the store
}

func (c *stateCheck) add(file, problem, effect string) {
	c.findings = append(c.findings, integrity.Finding{Part: integrity.Posts, File: file, Problem: problem, Effect: effect})
}

// run compares the database with the witness. It returns an error only if it cannot tell.
func (c *stateCheck) run() error {
	w, witnessErr := readWitness(c.dir)
	witnessPath := filepath.Join(c.dir, witnessName)
	isNew := errors.Is(witnessErr, fs.ErrNotExist)
	switch {
	case errors.Is(witnessErr, errNoWitness):
		c.add(witnessPath, witnessErr.Error(), "whether the database is complete is unknown")
	case witnessErr != nil && !isNew:
		return witnessErr
	}
	state, err := c.open(!isNew)
	if err != nil || state == nil || len(c.findings) > 0 {
		return err
	}
	c.state, c.installation = *state, state.Installation
	switch {
	case isNew && state.Commit > 0:
		c.add(witnessPath, "it is missing", "whether the database is complete is unknown")
	case isNew:
		return nil // written by an earlier version
	case state.Commit < w.Commit:
		c.add(stateDir(c.dir), fmt.Sprintf("the database is older than the last commit: commit %d of %d", state.Commit, w.Commit),
			fmt.Sprintf("it has %d of %d segments, and journal entries up to position %d instead of %d", state.Segments, w.Segments, state.Position, w.Position))
	case w.Installation != state.Installation && w.Installation != "":
		c.add(witnessPath, fmt.Sprintf("it belongs to installation %s, the database to installation %s", w.Installation, state.Installation), "")
	}
	return nil
}

// open opens the database and returns its state, or nil if there is no database, or if it is
// damaged.
func (c *stateCheck) open(expected bool) (*stateRecord, error) {
	dir := stateDir(c.dir)
	if missing, err := c.missing(expected); missing || err != nil {
		return nil, err
	}
	if err := pebblefile.CheckLogs(dir); err != nil {
		return nil, c.damaged(dir, err)
	}
	var state *stateRecord
	err := guardPanic(func() error {
		db, err := openReadOnly(dir)
		if err != nil {
			return err
		}
		defer db.Close()
		if state, err = readState(db); err != nil {
			return err
		}
		checkpoint, err := get(db, recID(recCopy))
		c.copying = checkpoint != nil
		return err
	})
	if err != nil {
		return nil, c.damaged(dir, err)
	}
	return state, nil
}

// damaged adds a finding for damage to the database. It returns the error if it is not damage.
func (c *stateCheck) damaged(dir string, err error) error {
	const effect = "the list of segments, deleted posts, snapshots and counters cannot be read completely"
	var damage *pebblefile.DamageError
	var newer newerFormatError
	switch {
	case errors.As(err, &damage):
		c.add(damage.Path, damage.Reason, effect)
	case errors.As(err, &newer):
		return newer
	case isSystemError(err):
		return err
	default:
		c.add(dir, firstLine(err.Error()), effect)
	}
	return nil
}

// missing reports whether there is no database. That is damage if there are traces of one.
func (c *stateCheck) missing(expected bool) (bool, error) {
	dir := stateDir(c.dir)
	markers, err := filepath.Glob(filepath.Join(dir, "marker.manifest.*"))
	if err != nil || len(markers) > 0 {
		return false, err
	}
	segments, err := filepath.Glob(filepath.Join(segmentDir(c.dir), "*"+segmentSuffix))
	if err != nil {
		return false, err
	}
	tables, err := filepath.Glob(filepath.Join(dir, "*.sst"))
	if err != nil {
		return false, err
	}
	if expected || len(segments)+len(tables) > 0 {
		c.add(dir, "the database is missing", fmt.Sprintf("%d segments cannot be used without it", len(segments)))
	}
	return true, nil
}

// readState reads the state record and checks that it agrees with the list of segments. It returns
// an empty record if there is none.
func readState(db pebble.Reader) (*stateRecord, error) {
	data, err := get(db, recID(recState))
	if err != nil {
		return nil, err
	}
	state, err := decodeState(data)
	if err != nil {
		return nil, err
	}
	listed := 0
	if err := each(db, recSegment, func(_, _ []byte) error { listed++; return nil }); err != nil {
		return nil, err
	}
	if state.Commit > 0 && listed != state.Segments {
		return nil, fmt.Errorf("the database lists %d of %d segments", listed, state.Segments)
	}
	return &state, nil
}

// verifyTables reads all tables of the database.
func (c *stateCheck) verifyTables(progress integrity.Progress) {
	paths, err := pebblefile.Tables(stateDir(c.dir))
	if err != nil {
		c.add(stateDir(c.dir), err.Error(), "")
		return
	}
	for _, path := range paths {
		if err := pebblefile.VerifyTable(path); err != nil {
			c.add(path, firstLine(strings.TrimPrefix(err.Error(), path+": ")), "some of the store's records cannot be read")
		}
		report(progress, path)
	}
}

// report calls progress with the size of a file.
func report(progress integrity.Progress, path string) {
	if info, err := os.Stat(path); err == nil && progress != nil {
		progress(info.Size())
	}
}

// tableBytes returns the total size of Pebble's tables.
func tableBytes(dir string) (total int64, err error) {
	paths, err := pebblefile.Tables(dir)
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil {
			total += info.Size()
		}
	}
	return total, err
}

// isSystemError reports whether an error is neither damage nor about the contents of files.
func isSystemError(err error) bool {
	return errors.Is(err, fs.ErrPermission) || strings.Contains(err.Error(), "lock held by current process") ||
		strings.Contains(err.Error(), "another process is using")
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// guardPanic calls f and turns a panic into an error: Pebble panics on some malformed records.
func guardPanic(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("cannot be read: %v", r)
		}
	}()
	return f()
}
