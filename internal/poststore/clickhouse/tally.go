package clickhouse

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ClickHouse/ch-go/proto"

	"earshot/internal/parallel"
	"earshot/internal/poststore"
	"earshot/internal/poststore/clickhouse/chhttp"
)

// tallyIntervals counts selected posts: result[i][d] has the rows of tally i in interval d, and From and
// To of the selection are ignored. If days is nil, there is one interval, with all selected posts.
func (s *Store) tallyIntervals(ctx context.Context, v *view, of *poststore.Selection, days *intervals, ts []poststore.Tally) ([][][]poststore.Row, error) {
	if days != nil {
		within := *of
		days.limit(&within)
		of = &within
	}
	prep, err := s.prepare(ctx, v, of, ts)
	if err != nil {
		return nil, err
	}
	result := make([][][]poststore.Row, len(ts))
	statements, rest := s.tallyStatements(v, of, prep, days, ts)
	err = parallel.For(ctx, len(statements), maxStatements, func(ctx context.Context, i int) error { return statements[i].run(ctx, s) })
	if err != nil {
		return nil, err
	}
	for _, st := range statements {
		for _, p := range st.parts {
			result[p.index] = p.result()
		}
	}
	return result, s.tallyInGo(ctx, v, of, prep, days, ts, rest, result)
}

// tallyStatements returns statements that count tallies, and the indexes of tallies that SQL cannot
// count. Tallies that are alike share a statement, because starting one takes as long as counting a
// million posts.
func (s *Store) tallyStatements(v *view, of *poststore.Selection, prep prepared, days *intervals, ts []poststore.Tally) (statements []*tallyStatement, rest []int) {
	intervals := 1
	if days != nil {
		intervals = days.len()
	}
	cond, _ := newSelector(v, of, copiesOf(of), prep, new(chhttp.Args)).compile()
	mix := readsText(cond) || sumsOf(ts) <= maxSums
	alike := map[string]*tallyStatement{}
	for i := range ts {
		part := &tallyPart{tally: &ts[i], index: i, rows: make([][]poststore.Row, intervals)}
		kind := kindOf(&ts[i], mix)
		st := alike[kind]
		if st == nil || kind == "" {
			st = &tallyStatement{selector: newSelector(v, of, copiesOf(of), prep, new(chhttp.Args)), days: days}
		}
		if !st.add(part) {
			rest = append(rest, i)
			continue
		}
		if len(st.parts) == 1 {
			statements = append(statements, st)
			alike[kind] = st
		}
	}
	var exact []*tallyStatement
	for _, st := range statements {
		if st.build() {
			exact = append(exact, st)
			continue
		}
		for _, p := range st.parts {
			rest = append(rest, p.index)
		}
	}
	return exact, rest
}

// kindOf returns a string that is the same for tallies that can share a statement, or "" if a tally
// needs its own. Tallies by arrays do, because a post has several rows, and those with few of many
// rows: the server finds the first rows of all, but sorts everything to find those of each tally.
//
// If mix is true, tallies with different measures share one, and each of them adds up all measures.
// Counting authors takes too long for that.
func kindOf(t *poststore.Tally, mix bool) string {
	alone := func(d poststore.Dim) bool {
		return arrayColumns[d] != "" || d == poststore.BySets || d == poststore.ByEthnicity
	}
	if slices.ContainsFunc(t.By, alone) || isLimited(t) {
		return ""
	}
	if mix && !slices.Contains(t.Sum, poststore.Authors) {
		return fmt.Sprint(t.Sources)
	}
	return fmt.Sprint(t.Sum, t.Sources)
}

// maxSums is the number of sums in a statement up to which adding up what is not needed takes less time
// than selecting the posts once more. Selecting them by their texts always takes longer.
const maxSums = 16

// sumsOf returns the number of sums in a statement for all tallies.
func sumsOf(ts []poststore.Tally) int {
	measures := map[poststore.Measure]bool{}
	for i := range ts {
		for _, m := range ts[i].Sum {
			measures[m] = true
		}
	}
	return len(ts) * len(measures)
}

// readsText reports whether a condition reads the texts of posts. The text index decides those on their
// words alone.
func readsText(cond string) bool {
	return strings.Contains(strings.ReplaceAll(cond, allWords, ""), "words")
}

// isLimited reports whether SQL can limit the number of rows of a tally.
func isLimited(t *poststore.Tally) bool {
	return t.Top > 0 && t.TopSum == 0 && len(t.IncludeKeys) == 0 && len(t.By) > 0
}

// A tallyStatement counts posts for one or more tallies.
type tallyStatement struct {
	*selector
	days    *intervals // nil: one
	parts   []*tallyPart
	columns []tallyColumn // of dimensions
	sql     string

	// Columns of the result:
	interval proto.ColInt64
	count    proto.ColUInt64
	measures []poststore.Measure // those of all tallies
	sums     []proto.ColInt64    // by measure
	results  proto.Results
	each     func(in, row int)
}

// A tallyPart is a tally of a statement.
type tallyPart struct {
	tally   *poststore.Tally
	index   int               // of the tally in the call
	columns []int             // of its dimensions
	rows    [][]poststore.Row // by interval
	done    func(in int) []poststore.Row
}

// A tallyColumn is a dimension in the result of a statement.
type tallyColumn struct {
	dimension
	of      poststore.Dim
	text    proto.ColStr
	number  proto.ColInt64
	without proto.ColUInt64 // 1 in the rows of tallies that do not have the dimension
}

// add adds a tally. It returns false if SQL cannot count it.
func (st *tallyStatement) add(p *tallyPart) bool {
	t := p.tally
	if kindOf(t, false) == "" && (slices.Contains(t.By, poststore.BySets) || slices.Contains(t.By, poststore.ByEthnicity)) {
		st.parts = append(st.parts, p)
		return true
	}
	for _, d := range t.By {
		dim, ok := st.dimension(d, t.Location())
		if !ok {
			return false
		}
		// Equal expressions must share a column, because grouping() cannot tell them apart. In different
		// zones, hours may be the same.
		c := slices.IndexFunc(st.columns, func(c tallyColumn) bool {
			return c.of == d && !c.many && (!usesZone(d) || c.dimension.number == dim.number)
		})
		if c < 0 {
			c = len(st.columns)
			st.columns = append(st.columns, tallyColumn{dimension: dim, of: d})
		}
		p.columns = append(p.columns, c)
	}
	st.parts = append(st.parts, p)
	return true
}

// build sets the SQL. It returns false if SQL cannot select the posts.
func (st *tallyStatement) build() bool {
	cond, exact := st.compile()
	if !exact {
		return false
	}
	first := st.parts[0]
	if len(first.tally.Sources) > 0 {
		cond += " AND " + st.sources(first.tally.Sources)
	}
	switch {
	case slices.Contains(first.tally.By, poststore.BySets):
		st.bySets(first, cond)
	case slices.Contains(first.tally.By, poststore.ByEthnicity):
		st.byEthnicity(first, cond)
	default:
		st.byDimensions(cond)
	}
	return true
}

// addInterval adds the number of the interval to the columns and groups if there are several.
func (st *tallyStatement) addInterval(columns, groups *[]string) {
	if st.days == nil {
		return
	}
	*columns = append(*columns, st.days.number(st.args)+" AS i")
	*groups = append(*groups, "i")
	st.addColumn("i", &st.interval)
}

func (st *tallyStatement) addColumn(name string, data proto.ColResult) {
	st.results = append(st.results, proto.ResultColumn{Name: name, Data: data})
}

func (st *tallyStatement) run(ctx context.Context, s *Store) error {
	return s.query(ctx, st.sql, st.args, st.results, func(rows int) error {
		for row := range rows {
			in := 0
			if st.days != nil {
				in = int(st.interval.Row(row))
			}
			st.each(in, row)
		}
		return nil
	})
}

func (p *tallyPart) result() [][]poststore.Row {
	for in := range p.rows {
		p.rows[in] = p.done(in)
	}
	return p.rows
}
