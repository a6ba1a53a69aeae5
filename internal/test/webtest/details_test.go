package webtest

import (
	"testing"

	"earshot/internal/test/webtest/browsertest"
)

// details are small things that people stumbled over. Each expression is true if the page has them
// right.
var details = []struct {
	name, path, shows string
	screen            browsertest.Options
	click             string // before the check
	right             string
}{
	{"sparklines end in a dashed line for today", "/", `.monitor-card`, wide, "",
		`[...document.querySelectorAll(".monitor-card .spark")].some(s => s.querySelector(".line.partial"))`},
	{"growth has the same color as decline", "/?days=7", `.monitor-card .delta`, wide, "",
		`new Set([...document.querySelectorAll(".monitor-card .delta")].map(d => getComputedStyle(d).color)).size === 1`},
	{"a legend names every color of its bar", "/", `.monitor-card .split`, wide, "",
		`[...document.querySelectorAll(".monitor-card")].every(c => {
			const colors = css => [...c.querySelectorAll(css)].map(e => e.style.background).join();
			return colors(".split > div") === colors(".legend .dot");
		})`},
	{"severities stay on one line", "/", `.incidents`, phone, "",
		`[...document.querySelectorAll(".incidents > li > .badge")].every(b => b.offsetHeight < 30)`},
	{"menus fit their items", "/monitors/{id}", `region "Volume"`, wide, `button "More actions"`,
		`(() => {
			const menu = document.querySelector(".popover"), items = [...menu.querySelectorAll("button, a")];
			return items.length > 5 && items.every(i => i.offsetHeight < 45) && [menu, ...menu.querySelectorAll("*")].every(e => e.scrollHeight <= e.clientHeight + 1 || getComputedStyle(e).overflowY === "visible");
		})()`},
	{"the toolbar alone has the dates", "/monitors/{id}", `region "Volume"`, wide, "",
		`/^Times are in [\w\/]+\.$/.test([...document.querySelectorAll("#main p, #main .muted")].map(e => e.innerText).find(t => t.startsWith("Times are in")))`},
	{"wide intervals are explained", "/monitors/{id}", `region "Sentiment"`, wide, "",
		`document.querySelector("#main").innerText.includes("Ranges are wide because the models are not calibrated for this monitor")`},
	{"no sentiment leads among posts of one sentiment", "/monitors/{id}?filter=sentiment:negative", `region "Volume"`, wide, "",
		`!document.querySelector("#main .figures").innerText.includes("Dominant sentiment")`},
	{"the toolbar takes one row on a phone", "/monitors/{id}", `region "Volume"`, phone, "",
		`document.querySelector(".toolbar").offsetHeight < 60`},
	{"the tab of the page is in view on a phone", "/monitors/{id}/edit", `heading "Delete monitor"`, phone, "",
		`(() => { const b = document.querySelector(".tabs [aria-current=page]").getBoundingClientRect(); return b.left >= 0 && b.right <= innerWidth; })()`},
	{"deleting is apart from other actions", "/monitors/{id}/edit", `heading "Delete monitor"`, wide, "",
		`(() => { const b = [...document.querySelectorAll(".danger-zone button")]; return b.length === 1 && b[0].innerText === "Delete…"; })()`},
	{"nothing is said about pictures without objects", "/monitors/{id}/pictures", `.picture`, wide, "",
		`!/nothing/i.test(document.querySelector("#main").innerText)`},
	{"no closed network and no ethnicity", "/analysis", `checkbox "Gender"`, wide, "",
		`!/Google Plus|Ethnicity/.test(document.querySelector("#main").innerText)`},
	{"an empty comparison suggests rows", "/compare", `heading "Compare"`, wide, "",
		`[...document.querySelectorAll("[role=group] button")].some(b => b.innerText.includes("Morvessa"))`},
	{"a link to a monitor has no posts unless chosen", "/monitors/{id}", `region "Volume"`, wide, `button "Share"`,
		`[...document.querySelectorAll("dialog .check")].some(c => c.innerText === "Include posts and authors" && !c.querySelector("input").checked)`},
	{"choices are as wide as they need to be", "/marked", `heading "Marked posts"`, wide, "",
		`document.querySelector("#main .seg").offsetWidth < 400`},
	{"regions have names of their own", "/compare?m={id},{opinion}&range=lastweek", `region "What sets them apart"`, wide, "", uniqueRegions},
	{"regions of an explanation, too", "/monitors/{id}/why?range=lastweek", `region "Who drove it"`, wide, "", uniqueRegions},
	{"regions of an account, too", "/monitors/{page}/account", `region "Page likes"`, wide, "", uniqueRegions},
	{"an author opens with more days than the period, which is marked", "/monitors/{id}/why?range=lastweek", `region "Who drove it"`, wide, "",
		`[...document.querySelectorAll("a[href^='/author?']")].some(a => { const q = new URL(a.href).searchParams; return q.get("mark") && new Date(q.get("end")) - new Date(q.get("start")) === 30 * 86_400_000; })`},
	{"an annotation begins with one day of a long period", "/monitors/{id}", `region "Volume"`, wide, `button "Annotate"`,
		`(() => { const days = [...document.querySelectorAll("dialog input[type=date]")].map(i => i.value); return days.length === 2 && days[0] && days[0] === days[1]; })()`},
	{"dates of posts stay on one line", "/monitors/{page}/account", `region "Latest posts by the account: table"`, wide, "",
		`[...document.querySelectorAll("tbody td:first-child")].every(d => d.getClientRects().length === 1 && getComputedStyle(d).whiteSpace === "nowrap")`},
}

// uniqueRegions reports whether the names of regions differ, so that screen readers can list them.
const uniqueRegions = `(() => {
	const nameOf = e => e.ariaLabel ?? e.getAttribute("aria-labelledby")?.split(" ").map(id => document.getElementById(id)?.textContent).join(" ");
	const names = [...document.querySelectorAll("section, [role=region]")].map(nameOf).filter(Boolean);
	return names.length > 2 && new Set(names).size === names.length;
})()`

var (
	wide  = browsertest.Options{Width: 1440, Height: 900}
	phone = browsertest.Options{Width: 390, Height: 844}
)

func TestDetails(t *testing.T) {
	w := env(t)
	for _, d := range details {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			p := w.openPage(t, appPage{path: d.path, shows: d.shows}, d.screen)
			if d.click != "" {
				p.Click(d.click)
			}
			p.WaitUntil(d.right)
		})
	}
}
