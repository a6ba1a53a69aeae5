package local

import (
	"fmt"
	"path/filepath"
)

// lost returns what the new database lacks, one line each.
func (r *rebuild) lost() (lines []string) {
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	for _, path := range r.unreadable {
		add("posts: segment %s is damaged and will be quarantined", filepath.Base(path))
	}
	if r.report.Missing > 0 {
		add("at least %d changes are missing from the database's log", r.report.Missing)
	}
	if r.report.Unlisted {
		add("the list of the database's tables is damaged: records may be outdated, and how many is unknown")
	}
	for _, g := range r.report.Gaps {
		add("%s: some records cannot be read", filepath.Base(g.Path))
	}
	if r.malformed > 0 {
		add("%d records cannot be decoded", r.malformed)
	}
	if len(lines) == 0 && !r.incomplete {
		return nil
	}
	w, _ := readWitness(r.dir)
	if r.state.Position < w.Position {
		add("journal entries from position %d to %d: they are stored again if the journal still has them", r.state.Position+1, w.Position)
	}
	for _, k := range []struct {
		letters []byte
		text    string
	}{
		{[]byte{recSnapshot}, "snapshots: daily counts of accounts may be missing or outdated"},
		{[]byte{recDeleted}, "deletions: posts that were deleted may be back, unless the journal repeats their deletion"},
		{[]byte{recChangeByTime, recCountersAt, recInherited}, "counters: changes in the likes, shares and comments of posts may be missing or counted twice"},
		{[]byte{recEverMatched}, "expiry: posts that monitors once matched may expire earlier"},
		{[]byte{recUnmatched}, "modification times of days in monitors may be too early"},
	} {
		if r.affected(k.letters...) && !(k.letters[0] == recChangeByTime && !r.affected(recChangeByPosted) && !r.affected(recCountersAt, recInherited)) {
			lines = append(lines, k.text)
		}
	}
	return lines
}
