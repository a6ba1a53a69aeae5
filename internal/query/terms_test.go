package query_test

import (
	"slices"
	"strings"
	"testing"

	"earshot/internal/query"
)

func TestTerms(t *testing.T) {
	f := func(keywords, want string) {
		t.Helper()
		q, err := query.Parse(keywords)
		if err != nil {
			t.Fatal(err)
		}
		got := q.Terms()
		slices.Sort(got)
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got %q, want %q", keywords, got, want)
		}
	}
	f(`coffee`, "coffee")
	f(`coffee AND (milk OR Café) AND NOT (tea OR "ice cream")`, "cafe coffee milk")
	f(`"cold brew" OR #Latte OR coffee`, "brew coffee cold latte")
	f(`coffee NEAR/3 machine`, "coffee machine")
	f(`coffee AND author:ann AND language:en`, "coffee")
}
