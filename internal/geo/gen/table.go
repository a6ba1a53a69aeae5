package main

import (
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"strings"
)

// A row is a line of a table, by column name.
type row map[string]string

// readTable reads a gzipped table of tab-separated fields whose first line names
// the columns.
func readTable(path string) ([]row, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	columns := strings.Split(lines[0], "\t")
	rows := make([]row, 0, len(lines)-1)
	for n, line := range lines[1:] {
		fields := strings.Split(line, "\t")
		if len(fields) != len(columns) {
			return nil, fmt.Errorf("%s:%d: %d fields, not %d", path, n+2, len(fields), len(columns))
		}
		r := make(row, len(columns))
		for i, name := range columns {
			r[name] = fields[i]
		}
		rows = append(rows, r)
	}
	return rows, nil
}
