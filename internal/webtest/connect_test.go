package webtest

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"earshot/internal/browsertest"
	"earshot/internal/demo"
)

// TestProgramsOfAPage takes a token and the commands from the page for programs, and runs them.
func TestProgramsOfAPage(t *testing.T) {
	t.Parallel()
	w := here(t)
	id := w.monitors[demo.Brand].ID
	p := w.signedIn(t, fmt.Sprintf("/monitors/%d?filter=gender:F|hashtag:coffee", id))
	p.WaitFor(`heading "Volume"`)
	p.Click(`link "API" >> .icon`)
	p.Visit(p.Address())
	p.Click(`button "Show a token"`)
	token, found := strings.CutPrefix(p.Text(`region "Your token" >> code`), "export TOKEN=")
	if !found {
		t.Fatalf("got the token %q", token)
	}
	c := &program{t: t, site: w.site, token: token}
	var session struct{ User struct{ Username string } }
	c.get("/manage/v1/session", &session)
	if session.User.Username != demo.Username {
		t.Errorf("the token is of %q", session.User.Username)
	}
	p.Axe()
	run(t, c, p, 8)
	p.Click(`button "Hide the token"`)
	p.WaitGone(`region "Your token" >> code`)

	opinion := w.monitors[demo.Reasons].ID
	for _, place := range []string{
		"/", fmt.Sprintf("/monitors/%d", id), fmt.Sprintf("/monitors/%d/posts", id), fmt.Sprintf("/monitors/%d/teach", opinion),
		fmt.Sprintf("/monitors/%d/edit", id), fmt.Sprintf("/compare?m=%d,%d", id, opinion), "/admin", "/analysis",
	} {
		p.Visit("/connect?for=" + escape(place))
		p.WaitFor(`link "Back to the page"`)
		settle(p)
		run(t, c, p, 7)
	}
}

// escape writes a text as a value of an address.
func escape(text string) string { return strings.NewReplacer("?", "%3F", "&", "%26", "=", "%3D", "/", "%2F").Replace(text) }

var command = regexp.MustCompile(`^curl (?:-o posts\.\w+ )?(-H "Authorization: Bearer \$TOKEN" )?'([^']+)'(?s: \\\n  -d '(.*)')?$`)

// run does what the commands on the page do, of which there are so many at least.
func run(t *testing.T, c *program, p *browsertest.Page, least int) {
	t.Helper()
	p.WaitFor(`region "Your monitors" >> code`)
	commands := p.Texts("#main ul .curl code")
	if len(commands) < least {
		t.Errorf("%s has %d commands, want %d or more: %q", p.Address(), len(commands), least, commands)
	}
	for _, text := range commands {
		m := command.FindStringSubmatch(text)
		if m == nil {
			t.Errorf("no command: %s", text)
			continue
		}
		method, want, by := "GET", 200, *c
		if m[3] != "" {
			method = "POST"
		}
		if m[1] == "" { // the one that gets a token
			m[3], by.token, want = strings.Replace(m[3], "…", demo.Password, 1), "", 201
		}
		if status, answer := by.ask(method, m[2], []byte(m[3])); status != want {
			t.Errorf("%s: got %d %.300s, want %d", text, status, answer, want)
		}
	}
}

// TestTokensForPrograms makes a permanent token anew, which ends the one before, and sees that
// someone without API access gets none.
func TestTokensForPrograms(t *testing.T) {
	t.Parallel()
	w := here(t)
	c := w.program(t)
	team := w.monitors[demo.Brand].Team
	c.make("/manage/v1/users", line{"username": "tokens", "password": "many of them", "apiAccess": true, "teams": []any{team}})
	c.make("/manage/v1/users", line{"username": "tokenless", "password": "none of them", "teams": []any{team}})

	p := w.open(t, browsertest.Options{})
	p.SignIn("tokens", "many of them")
	p.Visit("/connect")
	p.Click(`button "Permanent"`)
	p.Click(`button "Show a token"`)
	first := strings.TrimPrefix(p.Text(`region "Your token" >> code`), "export TOKEN=")
	works := func(token string) int {
		status, _ := (&program{t: t, token: token}).ask("GET", w.site+"/api/monitor/list", nil)
		return status
	}
	if got := works(first); got != 200 {
		t.Errorf("the permanent token: got %d", got)
	}
	p.Click(`button "Make a new permanent one"`)
	p.WaitFor(`dialog "Make a new permanent token?"`)
	p.Axe()
	p.Click(`button "Make a new one"`)
	p.WaitGone(`dialog "Make a new permanent token?"`)
	p.WaitUntil(fmt.Sprintf(`document.querySelector("pre[aria-label='Your token'] code").innerText !== %s`, quoted("export TOKEN="+first)))
	second := strings.TrimPrefix(p.Text(`region "Your token" >> code`), "export TOKEN=")
	if a, b := works(first), works(second); a != 401 || b != 200 {
		t.Errorf("the old token got %d and the new one %d, want 401 and 200", a, b)
	}

	other := w.open(t, browsertest.Options{})
	other.SignIn("tokenless", "none of them")
	other.Visit("/connect")
	waitSays(other, "You may use these pages, but no programs: that needs API access, which an administrator can give you.")
	if got := other.Count(`button "Show a token"`); got != 0 {
		t.Error("a token is offered without API access")
	}
	other.Axe()
}
