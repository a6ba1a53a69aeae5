// Package dataset reads the gzipped files that models are fitted to and measured on.
package dataset

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"iter"
	"os"
	"strings"
)

// maxLine is the maximum length of a line in bytes.
const maxLine = 16 << 20

// Lines yields the lines of a gzipped file. After an error it ends.
func Lines(path string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		f, err := os.Open(path)
		if err != nil {
			yield("", err)
			return
		}
		defer f.Close()
		unzipped, err := gzip.NewReader(f)
		if err != nil {
			yield("", fmt.Errorf("read %s: %w", path, err))
			return
		}
		lines := bufio.NewScanner(unzipped)
		lines.Buffer(nil, maxLine)
		for lines.Scan() {
			if !yield(lines.Text(), nil) {
				return
			}
		}
		if err := lines.Err(); err != nil {
			yield("", fmt.Errorf("read %s: %w", path, err))
		}
	}
}

// Fields yields the fields of each line of a gzipped, tab-separated table, beginning with the header.
// Each line must have as many fields as the header.
func Fields(path string) iter.Seq2[[]string, error] {
	return func(yield func([]string, error) bool) {
		columns, n := 0, 0
		for line, err := range Lines(path) {
			fields := strings.Split(line, "\t")
			if n++; n == 1 {
				columns = len(fields)
			}
			if err == nil && len(fields) != columns {
				err = fmt.Errorf("read %s: line %d has %d columns, want %d", path, n, len(fields), columns)
			}
			if !yield(fields, err) || err != nil {
				return
			}
		}
	}
}

// A Row is a line of a table, by column.
type Row map[string]string

// Table returns the rows of a gzipped, tab-separated table. The first line names the columns.
func Table(path string) (rows []Row, err error) {
	var columns []string
	for fields, err := range Fields(path) {
		if err != nil {
			return nil, err
		}
		if columns == nil {
			columns = fields
			continue
		}
		r := make(Row, len(columns))
		for i, column := range columns {
			r[column] = fields[i]
		}
		rows = append(rows, r)
	}
	if columns == nil {
		return nil, fmt.Errorf("read %s: the table is empty", path)
	}
	return rows, nil
}
