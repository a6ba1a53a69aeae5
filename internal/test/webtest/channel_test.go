package webtest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"earshot/internal/demo"
	"earshot/internal/test/webtest/browsertest"
)

// A receiver is a server that channels send to.
type receiver struct {
	*httptest.Server
	mu       sync.Mutex // guards the fields below
	status   int        // of its responses
	received []received
}

// received is a request that a receiver got.
type received struct {
	path   string
	header http.Header
	body   string
}

// startReceiver starts a receiver that accepts everything.
func startReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{status: http.StatusOK}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, _ := io.ReadAll(q.Body) // a body that breaks off fails the comparison
		r.mu.Lock()
		defer r.mu.Unlock()
		r.received = append(r.received, received{q.URL.Path, q.Header, string(body)})
		w.WriteHeader(r.status)
		io.WriteString(w, "ok")
	}))
	t.Cleanup(r.Close)
	return r
}

// respond sets the status of further responses.
func (r *receiver) respond(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status = status
}

// all returns the requests so far.
func (r *receiver) all() []received {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]received(nil), r.received...)
}

// A channel is a channel as the API returns it.
type channel struct {
	ID                 int64
	Name, Kind, Target string
	Recipients         []string
	Template           string
	PerHour            int
	Enabled            bool
	DisabledReason     string
	LastError          string
	LastSent           string
	Revision           int64
}

// channels returns the channels, by name.
func (c *apiClient) channels() map[string]channel {
	c.t.Helper()
	var page struct{ Items []channel }
	c.get("/manage/v1/channels?limit=1000", &page)
	byName := map[string]channel{}
	for _, ch := range page.Items {
		byName[ch.Name] = ch
	}
	return byName
}

// row returns the selector of the row of a channel.
func channelRow(name string) string { return fmt.Sprintf(`article "%s"`, name) }

// TestChannelKinds adds a channel of each kind with the fields that it needs. The receiver gets the test
// message in the format of the service.
func TestChannelKinds(t *testing.T) {
	t.Parallel()
	w := env(t)
	c, r := w.client(t), startReceiver(t)
	p := w.signedIn(t, "/signals/channels")
	for _, kind := range []struct {
		name, title, field, path string
		at, format               string // path and a part of the request that only messages of this kind have
	}{
		{"slack", "Slack", "Webhook URL", "/services/T0/B0/secret-of-slack", "/services/T0/B0/secret-of-slack", `"blocks":`},
		{"teams", "Microsoft Teams", "Webhook URL", "/workflows/secret-of-teams", "/workflows/secret-of-teams", `"AdaptiveCard"`},
		{"discord", "Discord", "Webhook URL", "/api/webhooks/1/secret-of-discord", "/api/webhooks/1/secret-of-discord", `"embeds":`},
		{"ntfy", "ntfy", "Topic URL", "/secret-of-ntfy", "/", `"topic":"secret-of-ntfy"`},
		{"webhook", "Webhook", "URL", "/secret-of-webhook", "/secret-of-webhook", `"type":"channel.test"`},
	} {
		name := uniqueName(kind.title + " ")
		p.Click(`button "Add channel"`)
		p.WaitFor(`dialog "Add a channel"`)
		p.AxeInTurn()
		p.Click(fmt.Sprintf(`dialog >> button /^%s/`, kind.title))
		p.WaitFor(fmt.Sprintf(`dialog "Add %s"`, strings.Replace(kind.title, "Webhook", "a webhook", 1)))
		p.WaitUntil(`document.activeElement.labels?.[0]?.innerText === "Name"`)
		p.AxeInTurn()
		p.Fill(`textbox "Name"`, name)
		p.Fill(fmt.Sprintf(`textbox "%s"`, kind.field), r.URL+kind.path)
		p.Click(`dialog >> button "Add"`)
		p.WaitFor(fmt.Sprintf(`dialog "%s added"`, name))
		key := p.Count(`region "Signing key"`)
		if want := map[bool]int{true: 1}[kind.name == "webhook"]; key != want {
			t.Errorf("%s: got %d signing keys, want %d", kind.name, key, want)
		}
		before := len(r.all())
		p.Click(`button "Send a test message"`)
		waitForText(p, "The test message was delivered.")
		p.AxeInTurn()
		got := r.all()
		if len(got) != before+1 {
			t.Fatalf("%s: got %d requests, want 1", kind.name, len(got)-before)
		}
		if last := got[before]; last.path != kind.at || !strings.Contains(last.body, kind.format) {
			t.Errorf("%s: got %+v", kind.name, last)
		}
		p.Click(`button "Done"`)
		p.WaitText(channelRow(name)+` >> .badge`, "Working")
		ch := c.channels()[name]
		checkEqual(t, "kind and target", ch.Kind+" "+ch.Target, kind.name+" "+strings.TrimPrefix(r.URL, "http://"))
		if shown := p.Text(channelRow(name)); strings.Contains(shown, "secret-of") {
			t.Errorf("%s: the page shows the secret: %s", kind.name, shown)
		}
	}
}

// addChannel adds a webhook that sends to a receiver, and returns its name and ID.
func (c *apiClient) addWebhook(w *environment, r *receiver) (name string, id int64) {
	c.t.Helper()
	name = uniqueName("Tickets ")
	return name, c.create("/manage/v1/channels", fields{"team": w.monitors[demo.Brand].Team, "kind": "webhook", "name": name, "url": r.URL + "/secret-of-webhook"})
}

// TestEmailChannel adds an email channel. A test message reaches every recipient.
func TestEmailChannel(t *testing.T) {
	t.Parallel()
	w := env(t)
	c := w.client(t)
	p := w.signedIn(t, "/signals/channels?new=1")
	p.Click(`dialog >> button /^Email/`)
	p.WaitFor(`dialog "Add Email"`)
	name, domain := uniqueName("Press "), strings.ReplaceAll(uniqueName("d"), " ", "")+".example"
	p.Fill(`textbox "Name"`, name)
	p.Expect(400, "/manage/v1/channels")
	p.Fill(`textbox "Recipients"`, "not an address")
	p.Click(`dialog >> button "Add"`)
	waitForText(p, "'not' is not an email address")
	p.AxeInTurn()
	p.Fill(`textbox "Recipients"`, "ann@"+domain+", bob@"+domain)
	p.Click(`dialog >> button "Add"`)
	p.WaitFor(fmt.Sprintf(`dialog "%s added"`, name))
	p.Click(`button "Send a test message"`)
	waitForText(p, "The test message was delivered.")
	checkEqual(t, "recipients of the test message", w.mail.recipients(domain), []string{"ann@" + domain, "bob@" + domain})
	checkEqual(t, "recipients of the channel", c.channels()[name].Recipients, []string{"ann@" + domain, "bob@" + domain})
}

// TestEmailNotSetUp checks that the form says what to do if the server cannot send email.
func TestEmailNotSetUp(t *testing.T) {
	w := env(t)
	site, _ := startFresh(t)
	p := w.browser.Open(t, browsertest.Options{Site: site, Width: 390, Height: 844, Dark: true})
	p.SignIn("ann", "far and wide")
	p.Visit("/signals/channels")
	p.WaitFor(`heading "No channels yet"`)
	p.AxeInTurn()
	p.Click(`button "Add channel"`)
	p.WaitFor(`dialog >> button /^Slack/`)
	waitForText(p, "an administrator has to set smtp.address and smtp.from")
	p.WaitUntil(`[...document.querySelectorAll("dialog .channel-kind")].filter(b => b.disabled).length === 1`)
	p.AxeInTurn()
}

// TestChannelFails checks that the list, the log and the test say in words why messages do not arrive,
// and that they can be sent again.
func TestChannelFails(t *testing.T) {
	t.Parallel()
	w := env(t)
	c, r := w.client(t), startReceiver(t)
	name, id := c.addWebhook(w, r)
	r.respond(http.StatusInternalServerError)
	p := w.signedIn(t, "/signals/channels")
	row := channelRow(name)
	p.WaitText(row+` >> .badge`, "Not used yet")

	p.Click(fmt.Sprintf(`button "Test %s"`, name))
	p.WaitFor(row + ` >> .notice`)
	reason := c.channels()[name].LastError
	if reason == "" || !strings.Contains(reason, "500") {
		t.Fatalf("got the reason %q", reason)
	}
	p.WaitUntil(fmt.Sprintf(`document.querySelector(".channel-row .notice").innerText.startsWith("Not delivered. ") && document.querySelector(".channel-row .notice").innerText.includes(%s)`, quoteJS(reason[1:])))
	p.WaitText(row+` >> .badge`, "Failing")
	p.AxeInTurn()

	p.Click(fmt.Sprintf(`button "Delivery log of %s"`, name))
	p.WaitFor(fmt.Sprintf(`dialog "Delivery log of %s"`, name))
	log := rows(p, "Delivery log of "+name)
	if len(log) != 1 || !strings.Contains(log[0][2], "Failed") || !strings.Contains(log[0][2], "1 attempt") || !strings.Contains(log[0][2], reason[1:]) {
		t.Errorf("got the log %q", log)
	}
	p.AxeInTurn()
	checkEqual(t, "address of the log", p.URL(), fmt.Sprintf("/signals/channels?log=%d", id))
	r.respond(http.StatusOK)
	p.Click(`button /^Send again: /`)
	p.WaitUntil(`document.querySelector("dialog tbody .badge")?.innerText === "Delivered"`)
	p.Press("Escape")
	p.WaitHidden(`dialog`)
	p.WaitText(row+` >> .badge`, "Working")
	if got := r.all(); len(got) != 2 || got[0].header.Get("Webhook-Id") != got[1].header.Get("Webhook-Id") {
		t.Errorf("got %d requests, want two with the same ID", len(got))
	}
}

// TestManageChannel edits, disables, enables and removes a channel, and gives it another signing key.
func TestManageChannel(t *testing.T) {
	t.Parallel()
	w := env(t)
	c, r := w.client(t), startReceiver(t)
	name, id := c.addWebhook(w, r)
	p := w.signedIn(t, "/signals/channels")
	row, menu := channelRow(name), fmt.Sprintf(`button "Actions for %s"`, name)
	p.WaitFor(row)

	// A form does not overwrite what a colleague has changed in the meantime.
	p.Click(menu)
	p.Click(`button "Edit"`)
	p.WaitFor(fmt.Sprintf(`dialog "Edit %s"`, name))
	checkEqual(t, "URL in the form", p.Value(`textbox "New URL"`), "")
	p.AxeInTurn()
	c.send("PATCH", fmt.Sprintf("/manage/v1/channels/%d", id), fields{"perHour": 30, "enabled": false}, nil)
	waitForText(p, "Disabled") // the list below the form is up to date
	p.Expect(409, "/manage/v1/channels/")
	p.Click(`dialog details summary`)
	p.Fill(`spinbutton "Messages per hour, at most"`, "20")
	p.Click(`dialog >> button "Save"`)
	waitForText(p, "has changed the channel in the meantime")
	p.Click(`button "Cancel"`)
	c.send("PATCH", fmt.Sprintf("/manage/v1/channels/%d", id), fields{"enabled": true}, nil)
	c.waitUntil("the list has the change", func() bool { return c.channels()[name].PerHour == 30 && c.channels()[name].Enabled })
	p.Reload()
	p.Click(menu)
	p.Click(`button "Edit"`)
	name += " 2"
	row, menu = channelRow(name), fmt.Sprintf(`button "Actions for %s"`, name)
	p.Fill(`textbox "Name"`, name)
	p.Click(`dialog >> button "Save"`)
	p.WaitFor(row)
	p.WaitHidden(`dialog`)
	if ch := c.channels()[name]; ch.PerHour != 30 || ch.Target != strings.TrimPrefix(r.URL, "http://") {
		t.Errorf("got %+v, want the same limit and target as before", ch)
	}

	p.Click(menu)
	p.Click(`button "Disable"`)
	p.WaitText(row+` >> .badge`, "Disabled")
	checkEqual(t, "the channel is enabled", c.channels()[name].Enabled, false)
	p.Click(menu)
	p.Click(`button "Enable"`)
	p.WaitText(row+` >> .badge`, "Not used yet")

	p.Click(menu)
	p.Click(`button "New signing key…"`)
	p.Click(`dialog >> button "Create key"`)
	p.WaitFor(`dialog "New signing key"`)
	if key := p.Text(`region "Signing key"`); !strings.HasPrefix(key, "whsec_") {
		t.Errorf("got the key %q", key)
	}
	p.AxeInTurn()
	p.Click(`button "Done"`)
	p.WaitHidden(`dialog`)
	p.Click(fmt.Sprintf(`button "Test %s"`, name))
	waitForText(p, "The test message was delivered.")
	if signatures := strings.Fields(r.all()[0].header.Get("Webhook-Signature")); len(signatures) != 2 {
		t.Errorf("got the signatures %q, want those of the old and the new key", signatures)
	}

	p.Click(menu)
	p.Click(`button "Remove…"`)
	p.Click(`dialog >> button "Remove channel"`)
	p.WaitHidden(`dialog`)
	p.WaitHidden(row)
	if _, ok := c.channels()[name]; ok {
		t.Error("the channel still exists")
	}
}

// TestChannelTemplate writes a message of its own. The preview follows, and names mistakes.
func TestChannelTemplate(t *testing.T) {
	t.Parallel()
	w := env(t)
	c, r := w.client(t), startReceiver(t)
	p := w.signedIn(t, "/signals/channels?new=1")
	p.Click(`dialog >> button /^Discord/`)
	name := uniqueName("Alerts ")
	p.Fill(`textbox "Name"`, name)
	p.Fill(`textbox "Webhook URL"`, r.URL+"/api/webhooks/1/secret")
	p.Click(`dialog details summary`)
	p.Click(`button "Title"`)
	p.Type(`textbox "Text of the message"`, " – {{.Severity}}")
	p.WaitUntil(`/^Coffee: .* – warning$/.test(document.querySelector(".template-preview")?.innerText.trim() ?? "")`)
	p.AxeInTurn()
	p.Expect(400, "/manage/v1/channels/template")
	p.Fill(`textbox "Text of the message"`, "{{.Nothing}}")
	p.WaitUntil(`document.querySelector("dialog [role=alert]")?.innerText.includes("Nothing")`)
	p.Fill(`textbox "Text of the message"`, "Look: {{.Title}}")
	p.WaitUntil(`document.querySelector(".template-preview")?.innerText.startsWith("Look: Coffee")`)
	p.Click(`dialog >> button "Add"`)
	p.Click(`button "Send a test message"`)
	waitForText(p, "The test message was delivered.")
	if got := r.all(); len(got) != 1 || !strings.Contains(got[0].body, "Look: ") {
		t.Errorf("got %+v", got)
	}
	checkEqual(t, "template", c.channels()[name].Template, "Look: {{.Title}}")
}

// TestChannelByKeyboard adds a channel without a mouse.
func TestChannelByKeyboard(t *testing.T) {
	t.Parallel()
	w := env(t)
	c, r := w.client(t), startReceiver(t)
	c.addWebhook(w, r) // so that the page has a list
	p := w.signedIn(t, "/signals/channels")
	p.WaitFor(`button "Add channel"`)
	k := keyboardUser{t, p}
	k.tabTo("Add channel")
	p.Press("Enter")
	p.WaitFor(`dialog >> button /^Slack/`)
	k.tabTo("Slack To a Slack channel")
	p.Press("Enter")
	p.WaitUntil(`document.activeElement.labels?.[0]?.innerText === "Name"`)
	name := uniqueName("Keys ")
	p.Write(name)
	k.tabTo("Webhook URL")
	p.Write(r.URL + "/services/T0/B0/secret")
	p.Press("Enter")
	p.WaitFor(fmt.Sprintf(`dialog "%s added"`, name))
	k.tabTo("Send a test message")
	p.Press("Enter")
	waitForText(p, "The test message was delivered.")
	p.Press("Escape")
	p.WaitHidden(`dialog`)
	p.WaitText(channelRow(name)+` >> .badge`, "Working")
}
