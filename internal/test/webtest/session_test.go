package webtest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"earshot/internal/demo"
	"earshot/internal/test/webtest/browsertest"
)

// TestSessionEndsElsewhere ends the session while a page is in use, twice, and checks that the user
// can continue after signing in again.
func TestSessionEndsElsewhere(t *testing.T) {
	t.Parallel()
	w := env(t)
	user := uniqueName("wanderer")
	admin := w.client(t)
	admin.create("/manage/v1/users", fields{"username": user, "password": "far and wide", "apiAccess": true, "teams": []any{w.monitors[demo.Brand].Team}})
	admin.importPosts(threePosts(user)...)
	monitor := admin.addMonitor(w, fields{"name": user, "keywords": user}, 3)
	admin.waitMatched(monitor)
	p := w.open(t, browsertest.Options{})
	p.SignIn(user, "far and wide")
	p.Expect(401, "/")
	end := func() { w.clientFor(t, user, "far and wide").send("DELETE", "/manage/v1/tokens", nil, nil) }
	again := func() {
		t.Helper()
		p.WaitFor(`dialog "Sign in"`)
		waitForText(p, "Your session has ended. Sign in to pick up where you left off.")
		p.Press("Escape")
		p.WaitFor(`dialog "Sign in"`)
		if got := p.Value(`textbox "Username"`); got != user {
			t.Errorf("username in the dialog: got %q, want %q", got, user)
		}
		p.AxeInTurn()
		p.Fill(`textbox "Password"`, "far and wide")
		p.Press("Enter")
		p.WaitHidden(`dialog "Sign in"`)
	}

	p.Visit(fmt.Sprintf("/monitors/%d?filter=gender:F", monitor))
	p.WaitFor(`heading "Volume"`)
	settle(p)
	p.Click(`button /^Choose dates/`)
	p.WaitFor(`button "Last 7 days"`)
	end()
	clickBehind(p, "Last 7 days")
	again()
	p.WaitFor(`button /^Choose dates: Last 7 days/`)
	settle(p)
	address := p.URL()
	if !strings.HasPrefix(address, fmt.Sprintf("/monitors/%d?filter=gender", monitor)) {
		t.Errorf("unexpected URL %s", address)
	}
	var week struct{ Posts int }
	_, query, _ := strings.Cut(address, "?")
	admin.get(fmt.Sprintf("/manage/v1/monitors/%d/overview?parts=days&%s", monitor, query), &week)
	if got := parseNumber(t, p.Text(".figure")); got != week.Posts || got != 2 {
		t.Errorf("the page shows %d posts and the API %d, want 2", got, week.Posts)
	}

	p.Visit(fmt.Sprintf("/monitors/%d/edit", monitor))
	p.Fill(`textbox "Description"`, "Written before the end")
	p.WaitUntil(`document.querySelector(".preview [role=status]")`)
	settle(p)
	end()
	clickBehind(p, "Save changes")
	again()
	if got := p.Value(`textbox "Description"`); got != "Written before the end" {
		t.Errorf("unsaved description: got %q", got)
	}
	p.Click(`button "Save changes"`)
	waitForText(p, "Changes saved.")
	var saved struct{ Description string }
	admin.get(fmt.Sprintf("/manage/v1/monitors/%d", monitor), &saved)
	if saved.Description != "Written before the end" {
		t.Errorf("saved description: got %q", saved.Description)
	}
}

// clickBehind clicks a button even if a dialog already covers it: a request in the background may open the
// sign-in dialog first.
func clickBehind(p *browsertest.Page, text string) {
	p.Eval(fmt.Sprintf(`[...document.querySelectorAll("button")].find(b => b.textContent.trim() === %s).click()`, quoteJS(text)), nil)
}

// threePosts returns posts that contain a word, from one, two and ten days ago.
func threePosts(word string) (all []fields) {
	for _, days := range []int{1, 2, 10} {
		all = append(all, fields{"type": "Forums", "guid": fmt.Sprint(word, days), "date": time.Now().AddDate(0, 0, -days), "contents": word, "authorGender": "F"})
	}
	return all
}

// TestWithoutPermissions checks that the menu hides pages for which the user lacks permission, and
// that opening them by URL shows an explanation.
func TestWithoutPermissions(t *testing.T) {
	t.Parallel()
	w := env(t)
	user := uniqueName("onlooker")
	w.client(t).create("/manage/v1/users", fields{"username": user, "password": "looks only", "teams": []any{w.monitors[demo.Brand].Team}})
	p := w.open(t, browsertest.Options{})
	p.SignIn(user, "looks only")
	p.Visit("/")
	p.WaitFor(fmt.Sprintf(`link "%s"`, demo.Brand))
	if got, want := menu(p), []string{"Monitors", "Signals", "Dashboards", "Compare", "Ad hoc analysis", "Sources", "API", user}; !slices.Equal(got, want) {
		t.Errorf("menu: got %q, want %q", got, want)
	}
	const streams = "Reading streams requires the “Streams” permission. Ask an administrator for it."
	for path, want := range map[string]string{
		"/streams": streams, fmt.Sprintf("/streams/%d", w.stream.ID): streams,
		"/uploads":          "Uploads require the “Sources and uploads” permission. Ask an administrator for it.",
		"/admin":            "Only administrators can open this page.",
		"/admin?tab=status": "Only administrators can open this page.",
	} {
		p.Visit(path)
		p.WaitText("#main .notice", want)
		p.AxeInTurn()
	}
}
