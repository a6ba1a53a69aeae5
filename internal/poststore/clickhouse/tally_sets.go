package clickhouse

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ClickHouse/ch-go/proto"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
)

// bySets sets the SQL of a tally by sets. Posts are counted by the bits of the sets that they are in,
// and by their corrected category, which changes the sets.
func (st *tallyStatement) bySets(p *tallyPart, cond string) {
	sets := slices.Compact(slices.Sorted(slices.Values(p.tally.Sets)))
	masks := make([]proto.ColUInt64, (len(sets)+63)/64)
	var category proto.ColUInt64
	var inner, columns, groups []string
	if st.days != nil {
		inner = append(inner, st.days.number(st.args)+" AS i")
		columns, groups = append(columns, "i"), append(groups, "i")
		st.addColumn("i", &st.interval)
	}
	inner = append(inner, "post", st.corrections.category(st.args)+" AS c")
	columns, groups = append(columns, "c"), append(groups, "c")
	st.addColumn("c", &category)
	for w := range masks {
		name := "m" + strconv.Itoa(w)
		columns, groups = append(columns, name), append(groups, name)
		st.addColumn(name, &masks[w])
	}
	columns = append(columns, "count() AS n")
	st.addColumn("n", &st.count)
	st.sql = "SELECT " + strings.Join(columns, ", ") +
		" FROM (SELECT " + strings.Join(inner, ", ") + " FROM posts WHERE " + cond + ") AS p" +
		" LEFT ANY JOIN (" + st.memberships(sets) + ") AS l USING (post) GROUP BY " + strings.Join(groups, ", ")

	counts := make([]map[string]int64, len(p.rows)) // by interval and key
	st.each = func(in, row int) {
		correction := poststore.Correction{Category: earshot.CategoryID(category.Row(row))}
		key := enginekit.SetsKey(p.tally.Sets, func(id poststore.SetID) bool {
			i, _ := slices.BinarySearch(sets, id)
			return correction.Has(id, masks[i/64].Row(row)>>(i%64)&1 != 0)
		})
		if counts[in] == nil {
			counts[in] = map[string]int64{}
		}
		counts[in][key] += int64(st.count.Row(row))
	}
	p.done = func(in int) []poststore.Row {
		rows := make([]poststore.Row, 0, len(counts[in]))
		for key, n := range counts[in] {
			rows = append(rows, poststore.Row{Key: []string{key}, Posts: n, Sums: []int64{}})
		}
		return enginekit.Truncate(p.tally, rows)
	}
}

// memberships returns a subquery that yields posts with the bits of the sets that they are in: bit i of
// the columns m0, m1 and so on, of 64 bits each, stands for sets[i]. It omits posts that are in none.
func (s *selector) memberships(sets []poststore.SetID) string {
	words := (len(sets) + 63) / 64
	columns, sums := make([]string, words), make([]string, words)
	for w := range words {
		var ids []int64
		var bits []uint64
		for i, id := range sets[64*w : min(64*w+64, len(sets))] {
			ids, bits = append(ids, int64(id)), append(bits, 1<<i)
		}
		n := strconv.Itoa(w)
		columns[w] = "transform(set, " + s.args.Ints(ids) + ", " + s.args.Uints(bits) + ", toUInt64(0)) AS b" + n
		sums[w] = "groupBitOr(b" + n + ") AS m" + n
	}
	selected := "SELECT post, " + strings.Join(columns, ", ")
	var parts []string
	for gen, ids := range s.labelSets(sets) {
		parts = append(parts, selected+" FROM labels WHERE set IN "+s.args.Ints(ids)+" AND gen = "+s.args.Uint(gen)+
			" AND "+s.view.committed("since", s.args)+s.aroundSeconds())
	}
	for _, id := range sets {
		if !id.IsCategory() {
			parts = append(parts, selected+" FROM posts WHERE "+all(append([]string{s.view.visible(id, s.args)}, s.within(s.of)...)))
		}
	}
	slices.Sort(parts)
	return "SELECT post, " + strings.Join(sums, ", ") + " FROM (" + strings.Join(parts, " UNION ALL ") + ") GROUP BY post"
}

// labelSets returns the category sets by the generation of their labels.
func (s *selector) labelSets(sets []poststore.SetID) map[uint64][]int64 {
	byGen := map[uint64][]int64{}
	for _, id := range sets {
		if id.IsCategory() {
			gen := s.view.sets[id].gen
			byGen[gen] = append(byGen[gen], int64(id))
		}
	}
	return byGen
}
