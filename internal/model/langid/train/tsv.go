package train

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"os"
	"strings"
)

// readRows calls f with the fields of each row of a gzipped, tab-separated file, except for the
// header. It fails if a row does not have as many fields as the header.
func readRows(name string, f func(row []string)) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	z, err := gzip.NewReader(file)
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<20)
	fields := 0
	for lines.Scan() {
		row := strings.Split(lines.Text(), "\t")
		if fields == 0 {
			fields = len(row)
			continue
		}
		if len(row) != fields {
			return fmt.Errorf("read %s: a row has %d fields, want %d", name, len(row), fields)
		}
		f(row)
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	return nil
}
