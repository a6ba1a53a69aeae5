package browsertest

// A LayoutShift is how much the visible parts of a page have moved since it was opened, other than
// in response to the user. Score is the sum that browsers call Cumulative Layout Shift; Moved
// describes the elements that moved most.
type LayoutShift struct {
	Score float64
	Moved []string
}

// LayoutShift returns the layout shift of the page so far.
func (p *Page) LayoutShift() (s LayoutShift) {
	p.t.Helper()
	p.Eval(layoutShiftScript, &s)
	return s
}

// layoutShiftScript adds up the layout shifts. The browser hands out those that it has recorded
// before the next frame.
const layoutShiftScript = `(async () => {
	const entries = [];
	const observer = new PerformanceObserver(list => entries.push(...list.getEntries()));
	observer.observe({type: "layout-shift", buffered: true});
	for (let frame = 0; frame < 3; frame++) await new Promise(done => requestAnimationFrame(done));
	entries.push(...observer.takeRecords());
	observer.disconnect();
	const shifts = entries.filter(e => !e.hadRecentInput).sort((a, b) => b.value - a.value);
	const describe = s => {
		const e = s.node?.nodeType === 1 ? s.node : s.node?.parentElement;
		return (e ? e.outerHTML.slice(0, 120) : "a removed element") + " from " + s.previousRect.top + " to " + s.currentRect.top;
	};
	return {
		score: shifts.reduce((sum, e) => sum + e.value, 0),
		moved: shifts.slice(0, 3).map(e => e.value.toFixed(4) + ": " + e.sources.slice(0, 2).map(describe).join("; ")),
	};
})()`
