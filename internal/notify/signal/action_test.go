package signal

import (
	"slices"
	"strings"
	"testing"
	"time"

	"earshot"
)

func ptr[T any](v T) *T { return &v }

func TestEditSignal(t *testing.T) {
	f := newPeopleFixture(t)
	sig := f.signalOf(11, func(sig *earshot.Signal) { sig.Observed = 42 })
	edit := func(c *earshot.Caller, ch Changes) *earshot.Signal {
		t.Helper()
		got, err := f.Edit(t.Context(), c, sig.ID, ch)
		f.must(err)
		return got
	}
	edit(f.ann, Changes{Acknowledged: ptr(true)})
	got := edit(f.bob, Changes{Acknowledged: ptr(true)}) // no effect
	if got.AcknowledgedBy != "ann" || !got.Acknowledged.Equal(peopleNow) || len(got.Events) != 1 {
		t.Errorf("got %+v, want acknowledged by ann once", got)
	}
	got = edit(f.ann, Changes{Assignee: ptr(f.bob.User)})
	if u, ok := f.Assignee(got); !ok || u.Username != "bob" || got.Events[1].Assignee != f.bob.User {
		t.Errorf("got %+v, want bob as assignee", got)
	}
	if _, err := f.Edit(t.Context(), f.ann, sig.ID, Changes{Assignee: ptr(f.eve.User)}); err == nil || !strings.Contains(err.Error(), "member of the team") {
		t.Errorf("assigning to another team: got %v", err)
	}
	got = edit(f.ann, Changes{Resolved: ptr(true)})
	if got.State != earshot.ResolvedSignal || !got.Resolved.Equal(peopleNow) || got.Events[2].Kind != earshot.SignalResolved || got.Events[2].Observed != 42 {
		t.Errorf("got %+v, want resolved", got)
	}
	got = edit(f.bob, Changes{Resolved: ptr(true)}) // no effect
	if numbers := []int{got.Events[0].Number, got.Events[1].Number, got.Events[2].Number}; len(got.Events) != 3 || !slices.Equal(numbers, []int{1, 2, 3}) || got.LastNumber != 3 {
		t.Errorf("got events %+v", got.Events)
	}
	_, err := f.Edit(t.Context(), f.ann, sig.ID, Changes{Resolved: ptr(false)})
	wantKind(t, "reopening", err, earshot.Invalid)
	_, err = f.Edit(t.Context(), f.eve, sig.ID, Changes{Acknowledged: ptr(true)})
	wantKind(t, "another team", err, earshot.NotFound)
}

func TestFeedback(t *testing.T) {
	f := newPeopleFixture(t)
	r := f.postRule(11)
	first := f.signalOf(11, func(sig *earshot.Signal) { sig.Rule, sig.Kind = r.ID, earshot.PostSignal })
	second := f.signalOf(11, nil)
	rate := func(c *earshot.Caller, id earshot.SignalID, rating Rating) {
		t.Helper()
		_, err := f.Edit(t.Context(), c, id, Changes{Feedback: &rating})
		f.must(err)
	}
	rate(f.ann, first.ID, NotUseful)
	rate(f.ann, first.ID, Useful) // changes her mind
	rate(f.bob, first.ID, NotUseful)
	rate(f.ann, second.ID, NotUseful)
	rate(f.bob, second.ID, Useful)
	rate(f.bob, second.ID, NoRating)
	if got, want := f.Feedback()(r), (Feedback{Signals: 1, Useful: 1, NotUseful: 1}); got != want {
		t.Errorf("rule: got %+v, want %+v", got, want)
	}
	if got, want := f.Feedback()(&earshot.Rule{Monitor: 11, Kind: earshot.UnusualRule}), (Feedback{Signals: 1, NotUseful: 1}); got != want {
		t.Errorf("monitor: got %+v, want %+v", got, want)
	}
}

func TestComments(t *testing.T) {
	f := newPeopleFixture(t)
	sig := f.signalOf(11, nil)
	for _, text := range []string{"", " \n", strings.Repeat("x", 1001), "a\x00b"} {
		_, err := f.AddComment(t.Context(), f.ann, sig.ID, text)
		wantKind(t, "comment "+text[:min(len(text), 5)], err, earshot.Invalid)
	}
	got, err := f.AddComment(t.Context(), f.ann, sig.ID, " Press was called.\nNo answer yet. ")
	f.must(err)
	if len(got.Comments) != 1 || got.Comments[0] != (earshot.SignalComment{ID: 1, Text: "Press was called.\nNo answer yet.", By: "ann", Time: peopleNow}) {
		t.Errorf("got comments %+v", got.Comments)
	}
	_, err = f.RemoveComment(t.Context(), f.bob, sig.ID, 1)
	wantKind(t, "delete another's comment", err, earshot.Forbidden)
	_, err = f.RemoveComment(t.Context(), f.ann, sig.ID, 2)
	wantKind(t, "delete a comment that is not there", err, earshot.NotFound)
	got, err = f.RemoveComment(t.Context(), f.ann, sig.ID, 1)
	f.must(err)
	if len(got.Comments) != 0 {
		t.Errorf("got comments %+v, want none", got.Comments)
	}
	for range earshot.MaxSignalComments {
		_, err = f.AddComment(t.Context(), f.ann, sig.ID, "again")
		f.must(err)
	}
	_, err = f.AddComment(t.Context(), f.ann, sig.ID, "too many")
	wantKind(t, "too many comments", err, earshot.Invalid)
}

func TestListSignals(t *testing.T) {
	f := newPeopleFixture(t)
	a := f.signalOf(11, nil)
	b := f.signalOf(111, func(sig *earshot.Signal) { sig.Severity, sig.Kind = earshot.Critical, earshot.HashtagSignal })
	c := f.signalOf(12, func(sig *earshot.Signal) {
		sig.State, sig.Raised, sig.Resolved = earshot.ResolvedSignal, peopleNow.Add(-48*time.Hour), peopleNow.Add(-47*time.Hour)
	})
	d := f.signalOf(12, func(sig *earshot.Signal) { sig.Acknowledged, sig.Assignee = peopleNow, f.bob.User })
	f.signalOf(13, nil)
	for _, test := range []struct {
		name string
		q    Query
		want []earshot.SignalID
	}{
		{"all, newest first", Query{}, []earshot.SignalID{d.ID, c.ID, b.ID, a.ID}},
		{"a monitor with its filters", Query{Monitor: 11}, []earshot.SignalID{b.ID, a.ID}},
		{"a filter", Query{Monitor: 111}, []earshot.SignalID{b.ID}},
		{"firing", Query{State: earshot.Firing}, []earshot.SignalID{d.ID, b.ID, a.ID}},
		{"open", Query{Open: true}, []earshot.SignalID{b.ID, a.ID}},
		{"critical", Query{Severity: []earshot.Severity{earshot.Critical}}, []earshot.SignalID{b.ID}},
		{"hashtags", Query{Kind: []earshot.SignalKind{earshot.HashtagSignal}}, []earshot.SignalID{b.ID}},
		{"assigned", Query{Assignee: f.bob.User}, []earshot.SignalID{d.ID}},
		{"since it was resolved", Query{Since: peopleNow.Add(-47 * time.Hour)}, []earshot.SignalID{d.ID, c.ID, b.ID, a.ID}},
		{"after it was resolved", Query{Since: peopleNow.Add(-46 * time.Hour)}, []earshot.SignalID{d.ID, b.ID, a.ID}},
		{"until", Query{Until: peopleNow}, []earshot.SignalID{c.ID}},
	} {
		list, err := f.List(f.ann, test.q)
		f.must(err)
		var got []earshot.SignalID
		for _, sig := range list {
			got = append(got, sig.ID)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: got %v, want %v", test.name, got, test.want)
		}
	}
	if got := f.Firing(f.ann); len(got) != 2 || got[11] != 2 || got[12] != 1 {
		t.Errorf("firing: got %v, want 2 of monitor 11 and 1 of monitor 12", got)
	}
}

// TestEvents checks that a signal with many events keeps the first, and those that were not handed
// over for delivery.
func TestEvents(t *testing.T) {
	f := newPeopleFixture(t)
	sig := &earshot.Signal{}
	for range earshot.MaxSignalEvents + 10 {
		f.record(sig, earshot.SignalEvent{Kind: earshot.SignalAcknowledged})
		sig.Notified = sig.LastNumber
	}
	if n := len(sig.Events); n != earshot.MaxSignalEvents || sig.Events[0].Number != 1 || sig.Events[n-1].Number != n+10 {
		t.Errorf("got %d events, %d to %d", n, sig.Events[0].Number, sig.Events[n-1].Number)
	}
	sig.Notified = 0
	f.record(sig, earshot.SignalEvent{Kind: earshot.SignalUpdated})
	if n := len(sig.Events); n != earshot.MaxSignalEvents+1 {
		t.Errorf("got %d events, want one more than the maximum", n)
	}
}
