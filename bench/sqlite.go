package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"

	_ "github.com/mattn/go-sqlite3" // the driver "sqlite3"

	"earshot"
	"earshot/internal/bench"
)

// sqliteEngine is SQLite with FTS5. Posts are split into several tables, so that queries read only
// what they need:
//
//	text    the words, in a contentless FTS5 index without column sizes
//	post    a number for each dimension, the author and the followers; the names of
//	        the numbers are in memory
//	hashtag the hashtags of posts
//	doc     the post itself
//
// A second file has the table packed, in which a post is a single value; see sqlite_query.go. Its
// size and the time to write it do not count.
type sqliteEngine struct {
	db      *sql.DB
	conn    *sql.Conn // used for all statements, so that prepared ones remain valid
	names   [dimCount]names
	authors names
	packed  [][]byte // rows for the table packed
}

// names assigns numbers to strings. 0 means none.
type names struct {
	list   []string
	number map[string]int64
}

func (n *names) of(s string) int64 {
	if s == "" {
		return 0
	}
	if i, known := n.number[s]; known {
		return i
	}
	if n.number == nil {
		n.number, n.list = map[string]int64{}, []string{""}
	}
	i := int64(len(n.list))
	n.list = append(n.list, strings.Clone(s))
	n.number[n.list[i]] = i
	return i
}

const sqliteSetup = `
PRAGMA page_size = 8192;
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
PRAGMA cache_size = -1000000;
PRAGMA mmap_size = 2000000000;
PRAGMA temp_store = MEMORY;
CREATE VIRTUAL TABLE text USING fts5(words, content='', columnsize=0, detail=full, tokenize="unicode61 remove_diacritics 2 tokenchars '_'");
CREATE TABLE post (id INTEGER PRIMARY KEY, %s, author INTEGER, followers INTEGER);
CREATE TABLE hashtag (post INTEGER, tag INTEGER, PRIMARY KEY (post, tag)) WITHOUT ROWID;
CREATE TABLE doc (id INTEGER PRIMARY KEY, guid TEXT, url TEXT, time INTEGER, contents TEXT);
CREATE TEMP TABLE hit (id INTEGER PRIMARY KEY, %s, author INTEGER, followers INTEGER);
ATTACH DATABASE '%s' AS extra;
PRAGMA extra.journal_mode = OFF;
CREATE TABLE extra.packed (id INTEGER PRIMARY KEY, codes BLOB);
`

// columns lists the dimensions that are columns of post.
func columns() []string {
	var list []string
	for i, d := range dims {
		if i != hashtagDim {
			list = append(list, "by_"+d.name)
		}
	}
	return list
}

func openSQLite(ctx context.Context, dir string, _ *bench.Generator) (_ engine, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(dir, "posts.db"))
	if err != nil {
		return nil, err
	}
	e := &sqliteEngine{db: db}
	if e.conn, err = db.Conn(ctx); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	table := strings.Join(columns(), " INTEGER, ") + " INTEGER"
	if _, err := e.conn.ExecContext(ctx, fmt.Sprintf(sqliteSetup, table, table, filepath.Join(extraDir(dir), "packed.db"))); err != nil {
		return nil, errors.Join(err, e.close())
	}
	return e, nil
}

// checkFTS5 returns an error that explains what to do if the driver was built without FTS5 or
// without cgo.
func checkFTS5(ctx context.Context) error {
	db, err := sql.Open("sqlite3", ":memory:")
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err := db.ExecContext(ctx, "CREATE VIRTUAL TABLE t USING fts5(x)"); err != nil {
		return fmt.Errorf("SQLite has no FTS5; run with CGO_ENABLED=1 and -tags fts5: %w", err)
	}
	return nil
}

func (e *sqliteEngine) name() string { return "SQLite FTS5" }
func (e *sqliteEngine) close() error { return errors.Join(e.conn.Close(), e.db.Close()) }

// batchesPerTransaction results in transactions of 10,000 posts, whereas Earshot appends 1,000 at
// once.
const batchesPerTransaction = 10

func (e *sqliteEngine) index(ctx context.Context, posts iter.Seq[[]earshot.Post]) error {
	w := &sqliteWriter{engine: e}
	n := 0
	for batch := range posts {
		if n%batchesPerTransaction == 0 {
			if err := w.next(ctx); err != nil {
				return err
			}
		}
		n++
		for i := range batch {
			if err := w.add(ctx, &batch[i]); err != nil {
				return errors.Join(err, w.tx.Rollback())
			}
		}
	}
	return w.commit()
}

func (e *sqliteEngine) settle(ctx context.Context) error {
	for _, statement := range []string{
		"INSERT INTO text(text) VALUES ('optimize')",
		"ANALYZE",
		"PRAGMA wal_checkpoint(TRUNCATE)",
	} {
		if _, err := e.conn.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return e.pack(ctx)
}
