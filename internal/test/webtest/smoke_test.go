package webtest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"earshot/internal/demo"
	"earshot/internal/test/testenv"
	"earshot/internal/test/webtest/browsertest"
)

// An appPage is a page of the app: its name, its path, and an element that exists once the page has
// loaded.
type appPage struct{ name, path, shows string }

// appPages lists the pages of the app. {id} stands for the brand's monitor, {opinion} for the
// opinion monitor, {page} for the monitor of the brand's page, {stream} for the stream, {source} for the
// live source Bluesky, {dashboard} for the dashboard.
var appPages = []appPage{
	{"signin", "/signin", `button "Sign in"`},
	{"home", "/", `link "Morvessa"`},
	{"monitor", "/monitors/{id}", `heading "Morvessa"`},
	{"opinion", "/monitors/{opinion}", `heading /Why people choose/`},
	{"posts", "/monitors/{id}/posts", `article`},
	{"pictures", "/monitors/{id}/pictures", `.picture`},
	{"socialaccount", "/monitors/{page}/account", `region "Page likes"`},
	{"author", "/author?name=MorvessaCoffee&source=Twitter", `heading "Activity"`},
	{"topics", "/monitors/{id}/topics", `heading "New and rising"`},
	{"why", "/monitors/{id}/why", `heading "Choose what to explain"`},
	{"new", "/monitors/new", `textbox /[Qq]uery|[Kk]eywords/`},
	{"edit", "/monitors/{id}/edit", `textbox /[Qq]uery|[Kk]eywords/`},
	{"train", "/monitors/{opinion}/train", `button /Taste/`},
	{"label", "/monitors/{id}/label", `button "Label 50 posts"`},
	{"dashboards", "/dashboards", `link "Morvessa weekly"`},
	{"dashboard", "/dashboards/{dashboard}", `region "Before the meeting"`},
	{"editdashboard", "/dashboards/{dashboard}?edit=1", `button "Add card"`},
	{"wall", "/dashboards/{dashboard}?wall=1", `button "Exit full screen"`},
	{"signals", "/signals", `heading "Signals"`},
	{"rules", "/signals/rules", `heading "Rules"`},
	{"channels", "/signals/channels", `heading "Channels"`},
	{"reports", "/signals/reports", `heading "Reports"`},
	{"marked", "/marked", `heading "Marked posts"`},
	{"compare", "/compare?m={id},{opinion}&range=lastweek&before=previous", `region "What sets them apart"`},
	{"streams", "/streams", `link /Coffee machines live/`},
	{"stream", "/streams/{stream}", `heading /Coffee machines live/`},
	{"analysis", "/analysis", `heading /[Aa]nalys/`},
	{"sources", "/sources", `link "Bluesky"`},
	{"newsource", "/sources/new", `link "Bluesky"`},
	{"addsource", "/sources/new?kind=hackernews", `heading "Add Hacker News"`},
	{"source", "/sources/{source}", `heading "Gaps"`},
	{"uploads", "/uploads", `heading "Uploads"`},
	{"admin", "/admin", `heading /[Aa]dmin/`},
	{"connect", "/connect", `heading /API/`},
	{"shares", "/shares", `heading "Share links"`},
	{"invitation", "/invitation", `heading "Invitation"`}, // of someone who is signed in
	{"account", "/account", `heading /[Aa]ccount/`},
}

// steadyPages are the pages with much data. They reserve its space, so that nothing moves under the
// pointer when it arrives.
var steadyPages = []string{"home", "monitor", "posts", "pictures", "topics", "dashboard", "edit"}

// pathOf returns the path of a page, with its variables replaced.
func (w *environment) pathOf(s appPage) string {
	path := strings.ReplaceAll(s.path, "{id}", fmt.Sprint(w.monitors[demo.Brand].ID))
	path = strings.ReplaceAll(path, "{opinion}", fmt.Sprint(w.monitors[demo.Reasons].ID))
	path = strings.ReplaceAll(path, "{page}", fmt.Sprint(w.monitors[demo.Brand+" on Facebook"].ID))
	path = strings.ReplaceAll(path, "{dashboard}", fmt.Sprint(w.dashboard.ID))
	path = strings.ReplaceAll(path, "{source}", fmt.Sprint(w.source.ID))
	return strings.ReplaceAll(path, "{stream}", fmt.Sprint(w.stream.ID))
}

// openPage opens a page and waits until it has loaded.
func (w *environment) openPage(t *testing.T, s appPage, o browsertest.Options) *browsertest.Page {
	t.Helper()
	p := w.open(t, o)
	if s.name != "signin" {
		p.SignIn(demo.Username, demo.Password)
	} else {
		p.Expect(401, "/manage/v1/session") // not signed in
	}
	p.Visit(w.pathOf(s))
	p.WaitFor(s.shows)
	settle(p)
	return p
}

// settle waits until no part of the page is loading.
func settle(p *browsertest.Page) {
	p.WaitUntil(`!document.querySelector("[aria-busy=true], .skeleton")`)
}

// TestEveryPage loads each page on a wide screen in light mode, and then switches to a phone in dark
// mode, or the other way around; the seed decides. Nothing may go wrong or be wider than the screen.
// The page must be accessible on the first screen; on the second one, that is checked in turn.
func TestEveryPage(t *testing.T) {
	w := env(t)
	for i, s := range appPages {
		screens := []browsertest.Options{{Width: 1440, Height: 900}, {Width: 390, Height: 844, Dark: true}}
		if (testenv.Seed()+uint64(i))%2 == 1 {
			slices.Reverse(screens)
		}
		t.Run(fmt.Sprintf("%s at %d first", s.name, screens[0].Width), func(t *testing.T) {
			t.Parallel()
			p := w.openPage(t, s, screens[0])
			if slices.Contains(steadyPages, s.name) {
				checkShift(t, p)
			}
			p.Axe()
			checkWidth(t, p)
			p.Emulate(screens[1])
			settle(p)
			p.AxeInTurn()
			checkWidth(t, p)
		})
	}
}

// checkWidth checks that the page is not wider than the screen.
func checkWidth(t *testing.T, p *browsertest.Page) {
	t.Helper()
	var wide string
	p.Eval(widestElement, &wide)
	if wide != "" {
		t.Errorf("the page is wider than the screen: %s", wide)
	}
}

// widestElement returns an element that makes the page wider than the window, or "".
const widestElement = `(() => {
	if (document.documentElement.scrollWidth <= innerWidth) return "";
	const out = [...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > innerWidth + 1);
	return document.documentElement.scrollWidth + " pixels; " + (out.at(-1)?.outerHTML.slice(0, 300) ?? "");
})()`
