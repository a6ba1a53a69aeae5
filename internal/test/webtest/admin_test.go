package webtest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"earshot/internal/demo"
	"earshot/internal/test/webtest/browsertest"
)

// menu returns the entries of the main menu.
func menu(p *browsertest.Page) []string { return p.Texts(`navigation "Main" >> a.nav`) }

// TestAdministration creates a team and a user, who signs in and sees only the monitors of the team.
func TestAdministration(t *testing.T) {
	t.Parallel()
	w := env(t)
	c := w.client(t)
	team, user := uniqueName("Pemberley"), uniqueName("lizzy")
	p := w.signedIn(t, "/admin")
	p.Click(`button "New team"`)
	p.Fill(`textbox "Name"`, team)
	p.Fill(`spinbutton "Monitor limit"`, "3")
	p.AxeInTurn()
	p.Click(`button "Create"`)
	waitForText(p, "Created "+team+". You are a member.")
	p.WaitUntil(hasRow("List of teams", team, "1", "3"))
	c.create("/manage/v1/monitors", fields{"name": team + " only", "team": idOf(t, c, "/manage/v1/teams", team), "keywords": team})

	p.Click(`link "Users"`)
	p.Click(`button "New user"`)
	p.Fill(`textbox "Username"`, user)
	p.WaitUntil(`/^[a-zA-Z0-9]{5}(-[a-zA-Z0-9]{5}){3}$/.test(document.querySelector("dialog input.mono").value)`)
	password := p.Value(`textbox "Password"`)
	p.Fill(`textbox "First name"`, "Elizabeth")
	p.Fill(`textbox "Email"`, "lizzy@pemberley.example")
	p.Fill(`combobox "Teams"`, strings.ToLower(team))
	p.WaitFor(fmt.Sprintf(`option "%s"`, team))
	p.Press("Enter") // closes the list, too
	p.Click(`checkbox /^Sources and uploads/`)
	p.AxeInTurn()
	p.Click(`button "Create"`)
	waitForText(p, "Created "+user+".")
	p.Fill(`searchbox "Find a user"`, strings.ToUpper(user))
	checkRows(t, "users", rows(p, "List of users"), [][]string{{user, "Elizabeth\nlizzy@pemberley.example", team, "Sources and uploads", "EditPasswordDelete"}})
	p.AxeInTurn()

	checkNewUser(t, w, team, user, password)
	p.Click(fmt.Sprintf(`button "Delete %s"`, user))
	p.Click(`button "Delete user"`)
	waitForText(p, "No matching users.")
	status, _ := c.request("POST", w.site+"/manage/v1/session", []byte(quoteJS(map[string]string{"username": user, "password": password})))
	if status != 401 {
		t.Errorf("the deleted user can sign in: %d", status)
	}
	p.Click(`link "Teams"`)
	p.Click(fmt.Sprintf(`button "Delete %s"`, team))
	p.Click(`button "Delete team"`)
	p.Expect(409, "/manage/v1/teams/")
	p.Expect(400, "/manage/v1/teams/")
	p.WaitFor(`dialog [role=alert]`) // the team has a monitor
	p.AxeInTurn()
}

// checkNewUser signs in as the new user, who has to choose a password first.
func checkNewUser(t *testing.T, w *environment, team, user, password string) {
	t.Helper()
	p := w.open(t, browsertest.Options{})
	p.Expect(401, "/manage/v1/session")
	p.Visit("/")
	p.Fill(`textbox "Username"`, user)
	p.Fill(`textbox "Password"`, password)
	p.Press("Enter")
	p.WaitFor(`heading "Choose a password"`)
	p.AxeInTurn()
	p.Expect(400, "/manage/v1/session/password")
	choose := func(next string) {
		p.Fill(`textbox "Temporary password"`, password)
		p.Fill(`textbox "New password"`, next)
		p.Fill(`textbox "Confirm new password"`, next)
		p.Press("Enter")
	}
	choose(password)
	waitForText(p, "Password must not be the old one")
	choose("pride and prejudice")
	p.WaitFor(fmt.Sprintf(`link "%s only"`, team))
	if got := p.Texts("article h2"); !slices.Equal(got, []string{team + " only"}) {
		t.Errorf("the user sees %q", got)
	}
	if got, want := menu(p), []string{"Monitors", "Signals", "Dashboards", "Compare", "Ad hoc analysis", "Sources", "Uploads", "API", user}; !slices.Equal(got, want) {
		t.Errorf("the menu has %q, want %q", got, want)
	}
	p.Expect(404, "/manage/v1/monitors/")
	p.Visit(fmt.Sprintf("/monitors/%d", w.monitors[demo.Brand].ID))
	p.WaitFor(`[role=alert]`)
	if got := p.Text("[role=alert]"); !strings.HasSuffix(got, "It may have been deleted, or you may not have access to it.") {
		t.Errorf("a monitor of another team: %q", got)
	}
}

// hasRow returns a JavaScript expression that reports whether a table has a row that starts with cells.
func hasRow(region string, cells ...string) string {
	return fmt.Sprintf(`[...document.querySelectorAll("[aria-label=%s] tbody tr")].some(r => JSON.stringify([...r.cells].slice(0, %d).map(c => c.innerText)) === JSON.stringify(%s))`,
		strings.ReplaceAll(quoteJS(region), `"`, `'`), len(cells), quoteJS(cells))
}

// idOf returns the id of the item with a name in a list.
func idOf(t *testing.T, c *apiClient, path, name string) int64 {
	t.Helper()
	var list struct {
		Items []struct {
			ID   int64
			Name string
		}
	}
	c.get(path+"?limit=1000", &list)
	for _, x := range list.Items {
		if x.Name == name {
			return x.ID
		}
	}
	t.Fatalf("%s has no %s", path, name)
	return 0
}

// TestContractAndStatus changes the limits of the contract and compares the status page with the API.
func TestContractAndStatus(t *testing.T) {
	t.Parallel()
	w := env(t)
	c := w.client(t)
	t.Cleanup(func() {
		status, answer := c.request("PUT", w.site+"/manage/v1/contract", []byte(`{}`))
		if status != 200 {
			t.Errorf("the contract was not restored: %d %s", status, answer)
		}
	})
	p := w.signedIn(t, "/admin?tab=contract")
	p.Fill(`spinbutton "Documents per 24 hours"`, "7000000") // more than any test uploads
	p.Fill(`spinbutton "Analyses per year"`, "8000000")
	p.Fill(`#main [type=date]`, "2026-04-01")
	p.Click(`button "Save limits"`)
	p.WaitFor(`progressbar "Documents uploaded in the last 24 hours"`)
	waitForText(p, "of 7,000,000")
	waitForText(p, "of 8,000,000")
	p.WaitFor(`progressbar "Analyses since Apr 1, 2026"`)
	p.AxeInTurn()
	var contract struct {
		DocumentsPerDay, QueriesPerYear int
		PeriodStart                     string
	}
	c.get("/manage/v1/contract", &contract)
	if contract.DocumentsPerDay != 7_000_000 || contract.QueriesPerYear != 8_000_000 || contract.PeriodStart != "2026-04-01" {
		t.Errorf("got the contract %+v", contract)
	}

	before := statusOf(c)
	p.Click(`link "Status"`)
	p.WaitFor(`region "Service"`)
	ingested := p.Texts(".figures .figure")[2]
	version := p.Text(`region "Service" >> dd`)
	p.AxeInTurn()
	after := statusOf(c)
	if got := parseNumber(t, ingested); got < before.Pipeline.Posts || got > after.Pipeline.Posts {
		t.Errorf("the page shows %d ingested posts, want between %d and %d", got, before.Pipeline.Posts, after.Pipeline.Posts)
	}
	if want := "test " + before.Version.Go; !strings.HasPrefix(version, "test") || !strings.HasSuffix(version, before.Version.Go) {
		t.Errorf("the page shows version %q, want %q", version, want)
	}
}

type serviceStatus struct {
	Version  struct{ Go string }
	Pipeline struct{ Posts int }
}

func statusOf(c *apiClient) (s serviceStatus) {
	c.get("/manage/v1/status", &s)
	return s
}

// parseNumber parses a number as the pages format it, for example 1,234.
func parseNumber(t *testing.T, text string) (n int) {
	t.Helper()
	if _, err := fmt.Sscan(strings.ReplaceAll(text, ",", ""), &n); err != nil {
		t.Errorf("%q is not a number", text)
	}
	return n
}
