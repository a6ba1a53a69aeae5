package clustertest

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
)

// check ends the load, waits until all nodes have caught up, and compares every node with what the
// clients were told.
func (l *load) check() {
	l.c.Helper()
	l.halt()
	for _, n := range l.c.nodes {
		l.c.awaitReady(n)
	}
	l.awaitCaughtUp()
	if len(l.c.nodes) > 1 {
		l.awaitMembers()
	}
	stored := l.checkDocuments()
	l.checkMonitors(stored)
	l.checkStream(stored)
	l.checkTraining(stored)
	l.checkAnalyses()
	l.checkUsage()
	l.c.Logf("%d documents in %d acknowledged uploads; %d requests answered, %d without an answer; %d reads with a position, %d of them answered with 503; %d posts of the stream; %d analyses",
		len(stored), l.acknowledged.Load(), l.answered.Load(), l.failed.Load(), l.positions.Load(), l.behind.Load(), len(l.cursor.got), len(l.analyst.ids))
	if len(l.c.links) > 0 { // the nodes have NATS servers of their own
		l.checkFiles()
	}
}

// A nodeStatus is how far a node is.
type nodeStatus struct {
	Pipeline    struct{ Position, Last, Lag int64 }
	Streams     struct{ Lag int64 }
	DeadLetters struct{ Count int }
	Store       struct{ Quarantined []any }
}

// awaitCaughtUp waits until every node has processed the whole journal, and the streams have all of
// it.
func (l *load) awaitCaughtUp() {
	l.c.Helper()
	l.c.await("all nodes have processed the journal", func() error {
		var last []int64
		for _, n := range l.c.nodes {
			var s nodeStatus
			if err := l.c.try(n, "GET", "/manage/v1/status", "", &s); err != nil {
				return err
			}
			if s.DeadLetters.Count > 0 || len(s.Store.Quarantined) > 0 {
				l.c.Fatalf("node %s has dead letters or quarantined segments: %+v", n.name, s)
			}
			if s.Pipeline.Lag > 0 || s.Streams.Lag > 0 {
				return fmt.Errorf("node %s: %+v", n.name, s)
			}
			last = append(last, s.Pipeline.Position)
		}
		if slices.Min(last) != slices.Max(last) {
			return fmt.Errorf("nodes are at %v", last)
		}
		return nil
	})
}

// awaitMembers waits until every node reports that all nodes are live and ready, with the version that
// they run, and that each role has one holder.
func (l *load) awaitMembers() {
	l.c.Helper()
	for _, reporter := range l.c.nodes {
		l.c.await(fmt.Sprintf("node %s reports all nodes", reporter.name), func() error {
			var s clusterStatus
			if err := l.c.try(reporter, "GET", "/manage/v1/cluster", "", &s); err != nil {
				return err
			}
			roles, live := map[string]int{}, 0
			for _, n := range s.Nodes {
				if !n.Live {
					continue // what a node was before its data directory was removed
				}
				if live++; !n.Ready {
					return fmt.Errorf("%+v", n)
				}
				at := slices.IndexFunc(l.c.nodes, func(known *node) bool { return known.name == n.Name })
				if want := l.c.nodes[at].version(); n.Version != want {
					return fmt.Errorf("node %s has version %s, want %s", n.Name, n.Version, want)
				}
				for _, role := range n.Roles {
					roles[role]++
				}
			}
			for role, holders := range roles {
				if holders != 1 {
					return fmt.Errorf("%d nodes have the role %s", holders, role)
				}
			}
			if live != len(l.c.nodes) || roles["streams"] != 1 {
				return fmt.Errorf("%+v", s.Nodes)
			}
			return nil
		})
	}
}

// documents are the batches by URL of their documents.
type documents map[string]*batch

// checkDocuments checks that all nodes have the same documents, each once: all that were
// acknowledged, none that were refused, and others completely or not at all. It returns them.
func (l *load) checkDocuments() documents {
	l.c.Helper()
	var first map[string]int
	for _, n := range l.c.nodes {
		got := l.list(n, l.all, "")
		if first == nil {
			first = got
		}
		if !maps.Equal(got, first) {
			l.c.Fatalf("node %s has %d documents, node %s has %d: %s", n.name, len(got), l.c.nodes[0].name, len(first), difference(got, first))
		}
	}
	stored := documents{}
	for _, u := range l.uploaders {
		for _, b := range u.batches {
			found := 0
			for i, day := range b.days {
				if at, is := first[b.url(i)]; is {
					stored[b.url(i)] = b
					found++
					if at != day {
						l.c.Errorf("%s is from day %d, want %d", b.url(i), at, day)
					}
				}
			}
			switch {
			case b.outcome == acknowledged && found != len(b.days):
				l.c.Errorf("%s was acknowledged, but %d of %d documents are stored", b.author(), found, len(b.days))
			case b.outcome == refused && found > 0:
				l.c.Errorf("%s was refused, but %d documents are stored", b.author(), found)
			case found != 0 && found != len(b.days):
				l.c.Errorf("%d of %d documents of %s are stored", found, len(b.days), b.author())
			}
		}
	}
	if len(stored) != len(first) {
		l.c.Errorf("%d documents are stored, %d of them were uploaded", len(first), len(stored))
	}
	return stored
}

// list requests the documents of a monitor and its volume on a node, and checks that they agree. It
// returns the day of each document by URL.
func (l *load) list(n *node, monitor int64, filter string) map[string]int {
	l.c.Helper()
	var list struct {
		Posts []struct{ URL, Date string }
		Total int `json:"totalPostsAvailable"`
	}
	l.c.must(n, "GET", fmt.Sprintf("/api/monitor/posts?extendLimit=true&id=%d&%s&filter=%s", monitor, allDays, url.QueryEscape(filter)), "", &list)
	if list.Total != len(list.Posts) {
		l.c.Fatalf("node %s lists %d posts of %d", n.name, len(list.Posts), list.Total)
	}
	days, counts := map[string]int{}, map[int]int{}
	for _, p := range list.Posts {
		if _, twice := days[p.URL]; twice {
			l.c.Errorf("node %s lists %s twice", n.name, p.URL)
		}
		var day int
		if _, err := fmt.Sscanf(p.Date, "2024-03-%d", &day); err != nil {
			l.c.Fatalf("node %s: date %q: %v", n.name, p.Date, err)
		}
		days[p.URL] = day
		counts[day]++
	}
	if got := l.volume(n, monitor); filter == "" && !maps.Equal(got, counts) {
		l.c.Errorf("node %s: the volume of monitor %d by day is %v, its documents are %v", n.name, monitor, got, counts)
	}
	return days
}

// volume requests the number of documents by day.
func (l *load) volume(n *node, monitor int64) map[int]int {
	l.c.Helper()
	var answer struct {
		Volume []struct {
			StartDate string
			Documents int `json:"numberOfDocuments"`
		}
	}
	l.c.must(n, "GET", fmt.Sprintf("/api/monitor/volume?id=%d&%s", monitor, allDays), "", &answer)
	counts := map[int]int{}
	for _, step := range answer.Volume {
		var day int
		if _, err := fmt.Sscanf(step.StartDate, "2024-03-%d", &day); err != nil {
			l.c.Fatalf("node %s: date %q: %v", n.name, step.StartDate, err)
		}
		if step.Documents > 0 {
			counts[day] = step.Documents
		}
	}
	return counts
}

// difference names documents that only one of two lists has.
func difference(got, want map[string]int) string {
	var b strings.Builder
	for _, side := range []struct {
		name      string
		has, lack map[string]int
	}{{"more", got, want}, {"fewer", want, got}} {
		var names []string
		for u := range side.has {
			if _, both := side.lack[u]; !both {
				names = append(names, u)
			}
		}
		slices.Sort(names)
		fmt.Fprintf(&b, "%d %s %v; ", len(names), side.name, names[:min(3, len(names))])
	}
	return b.String()
}

// checkMonitors checks that on every node the monitors select exactly their documents.
func (l *load) checkMonitors(stored documents) {
	l.c.Helper()
	edited := l.checkEdited()
	for _, n := range l.c.nodes {
		l.awaitMatched(n, l.edited.monitor)
		for monitor, selects := range map[int64]func(int) bool{
			l.third: func(b int) bool { return b%3 == 0 }, l.edited.monitor: keywords[edited].selects,
		} {
			want := map[string]int{}
			for u, b := range stored {
				if selects(b.number) {
					want[u] = 0
				}
			}
			got := l.list(n, monitor, "")
			if d := difference(got, want); len(got) != len(want) || !strings.HasPrefix(d, "0 more") {
				l.c.Errorf("node %s: monitor %d has %d documents, want %d: %s", n.name, monitor, len(got), len(want), d)
			}
		}
	}
}

// checkEdited checks that all nodes agree on the keywords of the edited monitor, and returns their
// index.
func (l *load) checkEdited() int {
	l.c.Helper()
	var first string
	for i, n := range l.c.nodes {
		var m struct{ Keywords string }
		l.c.must(n, "GET", fmt.Sprintf("%s/%d", monitorsPath, l.edited.monitor), "", &m)
		if i == 0 {
			first = m.Keywords
		}
		if m.Keywords != first {
			l.c.Fatalf("node %s has keywords %q, node %s has %q", n.name, m.Keywords, l.c.nodes[0].name, first)
		}
	}
	at := slices.IndexFunc(keywords, func(k keyword) bool { return k.query == first })
	if at != l.edited.known && !slices.Contains(l.edited.unsure, at) {
		l.c.Fatalf("the monitor has keywords %q, the last acknowledged are %q", first, keywords[l.edited.known].query)
	}
	return at
}

// awaitMatched waits until a node has matched all stored posts against a monitor.
func (l *load) awaitMatched(n *node, monitor int64) {
	l.c.Helper()
	l.c.await(fmt.Sprintf("node %s has matched monitor %d", n.name, monitor), func() error {
		var progress struct{ State, Message string }
		if err := l.c.try(n, "GET", fmt.Sprintf("%s/%d/progress", monitorsPath, monitor), "", &progress); err != nil {
			return err
		}
		switch progress.State {
		case "idle", "done":
			return nil
		case "failed":
			l.c.Fatalf("node %s: monitor %d: %s", n.name, monitor, progress.Message)
		}
		return errors.New(progress.State)
	})
}
