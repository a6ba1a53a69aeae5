package main

import (
	"context"
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/mattn/go-sqlite3"

	"earshot/internal/bench"
)

// strategies returns the two fastest strategies. Two others are slower on all queries: GROUP BY
// over the join with the index for each dimension, without the temporary table, and reading the
// columns of post to count in Go.
func (e *sqliteEngine) strategies() []strategy {
	return []strategy{
		{name: "GROUP BY", run: e.queryGroups},
		{name: "counted in Go", run: e.queryPacked},
	}
}

// matchText returns a query in the syntax of FTS5.
func matchText(q bench.Query) string {
	quote := func(words string) string { return `"` + words + `"` }
	var parts, any []string
	if q.Phrase != "" {
		parts = append(parts, quote(q.Phrase))
	}
	for _, word := range q.All {
		parts = append(parts, quote(word))
	}
	for _, word := range q.Any {
		any = append(any, quote(word))
	}
	if len(any) > 0 {
		parts = append(parts, "("+strings.Join(any, " OR ")+")")
	}
	if q.Prefix != "" {
		parts = append(parts, quote(q.Prefix)+"*")
	}
	text := "(" + strings.Join(parts, " AND ") + ")"
	for _, word := range q.None {
		text += " NOT " + quote(word)
	}
	return text
}

// A condition requires a dimension to have a value, by its number.
type condition struct {
	dim  int
	code int64
}

func (e *sqliteEngine) conditions(q bench.Query) []condition {
	var list []condition
	for _, c := range []struct {
		dim  int
		name string
	}{{languageDim, q.Language}, {countryDim, q.Country}, {genderDim, string(q.Gender)}} {
		if c.name != "" {
			list = append(list, condition{c.dim, e.names[c.dim].of(c.name)})
		}
	}
	return list
}

// groups are the rows of the GROUP BY statements, one list per dimension.
type groups struct {
	engine             *sqliteEngine
	posts, impressions int64
	by                 [dimCount][][2]int64 // pairs of number and posts
}

// queryGroups writes the matching rows into a temporary table and counts them by each dimension.
func (e *sqliteEngine) queryGroups(ctx context.Context, q bench.Query) (rawResult, error) {
	if _, err := e.conn.ExecContext(ctx, "DELETE FROM hit"); err != nil {
		return nil, err
	}
	args := []any{matchText(q)}
	where := ""
	for _, c := range e.conditions(q) {
		where += " AND by_" + dims[c.dim].name + " = ?"
		args = append(args, c.code)
	}
	if _, err := e.conn.ExecContext(ctx, "INSERT INTO hit SELECT post.* FROM text CROSS JOIN post ON post.id = text.rowid WHERE text MATCH ?"+where, args...); err != nil {
		return nil, err
	}
	g := &groups{engine: e}
	row := e.conn.QueryRowContext(ctx, "SELECT count(*), coalesce(sum(followers), 0) FROM hit")
	if err := row.Scan(&g.posts, &g.impressions); err != nil {
		return nil, err
	}
	for i, d := range dims {
		statement := fmt.Sprintf("SELECT by_%[1]s, count(*) FROM hit WHERE by_%[1]s <> 0 GROUP BY by_%[1]s", d.name)
		if i == hashtagDim {
			statement = "SELECT tag, count(*) FROM hit CROSS JOIN hashtag ON hashtag.post = hit.id GROUP BY tag"
		}
		if err := e.group(ctx, statement, &g.by[i]); err != nil {
			return nil, err
		}
	}
	return g, nil
}

func (e *sqliteEngine) group(ctx context.Context, statement string, into *[][2]int64) error {
	rows, err := e.conn.QueryContext(ctx, statement)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var row [2]int64
		if err := rows.Scan(&row[0], &row[1]); err != nil {
			return err
		}
		*into = append(*into, row)
	}
	return rows.Err()
}

func (g *groups) counts() counts {
	a := counts{posts: g.posts, impressions: g.impressions}
	for i, rows := range g.by {
		a.by[i] = map[string]int64{}
		for _, row := range rows {
			a.by[i][g.engine.names[i].list[row[0]]] = row[1]
		}
	}
	return a
}

// packedCounts counts rows of the table packed.
type packedCounts struct {
	engine             *sqliteEngine
	posts, impressions int64
	by                 [dimCount][]int64
}

// queryPacked reads one value per matching post and counts in Go.
func (e *sqliteEngine) queryPacked(_ context.Context, q bench.Query) (rawResult, error) {
	c := &packedCounts{engine: e}
	for i := range c.by {
		c.by[i] = make([]int64, max(len(e.names[i].list), 1))
	}
	conditions := e.conditions(q)
	const statement = "SELECT codes FROM text CROSS JOIN extra.packed ON packed.id = text.rowid WHERE text MATCH ?"
	err := e.conn.Raw(func(conn any) error { // database/sql would double the time
		return eachValue(conn.(*sqlite3.SQLiteConn), statement, matchText(q), func(codes []byte) { c.count(codes, conditions) })
	})
	return c, err
}

// eachValue calls do with the first column of each row.
func eachValue(conn *sqlite3.SQLiteConn, statement, argument string, do func([]byte)) (err error) {
	prepared, err := conn.Prepare(statement)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, prepared.Close()) }()
	rows, err := prepared.(*sqlite3.SQLiteStmt).Query([]driver.Value{argument})
	if err != nil {
		return err
	}
	defer rows.Close()
	row := make([]driver.Value, 1)
	for {
		switch err := rows.Next(row); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		do(row[0].([]byte))
	}
}

// count adds a post. codes has the dimensions except hashtags, the author, the followers, and then
// the hashtags.
func (c *packedCounts) count(codes []byte, conditions []condition) {
	at := func(i int) uint32 { return binary.LittleEndian.Uint32(codes[4*i:]) }
	for _, is := range conditions {
		if int64(at(column(is.dim))) != is.code {
			return
		}
	}
	c.posts++
	for i := range dims {
		if i != hashtagDim {
			c.by[i][at(column(i))]++
		}
	}
	c.impressions += int64(at(dimCount))
	for i := dimCount + 1; i < len(codes)/4; i++ {
		c.by[hashtagDim][at(i)]++
	}
}

// column returns the index of a dimension in codes. Hashtags have none.
func column(dim int) int {
	if dim > hashtagDim {
		return dim - 1
	}
	return dim
}

func (c *packedCounts) counts() counts {
	a := counts{posts: c.posts, impressions: c.impressions}
	for i, counts := range c.by {
		a.by[i] = map[string]int64{}
		for number, n := range counts {
			if number > 0 && n > 0 {
				a.by[i][c.engine.names[i].list[number]] = n
			}
		}
	}
	return a
}
