package browsertest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// axeFile is the checker, below the root of the repository. It comes with what
// the web app is built with.
const axeFile = "web/node_modules/axe-core/axe.min.js"

// A violation is a rule of accessibility that a page breaks.
type violation struct {
	ID, Impact, Help string
	Nodes            []struct {
		Target  []any // selectors
		Summary string
	}
}

func (v violation) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "accessibility, %s: %s (%s)", v.Impact, v.Help, v.ID)
	for _, n := range v.Nodes {
		fmt.Fprintf(&b, "\n    %v: %s", n.Target, strings.ReplaceAll(n.Summary, "\n", " "))
	}
	return b.String()
}

// Axe checks the page as it is now with axe-core, and fails the test for each
// problem that is serious or critical.
func (p *Page) Axe() {
	p.t.Helper()
	source, err := axe()
	if err != nil && !Required() {
		p.t.Logf("accessibility is not checked: %v", err)
		return
	}
	if err != nil {
		p.t.Fatalf("check accessibility: %v", err)
	}
	p.Eval("typeof axe === 'undefined' && void (() => {"+source+"\n})()", nil)
	var found []violation
	p.Eval(`axe.run(document, {resultTypes: ["violations"]}).then(r => r.violations
		.filter(v => v.impact === "serious" || v.impact === "critical")
		.map(v => ({id: v.id, impact: v.impact, help: v.help, nodes: v.nodes.map(n => ({target: n.target, summary: n.failureSummary}))})))`, &found)
	for _, v := range found {
		p.t.Errorf("%s: %v", p.URL(), v)
	}
}

// axe returns the checker's source.
func axe() (string, error) {
	folder, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for ; ; folder = filepath.Dir(folder) {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			source, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(axeFile)))
			return string(source), err
		}
		if folder == filepath.Dir(folder) {
			return "", fmt.Errorf("no repository around here")
		}
	}
}
