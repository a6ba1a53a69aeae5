package app_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"earshot/internal/app"
	"earshot/internal/operate"
	"earshot/internal/operate/integrity"
)

// repair repairs damaged data, compares the report with what is really lost, and starts the
// service.
func (w *damageWorker) repair(data string) (problems []string) {
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	done, err := repairAll(ctx, data)
	switch {
	case errors.Is(err, operate.ErrIrreparable):
		return nil
	case err != nil:
		return []string{"the repair failed: " + err.Error()}
	case done.Nothing():
		return []string{"there was nothing to repair"}
	}
	if problems, err = w.compareLost(ctx, data, done); err != nil {
		return []string{"after the repair: " + err.Error()}
	}
	r := w.start(data, nil)
	switch {
	case r.Outcome == outcomeRefused || r.Outcome == outcomeUnclear:
		problems = append(problems, "the service does not start after the repair: "+r.Message)
	case len(done.Lost) == 0:
		for _, d := range r.Differences {
			if !repaired(d) {
				problems = append(problems, "nothing is reported as lost, but "+d)
			}
		}
	}
	return problems
}

// repairSegments recovers the posts of quarantined segments, and compares the number of lost posts
// with the truth.
func (w *damageWorker) repairSegments(data string) (problems []string) {
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	done, err := repairAll(ctx, data)
	if err != nil {
		return []string{"the repair failed: " + err.Error()}
	}
	r := w.start(data, nil)
	var missing []string
	for _, d := range r.Differences {
		if strings.HasPrefix(d, "post {") && strings.HasSuffix(d, " is missing") {
			missing = append(missing, d)
		}
	}
	if int64(len(missing)) != done.LostPosts {
		problem := fmt.Sprintf("the repair reports %d lost posts and %d recovered ones, but %d posts are missing", done.LostPosts, done.RecoveredPosts, len(missing))
		problems = append([]string{problem}, missing...)
	}
	return problems
}

// repairAll does what "earshot repair --yes" does.
func repairAll(ctx context.Context, data string) (*operate.RepairResult, error) {
	cfg := damageConfig(data)
	return operate.Repair(ctx, cfg, operate.RepairOptions{
		Open: func(ctx context.Context) (*operate.Engines, error) {
			return app.OpenEngines(ctx, cfg, "", slog.New(slog.DiscardHandler))
		},
		Confirm: func(*operate.RepairPlan) (bool, error) { return true, nil },
	})
}

// repaired reports whether a difference is the work of a repair: it skips IDs that may have been
// assigned, and appends dead letters to the journal again.
func repaired(difference string) bool {
	for _, prefix := range []string{"catalog sequence", "catalog largesequence", "probe team", "probe position", "dead letter", "journal"} {
		if strings.HasPrefix(difference, prefix) {
			return true
		}
	}
	return false
}

// The lines of a report about a stream, which the summary of the repair names. If an older revision
// of an entry is readable, it takes the place of the lost one.
var (
	rebuiltStream = regexp.MustCompile(`the stream (\S+)`)
	lostRange     = regexp.MustCompile(`^messages? (\d+)(?: to (\d+))?(?:,|$)`)
	lostRevision  = regexp.MustCompile(`^\S+, revision (\d+) of [^;]*(?:; its revision (\d+) )?`)
)

// lostMessages returns what the repairs report as lost: messages that are gone, and older ones that
// take their place.
func lostMessages(repairs []integrity.Repair) (lost, older map[app.StreamMessage]bool, unknown []string) {
	lost, older = map[app.StreamMessage]bool{}, map[app.StreamMessage]bool{}
	for _, r := range repairs {
		found := rebuiltStream.FindStringSubmatch(r.Summary)
		if found == nil {
			continue // not a stream
		}
		stream := found[1]
		for _, line := range r.Lost {
			if found := lostRange.FindStringSubmatch(line); found != nil {
				first, last := number(found[1]), max(number(found[1]), number(found[2]))
				for n := first; n <= last; n++ {
					lost[app.StreamMessage{Stream: stream, Sequence: n}] = true
				}
			} else if found := lostRevision.FindStringSubmatch(line); found != nil {
				lost[app.StreamMessage{Stream: stream, Sequence: number(found[1])}] = true
				older[app.StreamMessage{Stream: stream, Sequence: number(found[2])}] = true
			} else {
				unknown = append(unknown, line)
			}
		}
	}
	return lost, older, unknown
}

func number(s string) uint64 {
	n, _ := strconv.ParseUint(s, 10, 64)
	return n
}

// compareLost returns where the report of a repair differs from what the repaired streams lack.
func (w *damageWorker) compareLost(ctx context.Context, data string, done *operate.RepairResult) (problems []string, err error) {
	got, err := app.StreamMessages(ctx, data)
	if err != nil {
		return nil, err
	}
	lost, older, unknown := lostMessages(done.Plan.Repairs)
	for _, line := range unknown {
		problems = append(problems, "the report has an unknown line: "+line)
	}
	end := map[string]uint64{} // of each stream; a repair may append messages
	for m := range w.Messages {
		end[m.Stream] = max(end[m.Stream], m.Sequence)
	}
	replaced := map[string]bool{}
	for m, content := range got {
		_, known := w.Messages[m]
		switch {
		case m.Sequence > end[m.Stream]:
			replaced[content.Subject] = true
		case !known && !older[m]:
			problems = append(problems, fmt.Sprintf("%v is back after the repair", m))
		}
	}
	for m, content := range w.Messages {
		switch found, has := got[m]; {
		case has && found != content:
			problems = append(problems, fmt.Sprintf("%v was changed", m))
		case has && lost[m]:
			problems = append(problems, fmt.Sprintf("%v is reported as lost, but is there", m))
		case !has && !lost[m] && !content.Deletion && !replaced[content.Subject] && !(m.Stream == "DEADLETTERS" && done.DeadLetters > 0):
			problems = append(problems, fmt.Sprintf("%v is lost, but not reported", m))
		}
		delete(lost, m)
	}
	for m := range lost {
		if m.Stream == "KV_ledger" || m.Stream == "KV_streams" || m.Stream == "KV_sources" {
			continue // if the end of the acknowledgment log is lost, purged entries pass for lost ones
		}
		problems = append(problems, fmt.Sprintf("%v is reported as lost, but was never there", m))
	}
	return slices.Sorted(slices.Values(problems)), nil
}
