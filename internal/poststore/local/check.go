package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"earshot/internal/operate/integrity"
)

// CheckOptions configure [Check].
type CheckOptions struct {
	Dir      string
	Live     bool               // another process has the store open
	Progress integrity.Progress // nil: not reported
}

// liveAttempts is how often Check starts over if the files of a running store change while it
// copies them.
const liveAttempts = 10

// Check verifies a store completely: that the database has the last commit, every table, record and
// segment, and that segments and records agree. It changes nothing. A store that does not exist has
// no findings. The error reports that Check could not verify the store.
func Check(ctx context.Context, o CheckOptions) ([]integrity.Finding, error) {
	if _, err := os.Stat(o.Dir); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if !o.Live {
		c := &storeCheck{ctx: ctx, dir: o.Dir, progress: o.Progress, stateCheck: stateCheck{dir: o.Dir}}
		err := c.run()
		return c.findings, err
	}
	var before []integrity.Finding
	for attempt := 1; ; attempt++ {
		findings, err := checkLive(ctx, o)
		if !errors.Is(err, errVanished) {
			return findings, err
		}
		if attempt == liveAttempts {
			// Damage lasts, but a segment that was compacted in the meantime is missing only once.
			return slices.DeleteFunc(findings, func(f integrity.Finding) bool {
				return !slices.ContainsFunc(before, func(b integrity.Finding) bool { return b.String() == f.String() })
			}), nil
		}
		before = findings
	}
}

// errVanished means that a running store changed while it was checked.
var errVanished = errors.New("files changed during the check")

// checkLive checks a copy of the database of a running store, and the segments that the copy lists.
// If a finding may be due to a change in the meantime, it returns errVanished.
func checkLive(ctx context.Context, o CheckOptions) (findings []integrity.Finding, err error) {
	temp, err := os.MkdirTemp(o.Dir, checkPrefix)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temp)
	if err := copyState(o.Dir, temp); err != nil {
		return nil, err
	}
	c := &storeCheck{ctx: ctx, dir: o.Dir, progress: o.Progress, stateCheck: stateCheck{dir: temp}, live: true}
	err = c.run()
	for i := range c.findings {
		c.findings[i].File = strings.Replace(c.findings[i].File, temp, o.Dir, 1)
	}
	if err == nil && c.vanished {
		err = errVanished
	}
	return c.findings, err
}

// checkPrefix is how the names of temporary directories of Check start.
const checkPrefix = ".check-"

// removeScratch removes directories that an interrupted check or repair left behind.
func removeScratch(dir string) error {
	paths, err := filepath.Glob(filepath.Join(dir, checkPrefix+"*"))
	for _, path := range append(paths, filepath.Join(dir, repairName)) {
		err = errors.Join(err, os.RemoveAll(path))
	}
	return err
}

// copyState copies the database of a running store. It copies the MANIFEST before the files that
// the MANIFEST lists, and logs last, so that the logs contain everything since. The witness comes
// first, so the copy is at least as new.
func copyState(from, to string) error {
	if err := os.Mkdir(stateDir(to), 0o700); err != nil {
		return err
	}
	if err := copyFile(filepath.Join(from, witnessName), filepath.Join(to, witnessName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	steps := []struct {
		pattern string
		copy    func(from, to string) error
	}{{"marker.*", copyFile}, {"MANIFEST-*", copyFile}, {"OPTIONS-*", copyFile}, {"*.sst", linkOrCopy}, {"*.log", copyFile}}
	for _, step := range steps {
		paths, err := filepath.Glob(filepath.Join(stateDir(from), step.pattern))
		if err != nil {
			return err
		}
		for _, path := range paths {
			err := step.copy(path, filepath.Join(stateDir(to), filepath.Base(path)))
			if err != nil && !errors.Is(err, fs.ErrNotExist) { // whether the file is needed turns out later
				return err
			}
		}
	}
	return nil
}

func copyFile(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o600)
}

// Size returns the number of bytes that [Check] verifies.
func Size(dir string) (total int64, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || d.IsDir() {
			return err
		}
		if name := d.Name(); strings.HasSuffix(name, segmentSuffix) || strings.HasSuffix(name, ".sst") {
			info, err := d.Info()
			if err != nil {
				return nil
			}
			total += info.Size()
		}
		return nil
	})
	return total, err
}

// A storeCheck is a running Check.
type storeCheck struct {
	stateCheck
	ctx      context.Context
	dir      string // with the segments
	progress integrity.Progress
	live     bool
	vanished bool // a finding may be due to a change in the meantime
}

func (c *storeCheck) run() error {
	if err := c.stateCheck.run(); err != nil {
		return err
	}
	if len(c.findings) > 0 {
		c.vanished = c.live
		return c.verifySegmentFiles()
	}
	if w, err := readWitness(c.stateCheck.dir); err == nil && w.torn && w.Commit == c.state.Commit {
		c.findings = append(c.findings, integrity.Finding{
			Part: integrity.Posts, File: filepath.Join(c.stateCheck.dir, witnessName), Degraded: true,
			Problem: "one of its two copies of the last commit is unreadable", Effect: "nothing is lost; the next start writes it again",
		})
	}
	c.verifyTables(c.progress)
	if len(c.findings) > 0 && integrity.Stopping(c.findings) != nil {
		return c.verifySegmentFiles()
	}
	if _, err := os.Stat(stateDir(c.stateCheck.dir)); errors.Is(err, fs.ErrNotExist) {
		return nil // a new store
	}
	return c.agreement()
}

// verifySegmentFiles verifies the files of all segments, for a database that cannot tell which of
// them exist.
func (c *storeCheck) verifySegmentFiles() error {
	paths, err := filepath.Glob(filepath.Join(segmentDir(c.dir), "*"+segmentSuffix))
	if err != nil {
		return err
	}
	for _, path := range paths {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		if err := VerifyFile(path); err != nil {
			c.segment(path, err, 0)
		}
		report(c.progress, path)
	}
	return nil
}

// segment adds a finding for a damaged segment. The service can run without it.
func (c *storeCheck) segment(path string, problem error, posts int64) {
	f := integrity.Finding{Part: integrity.Posts, File: path, Problem: reason(problem, path), Degraded: true}
	if posts > 0 {
		f.Effect = fmt.Sprintf("%d posts", posts)
	}
	c.findings = append(c.findings, f)
}

// reason returns the message of an error without the path.
func reason(err error, path string) string {
	s := strings.TrimPrefix(err.Error(), "open segment: ")
	return firstLine(strings.NewReplacer("segment "+path+" ", "", "open "+path+": ", "").Replace(s))
}
