package train

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A surname has the percentages of its white, Latino, Black and Asian bearers.
type surname struct {
	name    string
	percent [4]byte
}

// buildSurnames returns the file of surnames.
func buildSurnames(folder string) ([]byte, error) {
	var list []surname
	columns := []string{"surname", "rank2010", "white", "black", "latino", "asian"}
	err := readTable(folder, "us_census2010_surname_ethnicity.tsv.gz", columns, func(fields []string) error {
		s := surname{name: plain(fields[0])}
		for i, column := range []int{2, 4, 3, 5} {
			share, err := strconv.ParseFloat(fields[column], 64)
			if err != nil || share < 0 || share > 1 {
				return fmt.Errorf("invalid share %q", fields[column])
			}
			s.percent[i] = byte(math.Round(100 * share))
		}
		list = append(list, s)
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(list, func(a, b surname) int { return strings.Compare(a.name, b.name) })
	list = slices.CompactFunc(list, func(a, b surname) bool { return a.name == b.name })
	return packSurnames(list)
}

func packSurnames(list []surname) ([]byte, error) {
	var p packer
	words := make([]string, len(list))
	for i, s := range list {
		words[i] = s.name
	}
	p.count(len(words))
	p.list(words)
	for group := range 4 {
		for _, s := range list {
			p.WriteByte(s.percent[group])
		}
	}
	return p.pack()
}
