package browsertest

import (
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"

	"earshot/internal/test/testenv"
)

// axeFile is the path of axe-core in the repository. "npm install" in the folder web puts it there.
const axeFile = "web/node_modules/axe-core/axe.min.js"

// A violation is an accessibility rule that a page breaks, with the elements that break it.
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

// Axe checks the accessibility of the page with axe-core, once no part of it is dimmed because newer
// data is on its way. If a modal dialog is open, it checks only the dialog, because the rest of the
// page is inert. It fails the test for each serious or critical violation. Of many articles, for
// example posts, it checks some: the first ones, and others in turn. Without axe-core it skips the
// check, unless [Required].
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
	p.WaitUntil("!document.querySelector('.stale') && !document.getAnimations().some(a => a instanceof CSSTransition)")
	p.Eval("typeof axe === 'undefined' && void (() => {"+source+"\n})()", nil)
	var found []violation
	p.Eval(fmt.Sprintf("(%s)(%d)", axeFunction, testenv.Seed()%1000), &found)
	for _, v := range found {
		p.t.Errorf("%s: %v", p.URL(), v)
	}
}

// axeFunction returns the serious and critical violations. A rule's impact is that of all its
// violations, so minor and moderate rules do not run. The time of the others is proportional to the
// number of elements, most of which are in articles.
const axeFunction = `turn => {
	const lesser = axe.getRules().filter(r => /minor|moderate/.test(axe.utils.getRule(r.ruleId).impact));
	const rules = Object.fromEntries(lesser.map(r => [r.ruleId, {enabled: false}]));
	const root = document.querySelector("dialog:modal") ?? document;
	const articles = [...root.querySelectorAll("article")], step = Math.ceil(articles.length / 4);
	const exclude = articles.filter((_, i) => i >= 6 && i % step !== turn % step);
	return axe.run({include: [root], exclude}, {resultTypes: ["violations"], preload: false, rules}).then(r => r.violations
		.filter(v => v.impact === "serious" || v.impact === "critical")
		.map(v => ({id: v.id, impact: v.impact, help: v.help, nodes: v.nodes.map(n => ({target: n.target, summary: n.failureSummary}))})));
}`

// AxeInTurn is Axe for one in three calls. Which ones depends on the commit, so that every call has
// its turn.
func (p *Page) AxeInTurn() {
	p.t.Helper()
	p.states++
	turn := fnv.New64a()
	fmt.Fprint(turn, p.t.Name(), p.states, testenv.Seed())
	if turn.Sum64()%3 == 0 {
		p.Axe()
	}
}

// axe returns the source of axe-core.
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
