package clickhouse

import (
	"strings"

	"github.com/ClickHouse/ch-go/proto"

	"earshot/internal/model/people"
	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
)

// byEthnicity sets the SQL of a tally by ethnicity, which counts surnames.
func (st *tallyStatement) byEthnicity(p *tallyPart, cond string) {
	var name proto.ColStr
	var columns, groups []string
	st.addInterval(&columns, &groups)
	st.addColumn("k0", &name)
	st.addColumn("n", &st.count)
	columns, groups = append(columns, asString("surname")+" AS k0", "count() AS n"), append(groups, "surname")
	st.sql = "SELECT " + strings.Join(columns, ", ") + " FROM posts WHERE " + cond + " AND surname != '' GROUP BY " + strings.Join(groups, ", ")
	bearers := make([]people.Population, len(p.rows))
	st.each = func(in, row int) {
		surname := name.Row(row)
		bearers[in].Add(enginekit.Percents(surname), int64(st.count.Row(row)))
		bearers[in].AddSurname(surname)
	}
	p.done = func(in int) []poststore.Row { return enginekit.EthnicityRows(&bearers[in]) }
}
