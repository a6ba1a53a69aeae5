package clickhouse

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/ClickHouse/ch-go/proto"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/clickhouse/chhttp"
)

// An Import fills an empty database. It implements [poststore.Importer].
//
// Nothing is visible before Finish, which inserts the first commits. The number of a row begins with
// the day on which the post was stored, as if there had been commits on each day, and ends with the
// number of the post in the copy. A part that is imported again therefore has the same rows, and its
// inserts have the same tokens.
//
//	row     day << 36 | number of the post
//	commit  day << 12 | 4095: commits before the copy, so that posts expire when they should
//	        (day of the copy + 1) << 12: the last commit of the copy, with everything but posts
type Import struct {
	db     *Database
	store  *Store // for inserting
	last   poststore.Checkpoint
	export *Export // after Finish
}

var _ poststore.Importer = (*Import)(nil)

const (
	postBits = 36 // of a row that count the posts of a copy
	dayBits  = postBits - rowBits
)

// OpenImport prepares the database for copying posts to it. It must be empty, or have an unfinished copy
// of the same installation.
func (d *Database) OpenImport(ctx context.Context, installation string) (*Import, error) {
	if err := CheckServer(ctx, d.client, d.o.Topology); err != nil {
		return nil, err
	}
	if err := d.create(ctx); err != nil {
		return nil, err
	}
	last, copying, err := readCheckpoint(ctx, d.client)
	if err != nil {
		return nil, err
	}
	o := d.options(nil)
	o.copying = true
	store, err := Open(ctx, o)
	if err != nil {
		return nil, err
	}
	if !copying && store.state.commit > 0 {
		return nil, errors.Join(fmt.Errorf("the ClickHouse database %s has posts already. If they are a copy that has just finished, start the service; otherwise copy to an empty database", d.o.Name), store.Close())
	}
	i := &Import{db: d, store: store, last: last}
	if err = Claim(ctx, d.client, installation, time.Now()); err == nil && last.Stage == poststore.CopyVerify {
		i.export, err = NewExport(ctx, store)
	}
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return i, nil
}

// OpenExport opens the database for copying its posts. It changes nothing.
func (d *Database) OpenExport(ctx context.Context) (*Export, error) {
	info, err := d.Inspect(ctx)
	switch {
	case err != nil:
		return nil, err
	case info.Installation == "":
		return nil, fmt.Errorf("the ClickHouse database %s has no posts", d.o.Name)
	}
	store, err := d.Open(ctx, nil)
	if err != nil {
		return nil, err
	}
	x, err := NewExport(ctx, store)
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return x, nil
}

// readCheckpoint returns the last checkpoint of a copy, and whether there is an unfinished copy.
func readCheckpoint(ctx context.Context, db *chhttp.Client) (last poststore.Checkpoint, copying bool, err error) {
	found, err := texts(ctx, db, "SELECT checkpoint AS text FROM copies ORDER BY part DESC LIMIT 1", nil)
	if err != nil {
		return last, false, fmt.Errorf("read whether posts are being copied to the ClickHouse database: %w", err)
	}
	if len(found) == 0 || found[0] == "" {
		return last, false, nil
	}
	if err := json.Unmarshal([]byte(found[0]), &last); err != nil {
		return last, false, fmt.Errorf("read how far the copy to the ClickHouse database is: %w", err)
	}
	return last, true, nil
}

// checkCopied returns an error if a copy to the database is not finished.
func checkCopied(ctx context.Context, db *chhttp.Client) error {
	_, copying, err := readCheckpoint(ctx, db)
	if err == nil && copying {
		err = fmt.Errorf("the posts in the ClickHouse database %s are incomplete: %w", db.Database(), poststore.ErrUnfinishedCopy)
	}
	return err
}

// Close ends the import. It can be continued.
func (i *Import) Close() error { return i.store.Close() }

// Checkpoint implements [poststore.Importer].
func (i *Import) Checkpoint() poststore.Checkpoint { return i.last }

// Imported implements [poststore.Importer].
func (i *Import) Imported() poststore.Exporter { return i.export }

// Import implements [poststore.Importer].
func (i *Import) Import(ctx context.Context, p poststore.CopyPart) error {
	if i.last.Source != "" && p.Next.Parts <= i.last.Parts {
		return nil
	}
	c := &change{
		view: new(view), number: commitOf(&p.Next), copied: strconv.FormatInt(p.Next.Parts, 10),
		keys: newKeyBlock(), touched: touchedHours{}, sets: map[poststore.SetID]setState{},
	}
	number := p.Next.Posts - int64(len(p.Posts))
	for k := range p.Posts {
		if number >= 1<<postBits {
			return fmt.Errorf("there are more than %d posts", number)
		}
		c.putCopied(&p.Posts[k], uint64(dayStored(&p.Posts[k], &p.Next))<<postBits|uint64(number))
		number++
	}
	for k := range p.Sets {
		c.putSet(&p.Sets[k])
	}
	for m, snapshots := range p.Snapshots {
		for _, one := range snapshots {
			if err := c.snapshots.add(m, one, c.number); err != nil {
				return err
			}
		}
	}
	if err := i.store.insertAll(ctx, c); err != nil {
		return err
	}
	return i.record(ctx, p.Next)
}

func (i *Import) record(ctx context.Context, next poststore.Checkpoint) error {
	text, err := json.Marshal(next)
	if err != nil {
		return err
	}
	if err := i.insertCheckpoint(ctx, uint64(next.Parts), string(text)); err != nil {
		return err
	}
	i.last = next
	return nil
}

func (i *Import) insertCheckpoint(ctx context.Context, number uint64, text string) error {
	var checkpoint proto.ColStr
	checkpoint.Append(text)
	part, at := proto.ColUInt64{number}, proto.ColInt64{time.Now().UnixNano()}
	err := i.db.client.Insert(ctx, "copies", token("copies", number, 0), proto.Input{
		{Name: "part", Data: &part}, {Name: "checkpoint", Data: &checkpoint}, {Name: "at", Data: &at},
	})
	if err != nil {
		return fmt.Errorf("record how far the copy is: %w", err)
	}
	return nil
}

// commitOf returns the number of the last commit of a copy.
func commitOf(c *poststore.Checkpoint) uint64 {
	return uint64(c.Began.Unix()/secondsPerDay+1) << dayBits
}

// dayStored returns the day on which a post was stored, in days since 1970.
func dayStored(p *poststore.StoredPost, c *poststore.Checkpoint) int64 {
	began := c.Began.Unix() / secondsPerDay
	if p.Stored.IsZero() {
		return began
	}
	return min(max(p.Stored.Unix(), 0)/secondsPerDay, began)
}

// putCopied adds the rows of a post. Those of sets have generation 0.
func (c *change) putCopied(p *poststore.StoredPost, row uint64) {
	v := newVersion(&p.Post, poststore.SumOf(p.Post.Key()), p.Sets, row, row, p.Arrived)
	c.posts = append(c.posts, v)
	sec, commit := p.Post.Time.Unix(), row>>rowBits
	c.touched.add(v.Sets, sec)
	for _, set := range v.Labels {
		c.labels.add(set, 0, sec, v.ID, commit, v.Shard)
	}
	c.keys.add(v.Sum, commit, &stored{row: row, post: row, sec: sec, shard: v.Shard, sets: v.Sets})
	if p.Matched && len(v.Sets) == 0 { // it does not expire
		c.changed.addKey(v.Sum, sec, commit)
	}
}

// putSet adds what is known about a set. All changes before those of the set are forgotten, so the times
// of the copied posts do not count.
func (c *change) putSet(set *poststore.StoredSet) {
	if set.Generation != 0 || !set.ID.IsCategory() {
		c.sets[set.ID] = setState{generation: set.Generation, cleared: c.number - 1}
	}
	for _, one := range set.Changes {
		c.changed.addTime(set.ID, one.Posted.Unix(), c.number, one.Changed.UnixNano())
	}
	for k := range set.Counters {
		c.counters.add(set.ID, &set.Counters[k], c.number)
	}
}

// Finish implements [poststore.Importer]. It inserts all commits at once.
func (i *Import) Finish(ctx context.Context, position earshot.Position, next poststore.Checkpoint) error {
	last, now := commitOf(&next), time.Now().UnixNano()
	var commit, positions proto.ColUInt64
	var at proto.ColInt64
	add := func(number uint64, position earshot.Position, time int64) {
		commit.Append(number)
		positions.Append(uint64(position))
		at.Append(time)
	}
	var day proto.ColUInt64
	err := i.db.client.Query(ctx, chhttp.Statement{SQL: "SELECT DISTINCT bitShiftRight(post, " + strconv.Itoa(postBits) + ") AS day FROM posts WHERE set = 0 ORDER BY day"},
		proto.Results{{Name: "day", Data: &day}}, func(int) error {
			for _, d := range day {
				end := int64(d+1)*secondsPerDay*int64(time.Second) - 1
				add((d+1)<<dayBits-1, 0, min(end, now-1)) // posts of a day expire together
			}
			return nil
		})
	if err != nil {
		return fmt.Errorf("list the days on which posts were stored: %w", err)
	}
	add(last, position, now)
	if err := i.db.client.Insert(ctx, "commits", "copy-commits", proto.Input{{Name: "commit", Data: &commit}, {Name: "position", Data: &positions}, {Name: "at", Data: &at}}); err != nil {
		return fmt.Errorf("commit the copy: %w", err)
	}
	if i.export, err = NewExport(ctx, i.store); err != nil {
		return err
	}
	return i.record(ctx, next)
}

// Accept implements [poststore.Importer].
func (i *Import) Accept(ctx context.Context) error {
	return i.insertCheckpoint(ctx, math.MaxUint64, "")
}
