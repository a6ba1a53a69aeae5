package webtest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"earshot/internal/demo"
	"earshot/internal/test/webtest/browsertest"
)

// signedIn opens a page as the demo user.
func (w *environment) signedIn(t *testing.T, path string) *browsertest.Page {
	t.Helper()
	p := w.open(t, browsertest.Options{Width: 1440, Height: 900})
	p.SignIn(demo.Username, demo.Password)
	p.Visit(path)
	return p
}

// quoteJS returns a value as a JavaScript literal.
func quoteJS(text any) string {
	data, err := json.Marshal(text)
	if err != nil {
		panic(err) // strings and lists of strings can always be encoded
	}
	return string(data)
}

// waitTexts waits until the elements that match a CSS selector have these texts, in this order.
func waitTexts(p *browsertest.Page, css string, want ...string) {
	if want == nil {
		want = []string{}
	}
	p.WaitUntil(fmt.Sprintf(`JSON.stringify([...document.querySelectorAll(%s)].map(e => e.innerText.trim())) === JSON.stringify(%s)`, quoteJS(css), quoteJS(want)))
}

// waitForText waits until the page contains a text.
func waitForText(p *browsertest.Page, text string) {
	p.WaitUntil(fmt.Sprintf(`document.body.innerText.includes(%s)`, quoteJS(text)))
}

// rows returns the cells of all rows of the table in a region.
func rows(p *browsertest.Page, region string) (all [][]string) {
	p.WaitFor(fmt.Sprintf(`region "%s" >> tbody tr`, region))
	for _, text := range p.Texts(fmt.Sprintf(`region "%s" >> tbody tr`, region)) {
		var cells []string
		for cell := range strings.SplitSeq(text, "\t") {
			cells = append(cells, strings.TrimSpace(cell))
		}
		all = append(all, cells)
	}
	return all
}

// row returns the cells of a row as text.
func row(cells ...any) (all []string) {
	for _, c := range cells {
		all = append(all, fmt.Sprint(c))
	}
	return all
}

// checkRows fails the test unless got equals want.
func checkRows(t *testing.T, what string, got, want [][]string) {
	t.Helper()
	if !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("%s: got %q, want %q", what, got, want)
	}
}
