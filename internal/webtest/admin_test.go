package webtest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"earshot/internal/demo"
	"earshot/internal/webtest/browsertest"
)

// menu returns where the menu of a page leads.
func menu(p *browsertest.Page) []string { return p.Texts(`navigation "Main" >> a.nav`) }

// TestAdministration makes a team and a user, who signs in and sees the team's monitors only.
func TestAdministration(t *testing.T) {
	t.Parallel()
	w := env(t)
	c := w.client(t)
	team, user := uniqueName("Pemberley"), uniqueName("lizzy")
	p := w.signedIn(t, "/admin")
	p.Click(`button "New team"`)
	p.Fill(`textbox "Name"`, team)
	p.Fill(`spinbutton "Monitors allowed"`, "3")
	p.Axe()
	p.Click(`button "Create"`)
	waitForText(p, team+" is created, and you belong to it.")
	p.WaitUntil(hasRow("List of teams", team, "1", "3"))
	c.create("/manage/v1/monitors", fields{"name": team + " only", "team": idOf(t, c, "/manage/v1/teams", team), "keywords": team})

	p.Click(`link "Users"`)
	p.Click(`button "New user"`)
	p.Fill(`textbox "User name"`, user)
	p.Click(`button "Make one up"`)
	p.WaitUntil(`/^[a-zA-Z0-9]{5}(-[a-zA-Z0-9]{5}){3}$/.test(document.querySelector("dialog input.mono").value)`)
	password := p.Value(`textbox "Password"`)
	p.Fill(`textbox "First name"`, "Elizabeth")
	p.Fill(`textbox "E-mail"`, "lizzy@pemberley.example")
	p.Fill(`combobox "Teams"`, strings.ToLower(team))
	p.WaitFor(fmt.Sprintf(`option "%s"`, team))
	p.Press("Enter")
	p.Press("Escape") // closes the list, not the dialog
	p.Click(`checkbox /^Own content/`)
	p.Axe()
	p.Click(`button "Create"`)
	waitForText(p, user+" is created.")
	p.Fill(`searchbox "Find a user"`, strings.ToUpper(user))
	checkRows(t, "users", rows(p, "List of users"), [][]string{{user, "Elizabeth\nlizzy@pemberley.example", team, "Own content", "EditPasswordDelete"}})
	p.Axe()

	checkNewUser(t, w, team, user, password)
	p.Click(fmt.Sprintf(`button "Delete %s"`, user))
	p.Click(`button "Delete the user"`)
	waitForText(p, "Nobody is called that.")
	status, _ := c.request("POST", w.site+"/manage/v1/session", []byte(quoteJS(map[string]string{"username": user, "password": password})))
	if status != 401 {
		t.Errorf("the deleted user signs in: %d", status)
	}
	p.Click(`link "Teams"`)
	p.Click(fmt.Sprintf(`button "Delete %s"`, team))
	p.Click(`button "Delete the team"`)
	p.Expect(409, "/manage/v1/teams/")
	p.Expect(400, "/manage/v1/teams/")
	p.WaitFor(`dialog [role=alert]`) // it has a monitor
	p.Axe()
}

// checkNewUser signs in as the user that was made.
func checkNewUser(t *testing.T, w *environment, team, user, password string) {
	t.Helper()
	p := w.open(t, browsertest.Options{})
	p.Expect(401, "/manage/v1/session")
	p.Visit("/")
	p.Fill(`textbox "User name"`, user)
	p.Fill(`textbox "Password"`, password)
	p.Press("Enter")
	p.WaitFor(fmt.Sprintf(`link "%s only"`, team))
	if got := p.Texts("article h2"); !slices.Equal(got, []string{team + " only"}) {
		t.Errorf("the user sees %q", got)
	}
	if got, want := menu(p), []string{"Monitors", "Compare", "Analysis", "Own content", "API", user}; !slices.Equal(got, want) {
		t.Errorf("the menu has %q, want %q", got, want)
	}
	p.Expect(404, "/manage/v1/monitors/")
	p.Visit(fmt.Sprintf("/monitors/%d", w.monitors[demo.Brand].ID))
	p.WaitFor(`[role=alert]`)
	if got := p.Text("[role=alert]"); !strings.HasSuffix(got, "It may have been deleted, or belong to a team that is not yours.") {
		t.Errorf("a monitor of others: %q", got)
	}
}

// hasRow tells, in JavaScript, whether a table has a row that begins with such cells.
func hasRow(region string, cells ...string) string {
	return fmt.Sprintf(`[...document.querySelectorAll("[aria-label=%s] tbody tr")].some(r => JSON.stringify([...r.cells].slice(0, %d).map(c => c.innerText)) === JSON.stringify(%s))`,
		strings.ReplaceAll(quoteJS(region), `"`, `'`), len(cells), quoteJS(cells))
}

// idOf returns the id of the thing of a list that has a name.
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

// TestContractAndStatus changes what is allowed, and compares the status with the interface's.
func TestContractAndStatus(t *testing.T) {
	t.Parallel()
	w := env(t)
	c := w.client(t)
	t.Cleanup(func() {
		status, answer := c.request("PUT", w.site+"/manage/v1/contract", []byte(`{}`))
		if status != 200 {
			t.Errorf("the contract stays changed: %d %s", status, answer)
		}
	})
	p := w.signedIn(t, "/admin?tab=contract")
	p.Fill(`spinbutton "Documents in 24 hours"`, "7000000") // more than any test uploads
	p.Fill(`spinbutton "Analyses in a year"`, "8000000")
	p.Fill(`#main [type=date]`, "2026-04-01")
	p.Click(`button "Save the contract"`)
	p.WaitFor(`progressbar "Documents uploaded in the last 24 hours"`)
	waitForText(p, "of 7,000,000")
	waitForText(p, "of 8,000,000")
	p.WaitFor(`progressbar "Analyses since 1 Apr 2026"`)
	p.Axe()
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
	p.WaitFor(`region "Program"`)
	taken := p.Texts(".figures .figure")[2]
	version := p.Text(`region "Program" >> dd`)
	p.Axe()
	after := statusOf(c)
	if got := parseNumber(t, taken); got < before.Pipeline.Posts || got > after.Pipeline.Posts {
		t.Errorf("the page says that %d posts were taken in; they were %d before and %d after", got, before.Pipeline.Posts, after.Pipeline.Posts)
	}
	if want := "test " + before.Version.Go; !strings.HasPrefix(version, "test") || !strings.HasSuffix(version, before.Version.Go) {
		t.Errorf("the page says version %q, want %q", version, want)
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

// parseNumber reads a number as pages write it: 1,234.
func parseNumber(t *testing.T, text string) (n int) {
	t.Helper()
	if _, err := fmt.Sscan(strings.ReplaceAll(text, ",", ""), &n); err != nil {
		t.Errorf("%q is no number", text)
	}
	return n
}
