package webtest

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"earshot/internal/demo"
	"earshot/internal/test/webtest/browsertest"
)

// TestPageCalls runs the commands that the page API shows for other pages, with the token it shows.
func TestPageCalls(t *testing.T) {
	t.Parallel()
	w := env(t)
	id := w.monitors[demo.Brand].ID
	p := w.signedIn(t, fmt.Sprintf("/monitors/%d?filter=%s", id, url.QueryEscape("gender:F|hashtag:coffee")))
	p.WaitFor(`button /^Remove .*Female/`)
	p.Click(`.page-head a[href^="/connect?for="]`)
	p.Click(`button "Show token"`)
	token, found := strings.CutPrefix(p.Text(`region "Your token" >> code`), "export TOKEN=")
	if !found {
		t.Fatalf("got the token %q", token)
	}
	c := &apiClient{t: t, site: w.site, token: token}
	var session struct{ User struct{ Username string } }
	c.get("/manage/v1/session", &session)
	if session.User.Username != demo.Username {
		t.Errorf("the token is of %q", session.User.Username)
	}
	p.AxeInTurn()
	behind := `region "Calls behind the page you were viewing" >> pre code`
	runCommands(t, c, p.Texts(behind), 3)
	p.Click(`button "Hide token"`)
	p.WaitHidden(`region "Your token" >> code`)

	young := c.addMonitor(w, fields{"name": uniqueName("young"), "keywords": "youngling", "start": time.Now().UTC().AddDate(0, 0, -2).Format(time.DateOnly)}, 0)
	opinion := w.monitors[demo.Reasons].ID
	for path, minCommands := range map[string]int{
		"/streams": 1, fmt.Sprintf("/monitors/%d", id): 12, fmt.Sprintf("/monitors/%d/posts", young): 4, fmt.Sprintf("/monitors/%d", young): 12,
		fmt.Sprintf("/monitors/%d/posts", id): 4, fmt.Sprintf("/monitors/%d/train", opinion): 3,
		fmt.Sprintf("/monitors/%d/edit", id): 3, fmt.Sprintf("/compare?m=%d,%d", id, opinion): 2, "/admin": 4, "/analysis": 2, "/author?name=morvessacoffee&range=last7": 2,
	} {
		p.Visit("/connect?for=" + url.QueryEscape(path))
		p.WaitFor(behind)
		runCommands(t, c, p.Texts(behind), minCommands)
	}
}

// TestFirstCalls runs the first calls that the page API shows to a new user.
func TestFirstCalls(t *testing.T) {
	t.Parallel()
	w := env(t)
	c := w.client(t)
	user := uniqueName("beginner")
	team := c.create("/manage/v1/teams", fields{"name": user + "s"})
	c.create("/manage/v1/users", fields{"username": user, "password": demo.Password, "apiAccess": true, "teams": []any{team}})
	c.create("/manage/v1/monitors", fields{"name": "First steps", "team": team, "keywords": "beginner", "timezone": "Pacific/Honolulu"})
	p := w.open(t, browsertest.Options{})
	p.SignIn(user, demo.Password)
	p.Visit("/connect")
	p.WaitFor(`region "Your monitors" >> code`)
	waitForText(p, "For the monitor First steps.")
	runCommands(t, w.clientFor(t, user, demo.Password), p.Texts(`region "First calls" >> pre code`), 5)
}

var command = regexp.MustCompile(`^curl (?:-o posts\.\w+ )?(-H "Authorization: Bearer \$TOKEN" )?'([^']+)'(?s: \\\n  -d '(.*)')?$`)

// runCommands sends the requests of curl commands. There must be at least minCommands.
func runCommands(t *testing.T, c *apiClient, commands []string, minCommands int) {
	t.Helper()
	if len(commands) < minCommands {
		t.Errorf("got %d commands, want at least %d: %q", len(commands), minCommands, commands)
	}
	for _, text := range commands {
		m := command.FindStringSubmatch(text)
		if m == nil {
			t.Errorf("not a command: %s", text)
			continue
		}
		method, want, client := "GET", 200, *c
		if m[3] != "" {
			method = "POST"
		}
		if m[1] == "" { // the one that gets a token
			m[3], client.token, want = strings.Replace(m[3], "…", demo.Password, 1), "", 201
		}
		if status, answer := client.request(method, m[2], []byte(m[3])); status != want {
			t.Errorf("%s: got %d %.300s, want %d", text, status, answer, want)
		}
	}
}

// TestTokens replaces a permanent token, which revokes the old one, and checks that a user without
// API access gets no token.
func TestTokens(t *testing.T) {
	t.Parallel()
	w := env(t)
	c := w.client(t)
	team, with, without := w.monitors[demo.Brand].Team, uniqueName("tokens"), uniqueName("tokenless")
	c.create("/manage/v1/users", fields{"username": with, "password": "many of them", "apiAccess": true, "teams": []any{team}})
	c.create("/manage/v1/users", fields{"username": without, "password": "none of them", "teams": []any{team}})

	p := w.open(t, browsertest.Options{})
	p.SignIn(with, "many of them")
	p.Visit("/connect")
	p.Click(`button "Permanent"`)
	p.Click(`button "Show token"`)
	p.WaitFor(`dialog "Show the permanent token?"`)
	p.Expect(403, "/manage/v1/session/token")
	p.Fill(`textbox "Your password"`, "wrong")
	p.Click(`dialog "Show the permanent token?" >> button "Show token"`)
	waitForText(p, "The password is incorrect")
	p.Fill(`textbox "Your password"`, "many of them")
	p.Click(`dialog "Show the permanent token?" >> button "Show token"`)
	p.WaitHidden(`dialog "Show the permanent token?"`)
	first := strings.TrimPrefix(p.Text(`region "Your token" >> code`), "export TOKEN=")
	works := func(token string) int {
		status, _ := (&apiClient{t: t, token: token}).request("GET", w.site+"/api/monitor/list", nil)
		return status
	}
	if got := works(first); got != 200 {
		t.Errorf("the permanent token: got %d", got)
	}
	p.Click(`button "Replace permanent token"`)
	p.WaitFor(`dialog "Replace the permanent token?"`)
	p.AxeInTurn()
	p.Fill(`textbox "Your password"`, "many of them")
	p.Click(`button "Replace token"`)
	p.WaitHidden(`dialog "Replace the permanent token?"`)
	p.WaitUntil(fmt.Sprintf(`document.querySelector("pre[aria-label='Your token'] code").innerText !== %s`, quoteJS("export TOKEN="+first)))
	second := strings.TrimPrefix(p.Text(`region "Your token" >> code`), "export TOKEN=")
	if a, b := works(first), works(second); a != 401 || b != 200 {
		t.Errorf("the old token got %d and the new one %d, want 401 and 200", a, b)
	}

	other := w.open(t, browsertest.Options{})
	other.SignIn(without, "none of them")
	other.Visit("/connect")
	waitForText(other, "You can use the app, but not the API. Ask an administrator for API access to get a token for the calls below.")
	if got := other.Count(`button "Show token"`); got != 0 {
		t.Error("the page offers a token without API access")
	}
	other.AxeInTurn()
}
