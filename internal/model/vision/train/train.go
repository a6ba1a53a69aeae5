// Package train builds the list of classes that package vision embeds. It is not part of the
// service.
package train

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Build returns the files that package vision embeds: the classes in the data folder, without their
// sources.
func Build(data string) (map[string][]byte, error) {
	path := filepath.Join(data, "lexicons", "image_classes.tsv.gz")
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	zr, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	var list bytes.Buffer
	lines := bufio.NewScanner(zr)
	lines.Scan() // the header
	for lines.Scan() {
		fields := strings.Split(lines.Text(), "\t")
		if len(fields) < 3 {
			return nil, fmt.Errorf("read %s: invalid class: %q", path, lines.Text())
		}
		fmt.Fprintf(&list, "%s\t%s\t%s\n", fields[0], fields[1], fields[2])
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return map[string][]byte{"classes.tsv": list.Bytes()}, nil
}
