package local

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"earshot"
	"earshot/internal/operate/disk"
	"earshot/internal/operate/integrity"
	"earshot/internal/poststore/local/pebblefile"
)

// repairName is the directory in which a repair builds a database.
const repairName = ".repair"

// Plan returns the repairs that a stopped store needs, and changes nothing. A damaged database is
// built again from every readable record and from the segments; the damaged files are kept in the
// directory "damaged". Damaged segments are quarantined, and quarantined ones that turn out to be
// readable are used again. The journal has all entries after a position, which a database that is
// built again continues from if its own position is lost.
func Plan(ctx context.Context, dir string, journal earshot.Position) ([]integrity.Repair, error) {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) && journal == 0 {
		return nil, nil
	}
	c := &stateCheck{dir: dir}
	if err := c.run(); err != nil {
		return nil, err
	}
	if len(c.findings) == 0 {
		c.verifyTables(nil)
	}
	witnessPath := filepath.Join(dir, witnessName)
	switch {
	case len(c.findings) == 0:
		if c.state.Position < journal {
			break
		}
		repairs, err := planReadmission(ctx, dir)
		if err != nil {
			return nil, err
		}
		quarantine, err := planQuarantine(ctx, dir)
		return append(repairs, quarantine...), err
	case len(c.findings) == 1 && c.findings[0].File == witnessPath:
		if r, ok := planWitness(dir); ok {
			return []integrity.Repair{r}, nil
		}
	}
	r, err := planRebuild(ctx, dir, journal)
	if err != nil {
		return nil, err
	}
	return []integrity.Repair{r}, nil
}

// planWitness repairs a store of which only the witness is damaged. It returns false if the database
// needs to be built again.
func planWitness(dir string) (integrity.Repair, bool) {
	state, err := intactState(dir)
	if err != nil {
		return integrity.Repair{}, false
	}
	r := integrity.Repair{
		Part: integrity.Posts, Summary: fmt.Sprintf("write %s again from the intact database", witnessName),
		Apply: func(context.Context) error { return createWitness(dir, state.witness()) },
	}
	if clean, err := pebblefile.EndsCleanly(stateDir(dir)); err != nil || !clean {
		r.Lost = []string{fmt.Sprintf("whether changes after journal position %d were stored is unknown; the journal repeats them if it still has them", state.Position)}
	}
	return r, true
}

// intactState returns the state of a database without damage.
func intactState(dir string) (*stateRecord, error) {
	if err := pebblefile.CheckLogs(stateDir(dir)); err != nil {
		return nil, err
	}
	db, err := openReadOnly(stateDir(dir))
	if err != nil {
		return nil, err
	}
	defer db.Close()
	return readState(db)
}

// planRebuild plans to build the database again. It builds it once in memory, without the keys of
// posts, to find out what is lost.
func planRebuild(ctx context.Context, dir string, journal earshot.Position) (integrity.Repair, error) {
	source, err := sourceState(dir)
	if err != nil {
		return integrity.Repair{}, err
	}
	o := pebbleOptions(discardLog)
	o.FS = vfs.NewMem()
	db, err := openPebble("state", o)
	if err != nil {
		return integrity.Repair{}, err
	}
	defer db.Close()
	r := &rebuild{ctx: ctx, dir: dir, source: source, db: db, journal: journal}
	if err := r.run(); err != nil {
		return integrity.Repair{}, err
	}
	return integrity.Repair{
		Part:    integrity.Posts,
		Summary: fmt.Sprintf("build the post store's database again from %d readable records and %d segments", r.records, r.state.Segments),
		Lost:    r.lost(),
		Apply:   func(ctx context.Context) error { return applyRebuild(ctx, dir, source, journal) },
	}, nil
}

// sourceState returns the directory of the damaged database. If an interrupted repair has moved it
// away, it is in the quarantine directory.
func sourceState(dir string) (string, error) {
	if entries, err := os.ReadDir(stateDir(dir)); err == nil && len(entries) > 0 {
		return stateDir(dir), nil
	}
	if moved := movedStates(dir); len(moved) > 0 {
		return moved[len(moved)-1], nil
	}
	return stateDir(dir), os.MkdirAll(stateDir(dir), 0o700)
}

// movedStates returns the damaged databases in the quarantine directory, oldest first.
func movedStates(dir string) []string {
	paths, err := filepath.Glob(filepath.Join(quarantineDir(dir), "state-*"))
	if err != nil {
		return nil
	}
	return paths
}

// applyRebuild builds the database in a directory of its own, and then exchanges the directories.
func applyRebuild(ctx context.Context, dir, source string, journal earshot.Position) (err error) {
	temp := filepath.Join(dir, repairName)
	if err := os.RemoveAll(temp); err != nil {
		return err
	}
	if err := os.MkdirAll(quarantineDir(dir), 0o700); err != nil {
		return err
	}
	db, err := openPebble(temp, pebbleOptions(discardLog))
	if err != nil {
		return err
	}
	r := &rebuild{ctx: ctx, dir: dir, source: source, db: db, keys: true, journal: journal}
	if err := errors.Join(r.run(), r.flush(), db.Close()); err != nil {
		return errors.Join(err, os.RemoveAll(temp))
	}
	if source == stateDir(dir) {
		moved := filepath.Join(quarantineDir(dir), fmt.Sprintf("state-%04d", len(movedStates(dir))+1))
		if err := os.Rename(source, moved); err != nil {
			return err
		}
	} else if err := os.RemoveAll(stateDir(dir)); err != nil { // empty, see sourceState
		return err
	}
	if err := os.Rename(temp, stateDir(dir)); err != nil {
		return err
	}
	return errors.Join(createWitness(dir, r.state.witness()), disk.Sync(quarantineDir(dir)))
}

// flush makes everything durable.
func (r *rebuild) flush() error { return r.db.Flush() }

func deleteKind(db *pebble.DB, letter byte) error {
	from, to := recKind(letter)
	return db.DeleteRange(from, to, pebble.NoSync)
}

// eachStored calls visit with all records of a kind, unless there is no database.
func eachStored(dir string, letter byte, visit func(key, value []byte) error) error {
	db, err := openReadOnly(stateDir(dir))
	if errors.Is(err, pebble.ErrDBDoesNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer db.Close()
	return each(db, letter, visit)
}

// planQuarantine plans to quarantine listed segments that are damaged, so that their posts can be
// recovered.
func planQuarantine(ctx context.Context, dir string) ([]integrity.Repair, error) {
	var damaged []string
	err := eachStored(dir, recSegment, func(key, value []byte) error {
		var r segmentRecord
		if err := json.Unmarshal(value, &r); err != nil {
			return err
		}
		name := segmentName(readID(key, 0))
		q := quarantinedRecord{Segment: &r}
		if _, err := q.verify(filepath.Join(segmentDir(dir), name)); err != nil {
			damaged = append(damaged, name)
		}
		return ctx.Err()
	})
	if err != nil || len(damaged) == 0 {
		return nil, err
	}
	return []integrity.Repair{{
		Part: integrity.Posts,
		Summary: fmt.Sprintf("quarantine %d damaged segments, and recover their posts from the journal, the readable parts and a backup: %s",
			len(damaged), strings.Join(damaged, ", ")),
		Apply: func(ctx context.Context) error { return quarantineDamaged(ctx, dir) },
	}}, nil
}

func quarantineDamaged(ctx context.Context, dir string) error {
	s, err := Open(ctx, Options{Dir: dir})
	if err != nil {
		return err
	}
	_, err = s.Verify(ctx, nil)
	return errors.Join(err, s.Close())
}
