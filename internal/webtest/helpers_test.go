package webtest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"earshot/internal/demo"
	"earshot/internal/webtest/browsertest"
)

// signedIn opens a page on which the user of the demonstration has signed in.
func (w *environment) signedIn(t *testing.T, path string) *browsertest.Page {
	t.Helper()
	p := w.open(t, browsertest.Options{Width: 1440, Height: 900})
	p.SignIn(demo.Username, demo.Password)
	p.Visit(path)
	return p
}

// quoteJS is a text as JavaScript writes it.
func quoteJS(text any) string {
	data, err := json.Marshal(text)
	if err != nil {
		panic(err) // texts and lists of them are never refused
	}
	return string(data)
}

// waitTexts waits until the elements that the CSS picks say just this, in this order.
func waitTexts(p *browsertest.Page, css string, want ...string) {
	if want == nil {
		want = []string{}
	}
	p.WaitUntil(fmt.Sprintf(`JSON.stringify([...document.querySelectorAll(%s)].map(e => e.innerText.trim())) === JSON.stringify(%s)`, quoteJS(css), quoteJS(want)))
}

// waitForText waits until the page says something, anywhere.
func waitForText(p *browsertest.Page, text string) {
	p.WaitUntil(fmt.Sprintf(`document.body.innerText.includes(%s)`, quoteJS(text)))
}

// rows returns the rows of a table, the cells of each.
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

// row makes a row of a table of what is in its cells.
func row(cells ...any) (all []string) {
	for _, c := range cells {
		all = append(all, fmt.Sprint(c))
	}
	return all
}

// checkRows fails the test unless a page shows what it should.
func checkRows(t *testing.T, what string, got, want [][]string) {
	t.Helper()
	if !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("%s: got %q, want %q", what, got, want)
	}
}
