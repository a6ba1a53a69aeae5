package train

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A row is one line of a table, by column.
type row map[string]string

// readTable reads a gzipped table of tab-separated columns. The first line names the columns.
func readTable(data, name string) ([]row, error) {
	f, err := os.Open(filepath.Join(data, name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	lines := bufio.NewScanner(unzipped)
	lines.Buffer(nil, 1<<20)
	if !lines.Scan() {
		return nil, fmt.Errorf("read %s: the table is empty", name)
	}
	columns := strings.Split(lines.Text(), "\t")
	var rows []row
	for lines.Scan() {
		fields := strings.Split(lines.Text(), "\t")
		if len(fields) != len(columns) {
			return nil, fmt.Errorf("read %s: line %d has %d columns, want %d", name, len(rows)+2, len(fields), len(columns))
		}
		r := row{}
		for i, column := range columns {
			r[column] = fields[i]
		}
		rows = append(rows, r)
	}
	return rows, lines.Err()
}
