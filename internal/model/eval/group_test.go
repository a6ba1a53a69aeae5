package eval

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestGroupKeys(t *testing.T) {
	f := func(header, values, by, want string) {
		t.Helper()
		table, err := readTable(strings.NewReader(strings.ReplaceAll(header+"\n"+values, " ", "\t")), nil)
		if err != nil {
			t.Fatal(err)
		}
		columns := strings.Split(by, ",")
		for _, column := range columns {
			if !table.canGroupBy(column) {
				t.Fatalf("%s: cannot group by %s", header, column)
			}
		}
		groups := groupBy([]outcome{{row: table.rows()[0]}}, columns)
		if got := slices.Collect(maps.Keys(groups)); !slices.Equal(got, []string{want}) {
			t.Errorf("%s by %s: got %q, want %q", values, by, got, want)
		}
	}
	f("id language", "moz-123 de", "source", "moz")
	f("id language", "moz-123 de", "language,source", "de,moz")
	f("id language", "te-val-0 en", "source", "te")
	f("id language", "polusa_v1_59-1_30 en", "source", "polusa")
	f("id language", "12345 en", "source", "")
	f("id origin", "moz-1 emoevent", "source", "emoevent")
	f("id source", "moz-1 yelp", "source", "yelp")
	f("id origin", "moz-1 emoevent", "origin", "emoevent")
}
