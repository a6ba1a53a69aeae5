package clickhouse

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ClickHouse/ch-go/proto"

	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
)

// byDimensions sets the SQL of tallies by dimensions. Those of a statement with several tallies are
// grouping sets: one pass over the posts counts all of them.
func (st *tallyStatement) byDimensions(cond string) {
	var columns, common []string
	st.addInterval(&columns, &common)
	from := "posts"
	groups, order := make([]string, len(st.columns)), slices.Clone(common)
	for c := range st.columns {
		d, n := &st.columns[c], strconv.Itoa(c)
		switch {
		case d.dimension.number != "":
			groups[c] = "k" + n
			columns = append(columns, d.dimension.number+" AS k"+n)
			st.addColumn("k"+n, &d.number)
			continue
		case d.many:
			groups[c] = "a" + n
			from += " ARRAY JOIN " + d.dimension.text + " AS a" + n
		default:
			groups[c] = d.dimension.text
		}
		columns = append(columns, asString(groups[c])+" AS k"+n)
		st.addColumn("k"+n, &d.text)
	}
	grouped := groupBy(common, groups, st.parts[0].columns)
	if len(st.parts) == 1 {
		cond += st.known()
	} else {
		sets := make([]string, len(st.parts))
		for i, p := range st.parts {
			sets[i] = "(" + groupBy(common, groups, p.columns) + ")"
		}
		slices.Sort(sets)
		grouped = "GROUPING SETS (" + strings.Join(slices.Compact(sets), ", ") + ")"
		for c := range st.columns {
			name := "g" + strconv.Itoa(c)
			columns, order = append(columns, "grouping("+groups[c]+") AS "+name), append(order, name)
			st.addColumn(name, &st.columns[c].without)
		}
	}
	by := strings.Join(order, ", ")
	columns = append(columns, st.aggregates()...)
	st.sql = "SELECT " + strings.Join(columns, ", ") + " FROM " + from + " WHERE " + cond
	if grouped != "" {
		st.sql += " GROUP BY " + grouped
	}
	if isLimited(st.parts[0].tally) {
		st.sql += st.limit(order, by)
	}
	st.each = st.addRow
	for _, p := range st.parts {
		p.done = func(in int) []poststore.Row {
			if len(p.columns) == 0 && len(p.rows[in]) == 0 {
				return []poststore.Row{{Key: []string{}, Sums: make([]int64, len(p.tally.Sum))}}
			}
			return enginekit.Truncate(p.tally, p.rows[in])
		}
	}
}

func groupBy(common, groups []string, columns []int) string {
	by := slices.Clone(common)
	for _, c := range columns {
		if !slices.Contains(by, groups[c]) {
			by = append(by, groups[c])
		}
	}
	return strings.Join(by, ", ")
}

// known returns the condition that a post has a key in each dimension, which begins with AND. Arrays
// without elements disappear when they are joined.
func (st *tallyStatement) known() (cond string) {
	for c := range st.columns {
		if known := st.columns[c].known; known != "" {
			cond += " AND " + known
		}
	}
	return cond
}

// limit returns the clauses that leave only the first rows of each interval. The statement has one
// tally.
func (st *tallyStatement) limit(order []string, by string) string {
	order = append(order, "n DESC")
	for _, c := range st.parts[0].columns {
		key := "k" + strconv.Itoa(c)
		if sorted := st.columns[c].sorted; sorted != nil {
			key = sorted(key)
		}
		order = append(order, key)
	}
	clauses := " ORDER BY " + strings.Join(order, ", ") + " LIMIT " + strconv.Itoa(st.parts[0].tally.Top)
	if by != "" {
		clauses += " BY " + by
	}
	return clauses
}

// aggregates returns the columns that are counted and added up.
func (st *tallyStatement) aggregates() []string {
	columns := []string{"count() AS n"}
	st.addColumn("n", &st.count)
	for _, p := range st.parts {
		for _, m := range p.tally.Sum {
			if !slices.Contains(st.measures, m) {
				st.measures = append(st.measures, m)
			}
		}
	}
	st.sums = make([]proto.ColInt64, len(st.measures))
	for i, m := range st.measures {
		name := "s" + strconv.Itoa(i)
		columns = append(columns, sumOf(m)+" AS "+name)
		st.addColumn(name, &st.sums[i])
	}
	return columns
}

// addRow adds a row of the result to the tallies that it belongs to.
func (st *tallyStatement) addRow(in, row int) {
	for _, p := range st.parts {
		if len(st.parts) > 1 && !st.isOf(p, row) {
			continue
		}
		r := poststore.Row{Key: make([]string, len(p.columns)), Posts: int64(st.count.Row(row)), Sums: make([]int64, len(p.tally.Sum))}
		known := true
		for i, c := range p.columns {
			r.Key[i] = st.columns[c].key(row)
			known = known && r.Key[i] != ""
		}
		if !known {
			continue
		}
		for i, m := range p.tally.Sum {
			r.Sums[i] = st.sums[slices.Index(st.measures, m)].Row(row)
		}
		p.rows[in] = append(p.rows[in], r)
	}
}

// isOf reports whether a row of the result has exactly the dimensions of a tally.
func (st *tallyStatement) isOf(p *tallyPart, row int) bool {
	for c := range st.columns {
		if slices.Contains(p.columns, c) == (st.columns[c].without.Row(row) != 0) {
			return false
		}
	}
	return true
}

// key returns the key in a row of the result, or "" if the posts have none.
func (c *tallyColumn) key(row int) string {
	if c.dimension.number == "" {
		return c.text.Row(row)
	}
	n := c.number.Row(row)
	if n == 0 && c.known != "" {
		return ""
	}
	return c.name(n)
}

// asString returns an expression for a string that may have the type LowCardinality.
func asString(expr string) string { return "CAST(" + expr + " AS String)" }

// sumOf returns an aggregate function for a measure, as an Int64.
func sumOf(m poststore.Measure) string {
	if m == poststore.Authors {
		return "toInt64(uniqExactIf(author, author != ''))"
	}
	return "toInt64(least(" + maxSum + ", sum(toInt128(" + measureColumns[m] + "))))"
}
