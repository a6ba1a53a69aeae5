package webtest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"earshot"
	"earshot/internal/demo"
	"earshot/internal/notify/signal"
	"earshot/internal/report/format"
)

// removeRules removes the rules with some names when the test ends.
func removeRules(t *testing.T, w *environment, names ...string) {
	owner := earshot.NewCaller(w.app.Accounts.ListUsers()[0])
	t.Cleanup(func() {
		for _, name := range names {
			if r := findRule(w, name); r != nil {
				w.app.Signals.RemoveRule(context.Background(), owner, r.ID)
			}
		}
	})
}

// findRule returns the rule with a name, or nil.
func findRule(w *environment, name string) *earshot.Rule {
	for _, r := range w.app.Signals.Catalog.Rules.List() {
		if r.Name == name {
			return r
		}
	}
	return nil
}

// TestThresholdRule creates a rule with a limit, sees how often it would have raised a signal, mutes it,
// and deletes it.
func TestThresholdRule(t *testing.T) {
	t.Parallel()
	w := env(t)
	removeRules(t, w, "Busy days")
	outlook, err := w.app.Signals.Outlook(t.Context(), w.monitors[demo.Brand])
	if err != nil {
		t.Fatal(err)
	}
	limit := format.Number(int64(outlook.Limit))
	p := w.signedIn(t, "/signals/rules")
	p.WaitFor(`heading "Your rules"`)
	p.Click(`main header >> link "New rule"`)
	p.WaitFor(`heading "New rule"`)
	p.Choose(`combobox "Monitor"`, demo.Brand)
	waitForText(p, fmt.Sprintf("Tell me when the number of posts in %s is above %s in the last 24 hours.", demo.Brand, limit))
	p.Fill(`spinbutton "Limit"`, "100000")
	waitForText(p, fmt.Sprintf("Tell me when the number of posts in %s is above 100,000 in the last 24 hours.", demo.Brand))
	waitForText(p, "This rule would not have raised a signal in the last 30 days.")
	p.Fill(`spinbutton "Limit"`, "1")
	waitForText(p, "would have been on almost all the time")
	p.Click(`group "Watch" >> button "At certain hours"`)
	p.Click(`group "Days" >> button "Fri"`)
	p.Choose(`combobox "Don't repeat for"`, "6 hours")
	p.Click(`group "Severity" >> button "Critical"`)
	p.Fill(`textbox "Name"`, "Busy days")
	p.AxeInTurn()
	p.Click(`button "Save"`)
	p.WaitFor(`link "Busy days"`)
	r := findRule(w, "Busy days")
	want := earshot.Threshold{Metric: earshot.PostsMetric, Value: 1, Window: 24 * time.Hour}
	if r == nil || r.Monitor != w.monitors[demo.Brand].ID || r.Threshold != want || r.Severity != earshot.Critical || r.CoolDown != 6*time.Hour || len(r.Active) != 1 || len(r.Active[0].Days) != 4 {
		t.Fatalf("got rule %+v", r)
	}

	p.Click(`button "Actions for Busy days"`)
	p.Click(`button "1 day"`)
	waitForText(p, "Muted until")
	p.Click(`switch "Busy days on"`)
	waitForText(p, "Off")
	if r = findRule(w, "Busy days"); !r.Disabled || r.MutedUntil.Before(time.Now().Add(23*time.Hour)) {
		t.Errorf("got disabled %v and muted until %v", r.Disabled, r.MutedUntil)
	}
	p.Click(`button "Actions for Busy days"`)
	p.Click(`button "Delete…"`)
	p.Click(`dialog >> button "Delete"`)
	p.WaitHidden(`dialog`)
	p.WaitHidden(`link "Busy days"`)
}

// TestPostRule creates a rule about posts that match a filter, with the keyboard where it matters, and
// sees that a colleague has changed it in the meantime.
func TestPostRule(t *testing.T) {
	t.Parallel()
	w := env(t)
	removeRules(t, w, "Complaints")
	p := w.signedIn(t, fmt.Sprintf("/signals/rules/new?kind=post&monitor=%d", w.monitors[demo.Brand].ID))
	p.WaitFor(`heading "New rule"`)
	waitForText(p, fmt.Sprintf("Tell me about every post in %s.", demo.Brand))
	p.Click(`button "Add filter"`)
	p.Choose(`combobox "Filter by"`, "Sentiment")
	p.Click(`combobox "Sentiment"`)
	p.Click(`option /Negative/`)
	waitForText(p, "that matches the filter.")
	p.Fill(`textbox "Name"`, "Complaints")
	p.Press("Enter")
	p.WaitFor(`link "Complaints"`)
	r := findRule(w, "Complaints")
	if r == nil || r.Kind != earshot.PostRule || r.Filter != "sentiment:negative" {
		t.Fatalf("got rule %+v", r)
	}

	p.Click(`link "Complaints"`)
	p.WaitFor(`heading "Edit rule"`)
	severity := earshot.Info
	owner := earshot.NewCaller(w.app.Accounts.ListUsers()[0])
	if _, err := w.app.Signals.EditRule(t.Context(), owner, r.ID, signal.RuleChanges{Severity: &severity}); err != nil {
		t.Fatal(err)
	}
	p.Expect(409, fmt.Sprintf("/manage/v1/rules/%d", r.ID))
	p.Click(`group "Severity" >> button "Critical"`)
	p.Click(`button "Save"`)
	waitForText(p, "has changed the rule in the meantime")
	if r = findRule(w, "Complaints"); r.Severity != earshot.Info {
		t.Errorf("got severity %s, want that of the colleague", r.Severity)
	}
}

// TestDetectionRule changes how a monitor is watched for unusual activity, and returns to the standard
// settings.
func TestDetectionRule(t *testing.T) {
	t.Parallel()
	w := env(t)
	m := w.monitors[demo.Reasons]
	p := w.signedIn(t, fmt.Sprintf("/monitors/%d/edit", m.ID))
	p.Click(`link "Signal settings"`)
	waitForText(p, "about one false alarm per month.")
	p.Click(`button /^Sensitive/`)
	waitForText(p, "about one false alarm per week.")
	p.Click(`checkbox "New links"`)
	p.Click(`button "Save"`)
	p.WaitFor(`heading "Your rules"`)
	r, err := w.app.Signals.Detection(earshot.NewCaller(w.app.Accounts.ListUsers()[0]), m.ID)
	if err != nil || r.ID == 0 || r.Unusual.FalseAlarms != 52 || len(r.Unusual.Kinds) != 7 {
		t.Errorf("got %+v and error %v, want 52 false alarms and 7 kinds", r, err)
	}
	p.Click(fmt.Sprintf(`button "Actions for %s"`, m.Name))
	p.Click(`button "Use standard settings"`)
	waitForText(p, "Standard settings restored.")
	r, err = w.app.Signals.Detection(earshot.NewCaller(w.app.Accounts.ListUsers()[0]), m.ID)
	if err != nil || r.ID != 0 {
		t.Errorf("got %+v and error %v, want the defaults", r, err)
	}
}
