package eval

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"slices"
	"strings"

	"earshot"
)

// Limits on the input.
const (
	maxLine = 1 << 20
	maxRows = 5_000_000
)

// A table is a file of tab-separated values without quoting. The first line names the columns.
type table struct {
	columns []string
	lines   [][]string
}

// A row is a line of a table.
type row struct {
	table  *table
	number int // 1 is the first row after the header
	values []string
}

func (t *table) has(column string) bool { return slices.Contains(t.columns, column) }

func (t *table) rows() []row {
	rows := make([]row, len(t.lines))
	for i, line := range t.lines {
		rows[i] = row{t, i + 1, line}
	}
	return rows
}

// get returns the value of a column, or "" if the table does not have the column.
func (r row) get(column string) string {
	i := slices.Index(r.table.columns, column)
	if i < 0 {
		return ""
	}
	return r.values[i]
}

// line returns the number of the row's line in the file.
func (r row) line() int { return r.number + 1 }

// readTable reads a table, gzipped or not, and checks that it has the required columns.
func readTable(from io.Reader, needs []string) (*table, error) {
	lines, err := lineScanner(from)
	if err != nil {
		return nil, err
	}
	t := new(table)
	for lines.Scan() {
		values := strings.Split(strings.TrimSuffix(lines.Text(), "\r"), "\t")
		if t.columns == nil {
			values[0] = strings.TrimPrefix(values[0], "\ufeff") // the byte order mark that spreadsheets write
			if twice := repeated(values); twice != "" {
				return nil, earshot.Errorf(earshot.Invalid, "the first line names column %q twice", twice)
			}
			t.columns = values
			continue
		}
		if len(values) != len(t.columns) {
			return nil, earshot.Errorf(earshot.Invalid, "line %d has %d columns, but the first line has %d", len(t.lines)+2, len(values), len(t.columns))
		}
		if len(t.lines) == maxRows {
			return nil, earshot.Errorf(earshot.Invalid, "the table has more than %d rows", maxRows)
		}
		t.lines = append(t.lines, values)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("line %d: %w", len(t.lines)+2, err)
	}
	for _, column := range needs {
		if !t.has(column) {
			return nil, missingColumn(column)
		}
	}
	return t, nil
}

func missingColumn(name string) error {
	return earshot.Errorf(earshot.Invalid, "the table has no column %q; the first line must name it", name)
}

// repeated returns a name that occurs twice, or "" if there is none.
func repeated(names []string) string {
	for i, name := range names {
		if name != "" && slices.Contains(names[:i], name) {
			return name
		}
	}
	return ""
}

func lineScanner(from io.Reader) (*bufio.Scanner, error) {
	buffered := bufio.NewReader(from)
	if magic, _ := buffered.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		unpacked, err := gzip.NewReader(buffered)
		if err != nil {
			return nil, err
		}
		from = unpacked
	} else {
		from = buffered
	}
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, maxLine)
	return lines, nil
}
