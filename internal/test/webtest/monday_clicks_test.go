package webtest

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/demo"
	"earshot/internal/test/webtest/browsertest"
)

// Limits of Monday's job.
const (
	mondayClicks = 30
	mondayPages  = 7
)

var numberInPath = regexp.MustCompile(`/\d+`)

// A clerk does Monday's job and counts the kinds of pages.
type clerk struct {
	*testing.T
	p     *browsertest.Page
	pages []string
}

// see waits for an element and notes the kind of page: rules have one, whether they are listed or edited.
func (a *clerk) see(selector string) {
	a.Helper()
	a.p.WaitFor(selector)
	path, _, _ := strings.Cut(a.p.URL(), "?")
	path = strings.TrimSuffix(numberInPath.ReplaceAllString(path, "/N"), "/new")
	for _, list := range []string{"/signals/rules", "/signals/reports", "/dashboards"} {
		if strings.HasPrefix(path, list) {
			path = list
		}
	}
	if !slices.Contains(a.pages, path) {
		a.pages = append(a.pages, path)
	}
}

// TestMondayInAFewClicks does Monday's job as fast as the app allows: what happened, who drove it, a note, two
// corrections, a rule that a webhook hears from, a weekly report by mail with the competitor and a PDF, a
// comparison, and a dashboard.
//
// It runs before the parallel tests, because their monitors may have the same incident.
func TestMondayInAFewClicks(t *testing.T) {
	w := env(t)
	c, hook := w.client(t), startReceiver(t)
	channel, _ := c.addWebhook(w, hook)
	client, domain := uniqueName("Client "), strings.ReplaceAll(uniqueName("client"), " ", "")+".example"
	c.create("/manage/v1/channels", fields{"team": w.monitors[demo.Brand].Team, "kind": "email", "name": client, "recipients": []string{"ann@" + domain}})
	a := &clerk{T: t, p: w.signedIn(t, "/")}

	// What happened, and who drove it.
	incident := fmt.Sprintf(`.monitor-card a[href^="/monitors/%d/why"]`, w.monitors[demo.Brand].ID)
	a.see(incident)
	a.p.Click(incident)
	a.see(`region "Who drove it"`)
	for _, want := range []string{" times as many as usual", storyTag, "Nadia Keller", "Theo Marsh"} {
		if got := a.p.Text(`.happened`); !strings.Contains(got, want) {
			t.Errorf("the summary %q does not contain %q", got, want)
		}
	}
	if got := a.p.Text(`region "Who drove it"`); !strings.Contains(got, "Theo Marsh") {
		t.Errorf("who drove it: got %q", got)
	}

	// A note, and two corrections.
	note := uniqueName("The update locks the double shot ")
	a.p.Click(`region "Posts vs. expected" >> button "Annotate"`)
	a.p.Fill(`textbox "Text"`, note)
	a.p.Click(`dialog >> button "Save"`)
	waitForText(a.p, "Annotation added. Charts and reports show it.")
	a.p.Click(`region "What happened" >> link /^[\d,]+ posts$/`)
	a.see(`article`)
	for range 2 {
		a.p.Click(`.select:not(:checked)`)
	}
	a.p.Click(`region "Selected posts" >> button "Correct"`)
	a.p.Click(`group "Correct sentiment" >> button "Negative"`)
	waitForText(a.p, "Sentiment of 2 posts changed to Negative.")

	// A rule.
	a.p.Click(`button "More actions"`)
	a.p.Click(`link "New rule"`)
	a.see(`heading "New rule"`)
	a.p.Fill(`spinbutton "Limit"`, "1")
	a.p.Click(fmt.Sprintf(`group "Notify" >> checkbox "%s"`, channel))
	a.p.Click(`button "Save"`)
	a.see(`heading "Your rules"`)

	// A weekly report.
	report := uniqueName("Weekly for a client ")
	a.p.Click(`link "Reports"`)
	a.p.Click(`button "New report"`)
	a.see(`dialog "New report"`)
	a.p.Write(report)
	a.p.Type(`dialog >> combobox "Monitors"`, demo.Brand)
	a.p.Press("Enter")
	a.p.Click(fmt.Sprintf(`dialog >> group "Compare with" >> button /%s/`, demo.FirstRival))
	a.p.Type(`dialog >> combobox "Send to"`, client)
	a.p.Press("Enter")
	a.p.Click(`dialog >> button "Create"`)
	a.see(fmt.Sprintf(`heading "%s"`, report))
	t.Cleanup(func() { c.send("DELETE", fmt.Sprintf("/manage/v1/reports/%d", c.report(report).ID), nil, nil) })
	a.p.Click(`button "Send now"`)
	a.p.Click(`dialog >> button "Send now"`)

	// A comparison, and a dashboard.
	a.p.Click(`navigation "Main" >> link "Compare"`)
	a.see(`group "Compare with"`)
	a.p.Click(fmt.Sprintf(`group "Compare with" >> button /%s/`, demo.Brand))
	a.p.Click(fmt.Sprintf(`group "Compare with" >> button /%s/`, demo.FirstRival))
	waitTexts(a.p, `[aria-label="Totals: table"] tbody th`, demo.Brand, demo.FirstRival)
	a.see(`region "Totals"`)
	a.p.Click(`navigation "Main" >> link "Dashboards"`)
	a.p.Click(`button "New dashboard"`)
	a.p.Choose(`dialog >> combobox "Start with"`, "Charts of "+demo.Brand)
	a.p.Click(`dialog >> button "Create"`)
	a.see(fmt.Sprintf(`heading "%s dashboard"`, demo.Brand))
	board, _, _ := strings.Cut(a.p.URL(), "?")
	t.Cleanup(func() { c.send("DELETE", "/manage/v1"+board, nil, nil) })

	clicks := a.p.Clicks()
	t.Logf("%d clicks on %d pages: %s", clicks, len(a.pages), strings.Join(a.pages, ", "))
	if clicks > mondayClicks || len(a.pages) > mondayPages {
		t.Errorf("got %d clicks on %d pages, want at most %d on %d", clicks, len(a.pages), mondayClicks, mondayPages)
	}
	c.checkReceived(w, hook, domain, note)
}

// checkReceived waits for the signal of the rule and the mail with the report, and removes what the job
// left to others.
func (c *apiClient) checkReceived(w *environment, hook *receiver, domain, note string) {
	c.t.Helper()
	owner := earshot.NewCaller(w.app.Accounts.ListUsers()[0])
	w.app.Signals.Evaluate(context.Background())
	c.waitUntil("the webhook hears of the signal", func() bool { return len(hook.all()) > 0 })
	if got := hook.all()[0].body; !strings.Contains(got, `"type":"signal.`) || !strings.Contains(got, demo.Brand) {
		c.t.Errorf("got %s", got)
	}
	c.waitUntil("the report arrives", func() bool { return len(w.mail.to(domain)) > 0 })
	text := w.mail.to(domain)[0].text
	for _, want := range []string{"What happened", "application/pdf"} {
		if !strings.Contains(text, want) {
			c.t.Errorf("the mail lacks %q", want)
		}
	}
	for _, r := range w.app.Signals.Catalog.Rules.List() {
		if r.Monitor == w.monitors[demo.Brand].ID && r.Threshold.Value == 1 {
			w.app.Signals.RemoveRule(context.Background(), owner, r.ID)
		}
	}
	var list struct {
		Items []struct {
			ID   int64
			Text string
		}
	}
	c.get(fmt.Sprintf("/manage/v1/annotations?monitor=%d", w.monitors[demo.Brand].ID), &list)
	for _, item := range list.Items {
		if item.Text == note {
			c.send("DELETE", fmt.Sprintf("/manage/v1/annotations/%d", item.ID), nil, nil)
		}
	}
}
