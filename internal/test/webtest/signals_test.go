package webtest

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/demo"
	"earshot/internal/poststore"
)

// A signalFixture has signals of the brand's monitor, all of one rule, so that a page can show only
// them.
type signalFixture struct {
	w       *environment
	t       *testing.T
	owner   *earshot.Caller
	monitor *earshot.Monitor
	rule    *earshot.Rule
}

func newSignalFixture(t *testing.T, w *environment) *signalFixture {
	t.Helper()
	f := &signalFixture{w: w, t: t, owner: earshot.NewCaller(w.app.Accounts.ListUsers()[0]), monitor: w.monitors[demo.Brand]}
	var err error
	if f.rule, err = w.app.Signals.AddRule(t.Context(), f.owner, earshot.Rule{Monitor: f.monitor.ID, Kind: earshot.PostRule, Name: "Rule of " + t.Name(), Filter: "author:nobody-at-all"}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.remove)
	return f
}

// remove removes the rule and its signals.
func (f *signalFixture) remove() {
	ctx := f.t.Context()
	if ctx.Err() != nil {
		ctx = context.WithoutCancel(ctx)
	}
	for _, sig := range f.w.app.Signals.Catalog.Signals.List() {
		if sig.Rule == f.rule.ID {
			f.w.app.Signals.Catalog.Signals.Remove(ctx, sig.ID)
		}
	}
	f.w.app.Signals.RemoveRule(ctx, f.owner, f.rule.ID)
}

// add adds a signal that was raised some hours ago.
func (f *signalFixture) add(hours int, change func(*earshot.Signal)) *earshot.Signal {
	f.t.Helper()
	raised := time.Now().UTC().Truncate(time.Hour).Add(-time.Duration(hours) * time.Hour)
	id, err := f.w.app.Signals.Catalog.NextIDs(f.t.Context(), 1)
	if err != nil {
		f.t.Fatal(err)
	}
	sig := &earshot.Signal{
		ID: earshot.SignalID(id), Team: f.monitor.Team, Monitor: f.monitor.ID, Rule: f.rule.ID, Kind: earshot.VolumeSignal, Subject: fmt.Sprint(id),
		State: earshot.Firing, Severity: earshot.Warning, Title: f.monitor.Name + ": 3.2× the usual posts on Mar 10: recall",
		Text: "42 posts in 2 hours; 8 to 21 were expected. You'd expect this by chance in about one in 44,000 2-hour periods.",
		From: raised.Add(-2 * time.Hour), To: raised, Metric: earshot.PostsMetric, Window: 2 * time.Hour,
		Observed: 42, Expected: 13.1, Low: 8, High: 21, Chance: 0.00002, Peak: 42, PeakTime: raised, Raised: raised, Updated: raised,
		Events: []earshot.SignalEvent{{Number: 1, Kind: earshot.SignalRaised, Time: raised, Observed: 42}}, LastNumber: 1, Notified: 1,
		Explanation: &earshot.SignalExplanation{From: raised.Add(-2 * time.Hour), To: raised}, // it stays as it is
	}
	if change != nil {
		change(sig)
	}
	if err := f.w.app.Signals.Catalog.Signals.Add(f.t.Context(), sig.ID, sig); err != nil {
		f.t.Fatal(err)
	}
	return sig
}

// several adds signals of all severities.
func (f *signalFixture) several() (volume, share, hashtag, old *earshot.Signal) {
	old = f.add(24*20, func(sig *earshot.Signal) {
		sig.State, sig.Resolved = earshot.ResolvedSignal, sig.Raised.Add(30*time.Hour)
	})
	hashtag = f.add(80, func(sig *earshot.Signal) {
		sig.Kind, sig.Severity, sig.Title = earshot.HashtagSignal, earshot.Info, f.monitor.Name+": new hashtag #recall in 20 posts on Mar 10"
		sig.State, sig.Resolved = earshot.ResolvedSignal, sig.Raised.Add(9*time.Hour)
		sig.Chance, sig.Observed, sig.Peak = 0, 20, 20
	})
	share = f.add(30, func(sig *earshot.Signal) {
		sig.Kind, sig.Metric, sig.Severity, sig.Filter = earshot.NegativeSignal, earshot.NegativeMetric, earshot.Critical, "sentiment:negative"
		sig.Title, sig.Window = f.monitor.Name+": 34% of posts on Mar 10 were negative (12–20% expected)", 24*time.Hour
		sig.Observed, sig.Peak, sig.Expected, sig.Low, sig.High = 0.34, 0.34, 0.16, 0.12, 0.2
		sig.From = sig.To.Add(-24 * time.Hour)
	})
	volume = f.add(3, nil)
	return volume, share, hashtag, old
}

// posts returns keys of posts of the monitor.
func (f *signalFixture) posts(n int) (keys []earshot.PostKey) {
	f.t.Helper()
	end := earshot.DateOf(time.Now()).AddDays(1)
	posts, _, err := f.w.app.Insight.Posts(f.t.Context(), f.monitor, earshot.Days{Start: end.AddDays(-10), End: end}, poststore.Selection{}, n)
	if err != nil || len(posts) < n {
		f.t.Fatalf("got %d posts and error %v, want %d posts", len(posts), err, n)
	}
	for i := range posts {
		keys = append(keys, posts[i].Key())
	}
	return keys
}

func (f *signalFixture) explain(sig *earshot.Signal) {
	sig.Explanation = &earshot.SignalExplanation{
		From: sig.From, To: sig.To, Sentence: "80% of the additional posts are about recall, fire, machine.", Cause: "single", Explained: 0.8,
		Stories: []earshot.SignalStory{{Name: "recall, fire, machine", Terms: []string{"recall", "fire", "machine"}, Filter: "keywords:recall OR fire OR machine", Posts: 31, Share: 0.8, Link: "example.com/recall"}},
		Words:   []string{"recall", "fire", "machine", "morning"}, Posts: f.posts(2),
	}
}

// TestSignalList lists signals, filters them, and acknowledges and assigns one from the list.
func TestSignalList(t *testing.T) {
	t.Parallel()
	w := env(t)
	f := newSignalFixture(t, w)
	volume, share, hashtag, old := f.several()
	p := w.signedIn(t, fmt.Sprintf("/signals?rule=%d", f.rule.ID))
	waitTexts(p, "main .signal h2", volume.Title, share.Title, hashtag.Title, old.Title)
	waitForText(p, "4 signals in the last 30 days")
	waitTexts(p, "main .signal .expectation > .num", "42 posts at the peak; 8–21 expected", "34% of posts at the peak; 12–20% expected", "42 posts at the peak; 8–21 expected")
	checkEqual(t, "bars of the timeline", p.Count(`.lane-bar`), 4)
	p.AxeInTurn()

	p.Choose(`combobox "Severity"`, "Critical")
	waitTexts(p, "main .signal h2", share.Title)
	checkEqual(t, "URL with a severity", p.URL(), fmt.Sprintf("/signals?rule=%d&severity=critical", f.rule.ID))
	p.Choose(`combobox "Severity"`, "Any severity")
	p.Choose(`combobox "State"`, "Ended")
	waitTexts(p, "main .signal h2", hashtag.Title, old.Title)
	p.Choose(`combobox "Period"`, "Last 7 days")
	waitTexts(p, "main .signal h2", hashtag.Title)
	p.Choose(`combobox "About"`, "Limits")
	p.WaitFor(`heading "No signals match"`)
	p.Click(`button "Clear filters"`)
	p.Visit(fmt.Sprintf("/signals?rule=%d", f.rule.ID))
	p.Click(`group "Group by" >> button "Severity"`)
	waitTexts(p, ".lane-name", "Critical", "Warning", "Info")
	p.Click(`button "Show only Warning"`)
	waitTexts(p, "main .signal h2", volume.Title, old.Title)

	p.Click(fmt.Sprintf(`button "Acknowledge: %s"`, volume.Title))
	waitForText(p, "Seen by "+demo.Username)
	p.Choose(`combobox "State"`, "Open")
	p.WaitFor(`heading "No signals match"`)
	p.Choose(`combobox "State"`, "Ongoing")
	waitTexts(p, "main .signal h2", volume.Title)
	p.Click(fmt.Sprintf(`button "Assign: %s"`, volume.Title))
	p.Click(`button /\(me\)$/`)
	p.WaitFor(fmt.Sprintf(`button /^Assigned to .*%s/`, "3.2×"))
	p.Click(`checkbox "Assigned to me"`)
	waitTexts(p, "main .signal h2", volume.Title)
	saved, err := w.app.Signals.Find(f.owner, volume.ID)
	if err != nil || saved.AcknowledgedBy != demo.Username || saved.Assignee != f.owner.User {
		t.Errorf("got %+v and error %v, want acknowledged by and assigned to the demo user", saved, err)
	}
}

// TestSignalPage shows a signal with its numbers and explanation, and does everything that people do
// with it.
func TestSignalPage(t *testing.T) {
	t.Parallel()
	w := env(t)
	f := newSignalFixture(t, w)
	sig := f.add(5, f.explain)
	p := w.signedIn(t, fmt.Sprintf("/signals/%d", sig.ID))
	p.WaitFor(fmt.Sprintf(`heading "%s"`, sig.Title))
	settle(p)
	waitForText(p, sig.Text)
	waitForText(p, "42 posts at the peak; 8–21 expected")
	waitForText(p, "80% of the additional posts are about recall, fire, machine.")
	waitForText(p, "31 posts, 80% of the increase")
	waitTexts(p, `[aria-label="Words that stand out"] a`, "recall", "fire", "machine", "morning")
	checkEqual(t, "posts", p.Count(`region "Posts" >> article`), 2)
	p.AxeInTurn()

	// The chart counts the same posts as the API.
	zone := f.monitor.Location()
	from, to := sig.From.Add(-48*time.Hour).In(zone), sig.To.In(zone)
	p.Click(`button "Hour by hour: show table"`)
	hours := rows(p, "Hour by hour")
	if n := len(hours); n < 55 || n > 63 || hours[0][0] != from.Format("Jan 2, 2006, 3:04 PM") {
		t.Errorf("got %d hours from %s, want those from %s", n, hours[0][0], from)
	}
	want := 0
	for _, h := range hours {
		want += atoi(t, h[1])
	}
	posts, err := countPosts(t, f, from, to.Add(12*time.Hour))
	if err != nil || posts != want {
		t.Errorf("the table has %d posts, the store %d (error %v)", want, posts, err)
	}

	p.Click(`button "Acknowledge"`)
	waitForText(p, "Seen by "+demo.Username)
	p.Click(`group "Was this signal useful?" >> button "Useful"`)
	waitForText(p, "1 useful, 0 not")
	p.Click(`group "Was this signal useful?" >> button "Not useful"`)
	waitForText(p, "0 useful, 1 not")
	p.Click(fmt.Sprintf(`button "Assign: %s"`, sig.Title))
	p.Click(`button /\(me\)$/`)
	waitForText(p, "Assigned to")
	p.Fill(`textbox "Comment"`, "Press team is on it.")
	p.Click(`button "Add comment"`)
	p.WaitFor(`button "Delete Press team is on it."`)
	p.Click(`button "Mark as ended"`)
	p.WaitHidden(`button "Mark as ended"`)
	got := p.Texts(`.signal-history li .grow p:first-child`)
	slices.Sort(got[2:]) // times are in seconds
	if want := []string{"Raised: 42 posts", "Acknowledged", "Assigned to Demo User", "Ended", "Press team is on it."}; !slices.Equal(got, want) {
		t.Errorf("got history %q, want %q", got, want)
	}
	p.Click(`button "Delete Press team is on it."`)
	p.WaitHidden(`button "Delete Press team is on it."`)
	saved, err := w.app.Signals.Find(f.owner, sig.ID)
	if err != nil || saved.State != earshot.ResolvedSignal || len(saved.Comments) != 0 || len(saved.Feedback) != 1 || saved.Feedback[0].Useful {
		t.Errorf("got %+v and error %v", saved, err)
	}

	p.Click(`button "Annotate the charts"`)
	checkEqual(t, "text of the annotation", p.Value(`dialog >> textbox "Text"`), sig.Title)
	p.Press("Escape")
	p.WaitHidden(`dialog`)
	p.Click(`link "Why it changed"`)
	p.WaitFor(fmt.Sprintf(`heading "%s"`, demo.Brand))
	if !strings.Contains(p.URL(), "/why?") {
		t.Errorf("got URL %s, want that of Why it changed", p.URL())
	}
}

// TestSignalMarks opens a signal from its mark on the volume chart, and from the badges of the monitor.
func TestSignalMarks(t *testing.T) {
	t.Parallel()
	w := env(t)
	f := newSignalFixture(t, w)
	sig := f.add(24*9, func(sig *earshot.Signal) { sig.Title = f.monitor.Name + ": marked on charts" })
	p := w.signedIn(t, fmt.Sprintf("/monitors/%d", f.monitor.ID))
	p.WaitFor(`region "Volume"`)
	p.WaitFor(fmt.Sprintf(`region "Volume" >> .signal-marks a[href="/signals/%d"]`, sig.ID))
	for _, chip := range p.Texts(`region "Volume" >> .signal-note a`) {
		if strings.Contains(chip, f.monitor.Name) {
			t.Errorf("got %q, want no name of the monitor that the page is about", chip)
		}
	}
	p.Click(fmt.Sprintf(`region "Volume" >> .signal-marks a[href="/signals/%d"]`, sig.ID))
	p.WaitFor(fmt.Sprintf(`heading "%s"`, sig.Title))
	p.Back()
	p.WaitFor(`region "Volume"`)
	p.Click(`link /ongoing signal/`)
	p.WaitFor(fmt.Sprintf(`link "%s"`, sig.Title))
	p.Visit("/")
	p.WaitFor(fmt.Sprintf(`link /^%s: .*signals?, ongoing/`, demo.Brand))
}

// countPosts counts the posts of the monitor in a period.
func countPosts(t *testing.T, f *signalFixture, from, to time.Time) (int, error) {
	t.Helper()
	zone := f.monitor.Location()
	posts, _, err := f.w.app.Insight.Posts(t.Context(), f.monitor, earshot.Days{Start: earshot.DateOf(from), End: earshot.DateOf(to.In(zone)).AddDays(1)}, poststore.Selection{}, 100_000)
	n := 0
	for i := range posts {
		if !posts[i].Time.Before(from) && posts[i].Time.Before(to) {
			n++
		}
	}
	return n, err
}

func atoi(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(strings.ReplaceAll(text, ",", ""))
	if err != nil {
		t.Fatal(err)
	}
	return n
}
