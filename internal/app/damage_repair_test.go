package app_test

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"earshot/internal/account"
	"earshot/internal/app"
	"earshot/internal/integrity"
	"earshot/internal/poststore/local"
	"earshot/internal/state/natsfile"
)

// repair repairs damaged data, compares the report with what is really lost, and starts the
// service.
func (w *damageWorker) repair(data string) (problems []string) {
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	repairs, err := planRepairs(ctx, data)
	if err != nil {
		return []string{"the repair is impossible: " + err.Error()}
	}
	if len(repairs) == 0 {
		return []string{"there is nothing to repair"}
	}
	for _, r := range repairs {
		if err := r.Apply(ctx); err != nil {
			return []string{fmt.Sprintf("%s: %v", r.Summary, err)}
		}
	}
	problems, err = w.compareLost(ctx, data, repairs)
	if err != nil {
		return []string{"after the repair: " + err.Error()}
	}
	r := w.start(data, nil)
	switch lost := slices.ContainsFunc(repairs, func(r integrity.Repair) bool { return len(r.Lost) > 0 }); {
	case r.Outcome == outcomeRefused || r.Outcome == outcomeUnclear:
		problems = append(problems, "the service does not start after the repair: "+r.Message)
	case !lost:
		for _, d := range r.Differences {
			problems = append(problems, "nothing is reported as lost, but "+d)
		}
	}
	return problems
}

// planRepairs plans what "earshot repair" does.
func planRepairs(ctx context.Context, data string) (all []integrity.Repair, err error) {
	for _, plan := range []func() ([]integrity.Repair, error){
		account.SecretFile{Path: filepath.Join(data, "secret.key"), Checksum: filepath.Join(data, "secret.sum")}.Plan,
		func() ([]integrity.Repair, error) {
			return natsfile.Plan(ctx, natsfile.Options{Dir: filepath.Join(data, "nats")})
		},
		func() ([]integrity.Repair, error) { return local.Plan(ctx, filepath.Join(data, "posts")) },
	} {
		repairs, err := plan()
		if err != nil {
			return nil, err
		}
		all = append(all, repairs...)
	}
	return all, nil
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
func (w *damageWorker) compareLost(ctx context.Context, data string, repairs []integrity.Repair) (problems []string, err error) {
	got, err := app.StreamMessages(ctx, data)
	if err != nil {
		return nil, err
	}
	lost, older, unknown := lostMessages(repairs)
	for _, line := range unknown {
		problems = append(problems, "the report has an unknown line: "+line)
	}
	for m, content := range w.Messages {
		switch found, has := got[m]; {
		case has && found != content:
			problems = append(problems, fmt.Sprintf("%v was changed", m))
		case has && lost[m]:
			problems = append(problems, fmt.Sprintf("%v is reported as lost, but is there", m))
		case !has && !lost[m] && content != app.DeletionMessage:
			problems = append(problems, fmt.Sprintf("%v is lost, but not reported", m))
		}
		delete(lost, m)
	}
	for m := range lost {
		problems = append(problems, fmt.Sprintf("%v is reported as lost, but was never there", m))
	}
	for m := range got {
		if _, known := w.Messages[m]; !known && !older[m] {
			problems = append(problems, fmt.Sprintf("%v is back after the repair", m))
		}
	}
	return slices.Sorted(slices.Values(problems)), nil
}
