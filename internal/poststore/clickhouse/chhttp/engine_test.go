package chhttp_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"earshot/internal/poststore"
	"earshot/internal/poststore/clickhouse/chhttp"
	"earshot/internal/poststore/clickhouse/chtest"

	"github.com/ClickHouse/ch-go/proto"
)

// open returns a client of an empty database of the real engine.
func open(t testing.TB) *chhttp.Client {
	t.Helper()
	s := chtest.Open(t)
	c, err := chhttp.New(chhttp.Options{URL: s.URL, Database: s.Database})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func exec(t testing.TB, c *chhttp.Client, sql string) {
	t.Helper()
	if err := c.Exec(t.Context(), chhttp.Statement{SQL: sql}); err != nil {
		t.Fatal(err)
	}
}

// number returns the result of a statement with one number.
func number(t testing.TB, c *chhttp.Client, s chhttp.Statement) uint64 {
	t.Helper()
	var col proto.ColUInt64
	var got []uint64
	err := c.Query(t.Context(), s, proto.Results{{Data: &col}}, func(int) error {
		got = append(got, col...)
		return nil
	})
	if err != nil || len(got) != 1 {
		t.Fatalf("%s: %v, %v", s.SQL, got, err)
	}
	return got[0]
}

func TestInsertAndQuery(t *testing.T) {
	c := open(t)
	exec(t, c, `CREATE TABLE t (id UInt64, key UInt128, name LowCardinality(String), tags Array(LowCardinality(String)), body String)
		ENGINE = MergeTree ORDER BY id SETTINGS non_replicated_deduplication_window = 100`)
	var id proto.ColUInt64
	var key proto.ColUInt128
	name := new(proto.ColStr).LowCardinality()
	tags := new(proto.ColStr).LowCardinality().Array()
	var body proto.ColStr
	in := proto.Input{{Name: "id", Data: &id}, {Name: "key", Data: &key}, {Name: "name", Data: name}, {Name: "tags", Data: tags}, {Name: "body", Data: &body}}
	for i := range 100_000 {
		id.Append(uint64(i))
		key.Append(proto.UInt128{Low: uint64(i), High: 7})
		name.Append(fmt.Sprint("n", i%100))
		tags.Append([]string{"a", fmt.Sprint(i % 3)}[:i%3])
		body.Append(strings.Repeat("\x00\xff\n", i%4))
	}
	for range 2 { // the second has no effect
		if err := c.Insert(t.Context(), "t", "token-1", in); err != nil {
			t.Fatal(err)
		}
	}
	if got := number(t, c, chhttp.Statement{SQL: "SELECT count() FROM t"}); got != 100_000 {
		t.Errorf("%d rows, want 100000", got)
	}
	if err := c.Insert(t.Context(), "t", "token-2", in); err != nil {
		t.Fatal(err)
	}
	if got := number(t, c, chhttp.Statement{SQL: "SELECT count() FROM t"}); got != 200_000 {
		t.Errorf("%d rows with another token, want 200000", got)
	}
	wantTags := [][]string{{}, {"a"}, {"a", "2"}}
	next := 0
	var outID proto.ColUInt64
	var outKey proto.ColUInt128
	outName, outTags := new(proto.ColStr).LowCardinality(), new(proto.ColStr).LowCardinality().Array()
	var outBody proto.ColStr
	err := c.Query(t.Context(), chhttp.Statement{SQL: "SELECT DISTINCT id, key, name, tags, body FROM t ORDER BY id"},
		proto.Results{{Data: &outID}, {Data: &outKey}, {Data: outName}, {Data: outTags}, {Data: &outBody}},
		func(rows int) error {
			for i := range rows {
				if outID[i] != uint64(next) || outKey[i] != key[next] || outName.Row(i) != fmt.Sprint("n", next%100) ||
					!slices.Equal(outTags.Row(i), wantTags[next%3]) || outBody.Row(i) != body.Row(next) {
					t.Fatalf("row %d: %v %v %v %v %q", next, outID[i], outKey[i], outName.Row(i), outTags.Row(i), outBody.Row(i))
				}
				next++
			}
			return nil
		})
	if err != nil || next != 100_000 {
		t.Errorf("%d rows, %v", next, err)
	}
}

func TestErrors(t *testing.T) {
	c := open(t)
	var col proto.ColUInt64
	none := func(int) error { return nil }
	tests := []struct {
		name, sql string
		settings  map[string]string
		code      int
		codeName  string
		text      string
		status    int
	}{
		{"a table is missing", "SELECT a FROM missing", nil, 60, "UNKNOWN_TABLE", "missing", 500},
		{"a syntax error", "SELECT FROM WHERE", nil, 62, "SYNTAX_ERROR", "Syntax error", 500},
		{"a limit of a setting", "SELECT sum(cityHash64(number)) FROM numbers(100000000000)", map[string]string{"max_execution_time": "0.2"}, 159, "TIMEOUT_EXCEEDED", "", 500},
		{"an error after the first rows", "SELECT number + throwIf(number = 3000000, 'too far') AS n FROM numbers(10000000)", map[string]string{"max_threads": "1"}, 395, "FUNCTION_THROW_IF_VALUE_IS_NON_ZERO", "too far", 200},
		{"a long text", "SELECT throwIf(1, repeat('x', 50000))", nil, 395, "FUNCTION_THROW_IF_VALUE_IS_NON_ZERO", "xxx", 500},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := c.Query(t.Context(), chhttp.Statement{SQL: test.sql, Settings: test.settings}, proto.Results{{Data: &col}}, none)
			e, ok := errors.AsType[*chhttp.Error](err)
			if !ok || e.Code != test.code || e.Name != test.codeName || !strings.Contains(e.Message, test.text) || len(e.Message) > 2100 || e.Status != test.status {
				t.Errorf("got %#v", err)
			}
		})
	}
}

func TestLargeResult(t *testing.T) {
	c := open(t)
	var col proto.ColStr
	var size int
	err := c.Query(t.Context(), chhttp.Statement{SQL: "SELECT repeat(char(number % 256), 10000) FROM numbers(10000)"}, proto.Results{{Data: &col}}, func(rows int) error {
		for i := range rows {
			size += len(col.Row(i))
		}
		return nil
	})
	if err != nil || size != 100_000_000 {
		t.Errorf("%d bytes, %v", size, err)
	}
}

func TestQueryEnds(t *testing.T) {
	c := open(t)
	var col proto.ColUInt64
	sql := chhttp.Statement{SQL: "SELECT number FROM system.numbers"}
	stop := errors.New("stop")
	if err := c.Query(t.Context(), sql, proto.Results{{Data: &col}}, func(int) error { return stop }); err != stop {
		t.Errorf("got %v, want the error of the callback", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	err := c.Query(ctx, sql, proto.Results{{Data: &col}}, func(int) error { cancel(); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

func TestConcurrentQueries(t *testing.T) {
	c := open(t)
	results := make(chan uint64)
	for i := range 8 {
		go func() {
			var col proto.ColUInt64
			var sum uint64
			err := c.Query(t.Context(), chhttp.Statement{SQL: fmt.Sprintf("SELECT sum(number) + %d AS n FROM numbers(1000000)", i)}, proto.Results{{Name: "n", Data: &col}}, func(int) error {
				sum = col[0] - uint64(i)
				return nil
			})
			if err != nil {
				t.Error(err)
			}
			results <- sum
		}()
	}
	for range 8 {
		if got := <-results; got != 499999500000 {
			t.Errorf("got %d, want 499999500000", got)
		}
	}
}

// Values that do not fit into a field of a form are sent as several.
func TestLongValues(t *testing.T) {
	c := open(t)
	long := strings.Repeat("a\n\\'\x00", 60_000)
	var keys []poststore.KeySum
	var ints []int64
	var uints []uint64
	for i := range 30_000 {
		keys = append(keys, poststore.KeySum{0: byte(i >> 8), 1: byte(i), 11: byte(i)})
		ints = append(ints, -int64(i)<<40)
		uints = append(uints, ^uint64(i))
	}
	for _, n := range []int{0, 1, 30_000} {
		var a chhttp.Args
		sql := "SELECT toUInt64(length(" + a.String(long[:min(len(long), n*10)]) + ")), " +
			"uniqExact(bitShiftLeft(toUInt128(number), 80) + number % 256) FILTER (WHERE bitShiftLeft(toUInt128(number), 80) + number % 256 IN " + a.Keys(slices.Values(keys[:n])) + "), " +
			"countIf(-toInt64(number * 1099511627776) IN " + a.Ints(ints[:n]) + "), countIf(bitNot(number) IN " + a.Uints(uints[:n]) + "), " +
			"countIf(toString(number) IN " + a.Strings(strings.Fields(fmt.Sprint(uints[:n]))) + "), " +
			"toUInt64(length(" + a.Strings([]string{"a", long, "b"}) + ")), toUInt64(length(" + a.Strings([]string{"a", long, "b"}) + "[2])) FROM numbers(40000)"
		cols := make([]proto.ColUInt64, 7)
		var results proto.Results
		for i := range cols {
			results = append(results, proto.ResultColumn{Data: &cols[i]})
		}
		var got []uint64
		err := c.Query(t.Context(), chhttp.Statement{SQL: sql, Args: &a}, results, func(int) error {
			for _, col := range cols {
				got = append(got, col[0])
			}
			return nil
		})
		want := []uint64{uint64(min(len(long), n*10)), uint64(n), uint64(n), uint64(n), 0, 3, uint64(len(long))}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%d values: got %d, %v; want %d", n, got, err, want)
		}
	}
}

func TestSettings(t *testing.T) {
	s := chtest.Open(t)
	c, err := chhttp.New(chhttp.Options{URL: s.URL, Database: s.Database, Timeout: time.Minute, Settings: map[string]string{"max_threads": "1", "max_block_size": "1000"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{
		"CREATE TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a SETTINGS index_granularity = 256",
		"INSERT INTO t SELECT number FROM numbers(10)",
		"ALTER TABLE t DELETE WHERE a = 1",
		"DELETE FROM t WHERE a = 2",
		"OPTIMIZE TABLE t FINAL",
		"TRUNCATE TABLE t",
		"SYSTEM FLUSH LOGS",
		"DROP TABLE t SYNC",
	} {
		if err := c.Exec(t.Context(), chhttp.Statement{SQL: sql, Settings: map[string]string{"mutations_sync": "2"}}); err != nil {
			t.Errorf("%s: %v", sql, err)
		}
	}
	f := func(name, value string, want uint64) {
		t.Helper()
		st := chhttp.Statement{SQL: "SELECT toUInt64(getSetting('" + name + "'))"}
		if value != "" {
			st.Settings = map[string]string{name: value}
		}
		if got := number(t, c, st); got != want {
			t.Errorf("%s = %d, want %d", name, got, want)
		}
	}
	f("max_threads", "", 1)
	f("max_threads", "2", 2)
	f("max_execution_time", "", 60)
	f("max_execution_time", "5", 5)
	if err := c.Exec(t.Context(), chhttp.Statement{SQL: "SELECT 1", Settings: map[string]string{"a = 1; DROP": "1"}}); err == nil {
		t.Error("a setting with an invalid name is accepted")
	}
}

func FuzzArgs(f *testing.F) {
	c := open(f)
	f.Add("", "a", "b")
	f.Add("\\", "\\'", "\b\f\v\a\x1b")
	f.Add("\xed\xa0\x80\xc0\xaf", "]", "','")
	f.Add("NULL", "null", "\u2028é日本")
	f.Add("it's \\ a\ttab\n\r\x00\xff`{p1:String}", "\\N", "'")
	f.Fuzz(func(t *testing.T, s, x, y string) {
		var a chhttp.Args
		var one proto.ColStr
		many := new(proto.ColStr).Array()
		list := []string{x, y, x + y}
		sql := chhttp.Statement{SQL: "SELECT " + a.String(s) + ", " + a.Strings(list), Args: &a}
		err := c.Query(t.Context(), sql, proto.Results{{Data: &one}, {Data: many}}, func(int) error {
			if got := one.Row(0); got != s {
				t.Errorf("got %q, want %q", got, s)
			}
			if got := many.Row(0); !slices.Equal(got, list) {
				t.Errorf("got %q, want %q", got, list)
			}
			return nil
		})
		if err != nil {
			t.Errorf("%q %q: %v", s, list, err)
		}
	})
}

// TestLongLists checks that lists of more than 1 MiB become sets of the server. Otherwise each
// statement would make a hundred billion comparisons and exceed its time.
func TestLongLists(t *testing.T) {
	c := open(t)
	const n = 100_000
	names, keys := make([]string, n), make([]poststore.KeySum, n)
	for i := range n {
		names[i] = fmt.Sprintf("a rather long name %d", i)
		keys[i][11], keys[i][10], keys[i][9] = byte(i), byte(i>>8), byte(i>>16)
	}
	for cond, in := range map[string]func(a *chhttp.Args) string{
		"strings": func(a *chhttp.Args) string {
			return a.InStrings("concat('a rather long name ', toString(number))", names)
		},
		"keys": func(a *chhttp.Args) string { return a.InKeys("toUInt128(number)", slices.Values(keys)) },
	} {
		a := new(chhttp.Args)
		s := chhttp.Statement{SQL: "SELECT count() FROM numbers(1000000) WHERE NOT " + in(a), Args: a, Settings: map[string]string{"max_execution_time": "120"}}
		if got := number(t, c, s); got != 1_000_000-n {
			t.Errorf("%s: got %d numbers, want %d", cond, got, 1_000_000-n)
		}
	}
	a := new(chhttp.Args)
	if got, want := a.InStrings("x", []string{"a", "b"}), "x IN {p1:Array(String)}"; got != want {
		t.Errorf("a short list: got %s, want %s", got, want)
	}
}
