package local

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/cockroachdb/pebble/v2"

	"earshot/internal/operate/integrity"
	"earshot/internal/poststore"
	"earshot/internal/poststore/local/segment"
)

// agreement verifies that all records can be decoded, that every listed segment exists, is intact,
// and agrees with its records, and that the key of every post is recorded.
func (c *storeCheck) agreement() error {
	db, err := openReadOnly(stateDir(c.stateCheck.dir))
	if err != nil {
		return err
	}
	defer db.Close()
	if err := checkRecords(c.ctx, db); err != nil {
		if c.ctx.Err() != nil {
			return c.ctx.Err()
		}
		c.add(stateDir(c.dir), firstLine(err.Error()), "some of the store's records cannot be read")
		return nil
	}
	if err := c.quarantined(db); err != nil {
		return err
	}
	return each(db, recSegment, func(key, value []byte) error {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		var r segmentRecord
		if err := json.Unmarshal(value, &r); err != nil {
			return err
		}
		id := readID(key, 0)
		path := filepath.Join(segmentDir(c.dir), segmentName(id))
		if err := checkSegment(path, id, r, db); err != nil {
			c.vanished = c.vanished || c.live && errors.Is(err, fs.ErrNotExist)
			c.segment(path, err, int64(r.Rows))
		}
		report(c.progress, path)
		return nil
	})
}

// quarantined reports quarantined segments.
func (c *storeCheck) quarantined(db pebble.Reader) error {
	return each(db, recQuarantined, func(key, value []byte) error {
		var aside quarantinedRecord
		if err := json.Unmarshal(value, &aside); err != nil {
			return err
		}
		c.findings = append(c.findings, quarantineFinding(c.dir, aside.Quarantined))
		return nil
	})
}

func quarantineFinding(dir string, aside poststore.Quarantined) integrity.Finding {
	path := filepath.Join(quarantineDir(dir), aside.Name)
	f := integrity.Finding{
		Part: integrity.Posts, File: path, Degraded: true, Effect: fmt.Sprintf("results lack its %d posts", aside.Posts),
		Problem: "quarantined since " + aside.Since.UTC().Format(time.DateTime) + " UTC: " + firstLine(aside.Reason),
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		f.Problem += "; the file is missing"
	}
	return f
}

// checkSegment verifies a segment and its agreement with the records in db.
func checkSegment(path string, id uint64, r segmentRecord, db pebble.Reader) error {
	f, err := segment.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := r.matches(f); err != nil {
		return err
	}
	p := &segmentState{id: id, data: f, rows: r.Rows}
	return reading(p, func() error {
		if err := f.Verify(); err != nil {
			return err
		}
		first, last, err := f.TimeRange()
		if err != nil {
			return err
		}
		if first.Unix() < r.First || last.Unix() >= r.After {
			return fmt.Errorf("its posts from %s to %s are not within the recorded times", first.Format(time.DateTime), last.Format(time.DateTime))
		}
		deleted, err := checkRows(p, db)
		if err != nil {
			return err
		}
		return checkKeys(f, deleted, db)
	})
}

// checkRows verifies the deleted rows and overridden sets of a segment and returns the deleted rows.
func checkRows(p *segmentState, db pebble.Reader) (deleted *roaring.Bitmap, err error) {
	if deleted, err = getRows(db, recID(recDeleted, p.id)); err != nil {
		return nil, err
	}
	if !deleted.IsEmpty() && int64(deleted.Maximum()) >= int64(p.rows) {
		return nil, fmt.Errorf("row %d is recorded as deleted, but it has only %d posts", deleted.Maximum(), p.rows)
	}
	index, err := get(db, recID(recOverrideIndex, p.id))
	if err != nil {
		return nil, err
	}
	overrides, err := readIndex(index)
	if err != nil {
		return nil, err
	}
	for set, version := range overrides {
		data, err := get(db, recID(recOverride, p.id, uint64(set), version))
		if err != nil {
			return nil, err
		}
		if data == nil {
			return nil, fmt.Errorf("the rows of set %d are missing", set)
		}
		rows, err := readRows(data)
		if err != nil {
			return nil, err
		}
		if !rows.IsEmpty() && int64(rows.Maximum()) >= int64(p.rows) {
			return nil, fmt.Errorf("set %d contains row %d, but it has only %d posts", set, rows.Maximum(), p.rows)
		}
	}
	return deleted, nil
}

// checkKeys verifies that the key of every post that is not deleted is recorded.
func checkKeys(f *segment.Segment, deleted *roaring.Bitmap, db pebble.Reader) error {
	live := roaring.New()
	live.AddRange(0, uint64(f.Rows()))
	live.AndNot(deleted)
	keys, err := f.Keys(live)
	if err != nil {
		return err
	}
	missing := 0
	for key := range keys {
		_, known, err := storedTime(db, key)
		if err != nil {
			return err
		}
		if !known {
			missing++
		}
	}
	if missing > 0 {
		return fmt.Errorf("the keys of %d of its posts are not recorded, so newer versions would not replace them", missing)
	}
	return nil
}
