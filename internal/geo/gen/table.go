package main

import (
	"fmt"
	"slices"
	"strings"

	"earshot/internal/model/dataset"
)

// A row is a line of a table, by column name.
type row = dataset.Row

// parseTable parses the lines of a table. path is used in errors.
func parseTable(path, text string) ([]row, error) {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	columns := strings.Split(lines[0], "\t")
	rows := make([]row, 0, len(lines)-1)
	for n, line := range lines[1:] {
		fields := strings.Split(line, "\t")
		if len(fields) != len(columns) {
			return nil, fmt.Errorf("%s:%d: got %d fields, want %d", path, n+2, len(fields), len(columns))
		}
		r := make(row, len(columns))
		for i, name := range columns {
			r[name] = fields[i]
		}
		rows = append(rows, r)
	}
	return rows, nil
}

func groupBy(rows []row, key func(row) string) map[string][]row {
	groups := map[string][]row{}
	for _, r := range rows {
		groups[key(r)] = append(groups[key(r)], r)
	}
	return groups
}

func sorted(rows []row, key func(row) string) []row {
	return slices.SortedFunc(slices.Values(rows), func(a, b row) int { return strings.Compare(key(a), key(b)) })
}
