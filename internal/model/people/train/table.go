package train

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"earshot/internal/model/dataset"
)

// readTable calls row with the fields of each line of a table except the header, which must start
// with the given columns.
func readTable(folder, name string, columns []string, row func(fields []string) error) error {
	n := 0
	for line, err := range dataset.Lines(filepath.Join(folder, name)) {
		if err != nil {
			return err
		}
		fields := strings.Split(line, "\t")
		if n++; n == 1 && !startsWith(fields, columns) {
			return fmt.Errorf("%s: the columns are %q, want %q", name, fields, columns)
		}
		if len(fields) < len(columns) {
			return fmt.Errorf("%s, line %d: only %d fields", name, n, len(fields))
		}
		if n == 1 {
			continue
		}
		if err := row(fields); err != nil {
			return fmt.Errorf("%s, line %d: %w", name, n, err)
		}
	}
	return nil
}

func startsWith(fields, columns []string) bool {
	return len(fields) >= len(columns) && strings.Join(fields[:len(columns)], "\t") == strings.Join(columns, "\t")
}

// parseCount parses an integer. An empty field is 0.
func parseCount(field string) (int, error) {
	if field == "" {
		return 0, nil
	}
	return strconv.Atoi(field)
}

// plain returns the letters a to z of a name.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		if r < 'a' || r > 'z' {
			return -1
		}
		return r
	}, strings.ToLower(name))
}
