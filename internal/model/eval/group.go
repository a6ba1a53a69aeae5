package eval

import (
	"regexp"
	"strings"
)

// canGroupBy reports whether rows have a value for a column, see [row.group].
func (t *table) canGroupBy(column string) bool {
	return t.has(column) || column == "source" && (t.has("origin") || t.has("id"))
}

// sourcePrefix is the source at the start of an ID, such as "moz" in "moz-123".
var sourcePrefix = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]*[-_]`)

// group returns the value that a row is grouped by. Without a column "source", the source is the
// value of "origin" or the prefix of "id".
func (r row) group(column string) string {
	if column != "source" || r.table.has(column) {
		return r.get(column)
	}
	if r.table.has("origin") {
		return r.get("origin")
	}
	return strings.TrimRight(sourcePrefix.FindString(r.get("id")), "-_")
}

// groupBy returns the outcomes by the values of columns, joined by commas.
func groupBy(outcomes []outcome, columns []string) map[string][]outcome {
	groups := map[string][]outcome{}
	values := make([]string, len(columns))
	for _, o := range outcomes {
		for i, column := range columns {
			values[i] = o.row.group(column)
		}
		key := strings.Join(values, ",")
		groups[key] = append(groups[key], o)
	}
	return groups
}
