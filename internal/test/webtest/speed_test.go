package webtest

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"earshot/internal/demo"
)

// Targets of the overview, which is the largest page. Times are those of an idle machine; tests run
// beside others, so they allow slowTests times as much.
const (
	maxRequests  = 15  // until all charts are drawn, with an empty cache
	maxFilter    = 300 // milliseconds from a click on a filter to the new totals
	maxTask      = 400 // milliseconds for which a task may block the browser
	maxTabs      = 10  // presses of the Tab key to the export
	slowTests    = 5
	maxLeftovers = 1.3 // of DOM nodes and listeners, as a multiple of the first visit
)

// visits is how many pages TestLeaks visits.
var visits = flag.Int("visits", 44, "visit this `number` of pages to find leaks")

// longTasksScript collects the durations of tasks over 50 ms.
const longTasksScript = `(() => {
	window.tasks = [];
	new PerformanceObserver(l => tasks.push(...l.getEntries().map(e => Math.round(e.duration)))).observe({type: "longtask", buffered: true});
})()`

// filterScript clicks a bar and returns the milliseconds until the totals are new, and until they
// are marked as old.
const filterScript = `(async () => {
	const total = () => document.querySelector(".figures dd").innerText;
	const before = total(), start = performance.now();
	let dimmed = 0;
	[...document.querySelectorAll(".bars button")].find(b => b.innerText.startsWith("English")).click();
	while (total() === before) {
		await new Promise(requestAnimationFrame);
		if (!dimmed && document.querySelector(".stale")) dimmed = performance.now() - start;
	}
	return {dimmed: Math.round(dimmed), totals: Math.round(performance.now() - start)};
})()`

// TestSpeed measures what the browser does to show the overview: the requests of a first visit,
// its longest task, and how long the totals take after a click on a filter.
func TestSpeed(t *testing.T) {
	w := env(t)
	id := w.monitors[demo.Brand].ID
	p := w.signedIn(t, "/compare")
	p.WaitFor(`heading "Compare"`)
	p.Visit(fmt.Sprintf("/monitors/%d", id))
	p.Eval(longTasksScript, nil)
	p.WaitFor(`region "Locations" >> canvas`)
	p.WaitUntil(`[...document.querySelectorAll(".chart-canvas")].every(c => c.dataset.ready === "true")`)
	settle(p)
	var list []string
	// Without repetitions: a page loads its posts again if the monitor has just been matched.
	p.Eval(`[...new Set(performance.getEntriesByType("resource").map(e => e.name.replace(location.origin, "")))]`, &list)
	var tasks []int
	p.Eval(`tasks`, &tasks)
	t.Logf("%d requests, tasks of %d ms", len(list), tasks)
	if len(list) > maxRequests || len(list) < 5 {
		t.Errorf("the overview needs %d requests, want at most %d:\n%s", len(list), maxRequests, strings.Join(list, "\n"))
	}
	for _, ms := range tasks {
		if ms > maxTask*slowTests {
			t.Errorf("a task takes %d ms, want at most %d", ms, maxTask)
		}
	}
	p.Eval(`tasks.length = 0`, nil)
	var took struct{ Dimmed, Totals int }
	p.Eval(filterScript, &took)
	settle(p)
	p.Eval(`tasks`, &tasks)
	t.Logf("after a click on a filter: %d ms to dimmed totals, %d ms to new ones, tasks of %d ms", took.Dimmed, took.Totals, tasks)
	if took.Dimmed == 0 || took.Totals > maxFilter*slowTests {
		t.Errorf("got new totals after %d ms, dimmed after %d, want at most %d", took.Totals, took.Dimmed, maxFilter)
	}
}

// TestTabsToExport opens the export with the keyboard.
func TestTabsToExport(t *testing.T) {
	t.Parallel()
	w := env(t)
	p := w.signedIn(t, fmt.Sprintf("/monitors/%d", w.monitors[demo.Brand].ID))
	p.WaitFor(`region "Volume"`)
	var at focused
	presses := 0
	for at.Name != "Export" && presses < 50 {
		p.Press("Tab")
		presses++
		if p.Eval(focusedScript, &at); at.Name == "Skip to dates and filters" {
			p.Press("Enter")
		}
	}
	t.Logf("%d presses", presses)
	if presses > maxTabs {
		t.Errorf("got %d presses of Tab, want at most %d; the focus is on %s", presses, maxTabs, at.HTML)
	}
	p.Press("Enter")
	p.WaitFor(`button "Export"`)
}

// TestFrameStays switches tabs whose code and data are slow to arrive. The title and the tabs stay.
func TestFrameStays(t *testing.T) {
	t.Parallel()
	w := env(t)
	p := w.signedIn(t, fmt.Sprintf("/monitors/%d", w.monitors[demo.Brand].ID))
	p.WaitFor(`region "Volume"`)
	p.Eval(`(() => {
		window.gone = [];
		new MutationObserver(() => {
			for (const s of ["h1", ".tabs"]) if (!document.querySelector(s)) gone.push(s + " on " + location.pathname);
		}).observe(document.body, {childList: true, subtree: true});
	})()`, nil)
	for _, tab := range []string{"Posts", "Topics", "Pictures", "Why it changed", "Settings", "Overview"} {
		p.Click(fmt.Sprintf(`navigation "Monitor pages" >> link "%s"`, tab))
		settle(p)
	}
	var gone []string
	p.Eval(`gone`, &gone)
	if len(gone) > 0 {
		t.Errorf("disappeared while the next tab loaded: %q", gone)
	}
}

// TestLeaks goes through pages many times. The browser may not keep more than it needs for the
// first visits.
func TestLeaks(t *testing.T) {
	w := env(t)
	home := fmt.Sprintf("/monitors/%d", w.monitors[demo.Brand].ID)
	p := w.signedIn(t, home)
	p.WaitFor(`region "Locations" >> canvas`)
	pages := []string{".tabs Posts", ".tabs Topics", ".tabs Why it changed", ".tabs Pictures", ".tabs Settings", ".tabs Compare", ".side Signals", ".side Dashboards", ".side Sources", ".side Monitors", "main " + demo.Brand}
	visit := func() {
		for _, page := range pages {
			where, name, _ := strings.Cut(page, " ")
			link := fmt.Sprintf(`[...document.querySelectorAll("%s a")].find(a => a.innerText.trim() === %q)`, where, name)
			p.WaitUntil(link)
			p.Eval(link+".click()", nil)
			settle(p)
		}
	}
	visit()
	first := p.Counters()
	for range (*visits + len(pages) - 1) / len(pages) {
		visit()
	}
	last := p.Counters()
	t.Logf("at first %d nodes and %d listeners, after %d pages %d and %d", first.Nodes, first.Listeners, *visits, last.Nodes, last.Listeners)
	if float64(last.Nodes) > maxLeftovers*float64(first.Nodes) || float64(last.Listeners) > maxLeftovers*float64(first.Listeners) {
		t.Errorf("after %d pages the browser keeps %d nodes and %d listeners, at first %d and %d", *visits, last.Nodes, last.Listeners, first.Nodes, first.Listeners)
	}
}
