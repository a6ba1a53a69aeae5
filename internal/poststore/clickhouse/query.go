package clickhouse

import (
	"context"
	"strconv"

	"github.com/ClickHouse/ch-go/proto"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/clickhouse/chhttp"
)

// maxStatements is how many statements of a call run at once. Each of them uses several cores.
const maxStatements = 2

// query runs a statement of a query within the limits of the store.
func (s *Store) query(ctx context.Context, sql string, a *chhttp.Args, out proto.Results, each func(rows int) error) error {
	err := s.db.Query(ctx, chhttp.Statement{SQL: sql, Args: a, Settings: s.querySettings()}, out, each)
	if ctx.Err() != nil && err != nil {
		return ctx.Err()
	}
	return limitError(err)
}

// querySettings returns the settings of queries. Settings that results depend on are explicit,
// because a server may have other defaults.
func (s *Store) querySettings() map[string]string {
	settings := map[string]string{
		"join_use_nulls":                        "0",
		"transform_null_in":                     "0",
		"max_result_rows":                       "0",
		"group_by_overflow_mode":                "throw",
		"group_by_use_nulls":                    "0",
		"force_grouping_standard_compatibility": "1",
		"enable_analyzer":                       "1",
		"compile_expressions":                   "0", // compiling a condition takes longer than it saves
	}
	if n := s.limits.Memory; n > 0 {
		settings["max_memory_usage"] = strconv.FormatInt(n, 10)
		settings["max_bytes_before_external_group_by"] = strconv.FormatInt(n/2, 10)
		settings["max_bytes_before_external_sort"] = strconv.FormatInt(n/2, 10)
	}
	if d := s.limits.Time; d > 0 {
		settings["max_execution_time"] = strconv.FormatFloat(d.Seconds(), 'f', 3, 64)
	}
	return settings
}

// limitError explains errors that mean that a query is too large.
func limitError(err error) error {
	switch {
	case err == nil:
		return nil
	case chhttp.IsCode(err, chhttp.CodeTimeout):
		return &earshot.Error{Kind: earshot.Unavailable, Message: "The query takes too long; choose fewer days or add a filter", Err: err}
	case chhttp.IsCode(err, chhttp.CodeMemoryLimit, chhttp.CodeTooManyBytes, chhttp.CodeTooManyRows):
		return &earshot.Error{Kind: earshot.Unavailable, Message: "The query needs too much memory; choose fewer days or add a filter", Err: err}
	}
	return err
}

// count returns the number of rows that satisfy a condition.
func (s *Store) count(ctx context.Context, cond string, a *chhttp.Args) (n int64, err error) {
	var count proto.ColUInt64
	err = s.query(ctx, "SELECT count() AS n FROM posts WHERE "+cond, a, proto.Results{{Name: "n", Data: &count}}, func(rows int) error {
		n = int64(count.Row(rows - 1))
		return nil
	})
	return n, err
}

// longRange is the length of a time range from which on it is worth asking for that of the posts.
const longRange = 20 * 365 * daySeconds

// seconds returns the first and last second that selected posts may have.
func (s *Store) seconds(ctx context.Context, v *view, of *poststore.Selection) (first, last int64, err error) {
	if !of.From.IsZero() && !of.To.IsZero() && of.To.Unix()-of.From.Unix() < longRange {
		return of.From.Unix(), of.To.Unix(), nil
	}
	args := new(chhttp.Args)
	sel := newSelector(v, of, copiesOf(of), prepared{}, args)
	cond := all(append([]string{v.copies(sel.set, args)}, sel.within(of)...))
	var from, to proto.ColInt64
	err = s.query(ctx, "SELECT min(sec) AS a, max(sec) AS b FROM posts WHERE "+cond, args, proto.Results{{Name: "a", Data: &from}, {Name: "b", Data: &to}}, func(rows int) error {
		first, last = from.Row(rows-1), to.Row(rows-1)
		return nil
	})
	return first, last, err
}
