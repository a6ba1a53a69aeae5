package storetest

import (
	"testing"
	"time"

	"earshot/internal/poststore"
)

// TestPermittedChangeTimes has changes at hours 1, 4 and 7. The store was called at hour 3 and
// returned hour 2, and is called again at hour 9.
func TestPermittedChangeTimes(t *testing.T) {
	hour := func(n int) time.Time { return noon.Add(time.Duration(n) * time.Hour) }
	asBefore := timeRange{monitor: 1, from: noon, to: hour(24), posts: poststore.Fingerprint{1}}
	others := asBefore
	others.posts = poststore.Fingerprint{2}
	otherMonitor := asBefore
	otherMonitor.monitor = 2
	otherDay := asBefore
	otherDay.to = hour(23)
	for _, test := range []struct {
		name      string
		of        timeRange
		got, want time.Time
		ok        bool
	}{
		{"time of the change", others, hour(7), hour(7), true},
		{"start of the change", others, hour(7), hour(8), true},
		{"time of the call", others, hour(9), hour(7), true},
		{"a future time", others, hour(10), hour(7), false},
		{"an earlier change of other posts", others, hour(2), hour(7), false},
		{"posts came and went unnoticed", asBefore, hour(2), hour(7), true},
		{"posts came and went, and the store noticed", asBefore, hour(7), hour(7), true},
		{"before the previous result for the same posts", asBefore, hour(1), hour(7), false},
		{"previous result of another monitor", otherMonitor, hour(2), hour(7), false},
		{"previous result of another day", otherDay, hour(2), hour(7), false},
		{"never", others, time.Time{}, time.Time{}, true},
		{"never, although the day had posts", asBefore, time.Time{}, hour(7), false},
		{"a time, although the day never had posts", others, hour(7), time.Time{}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := &changeLog{began: []time.Time{hour(1), hour(4), hour(7)}, told: map[timeRange]time.Time{asBefore: hour(2)}}
			if problem := c.problem(test.of, test.got, test.want, hour(9)); (problem == "") != test.ok {
				t.Errorf("got problem %q, want one: %t", problem, !test.ok)
			}
		})
	}
}

// TestRemovedMonitorsAreForgotten removes some monitors with a rematch and keeps others.
func TestRemovedMonitorsAreForgotten(t *testing.T) {
	c := &changeLog{told: map[timeRange]time.Time{{monitor: 1}: noon, {monitor: 2}: noon, {monitor: 3}: noon}}
	c.forget(poststore.Rematch{From: noon, Rules: poststore.Rules{3: {}}})
	c.forget(poststore.Rematch{Rules: poststore.Rules{1: {}, 2: {Generation: 1}}})
	if _, known := c.told[timeRange{monitor: 1}]; known || len(c.told) != 2 {
		t.Errorf("got %v, want the results for monitors 2 and 3", c.told)
	}
}
