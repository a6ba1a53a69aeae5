package eval

import (
	"strings"
	"testing"
)

func TestRowWriter(t *testing.T) {
	k := scorer(nil)
	table, err := readTable(strings.NewReader("label\tid\ta\tb\tc\nb,a\tmoz-1\t5\t4\t1\n\tmoz-2\t1\t0\t9\nc\tmoz-3\t2\t3\t5\n"), []string{"label"})
	if err != nil {
		t.Fatal(err)
	}
	outcomes, skipped, err := k.gold(table)
	if err != nil || skipped != 1 {
		t.Fatal(skipped, err)
	}
	for i := range outcomes {
		outcomes[i].prediction = k.ask(outcomes[i].row, []string{"a", "b"})
	}
	var out strings.Builder
	w := NewRowWriter(&out)
	for _, file := range []string{"one.tsv", "two.tsv"} {
		w.File = file
		if err := w.write(k, outcomes[:]); err != nil {
			t.Fatal(err)
		}
		outcomes = outcomes[1:]
	}
	want := `file row id gold prediction confidence correct a b c
one.tsv 1 moz-1 a,b a 0.5556 true 0.5000 0.4000 0.1000
one.tsv 3 moz-3 c b 0.6000 false 0.2000 0.3000 0.5000
two.tsv 3 moz-3 c b 0.6000 false 0.2000 0.3000 0.5000
`
	if got := strings.ReplaceAll(out.String(), "\t", " "); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
