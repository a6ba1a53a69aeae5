package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/parallel"
)

// What an explanation must achieve to be right about a story: the share of the excess that it
// explains, and how many of the most over-represented words may precede a term of the story.
const (
	requiredExplained = 0.8
	topWords          = 5
)

// An ExplanationsResult says how often explanations of spikes are right.
type ExplanationsResult struct {
	Stories TrialsResult   `json:"stories"`        // trials with a story
	Without TrialsResult   `json:"withoutStories"` // all trials without one
	Kinds   []TrialsResult `json:"kinds"`          // the same by kind
	Volumes []TrialsResult `json:"volumes"`        // trials with a story, by expected posts per period
	Sizes   []TrialsResult `json:"sizes"`          // and by size of the spike
	Misses  []Miss         `json:"misses"`         // wrong explanations, the first ones
}

// A TrialsResult summarizes trials.
type TrialsResult struct {
	Name      string  `json:"name"`
	Trials    int     `json:"trials"`
	Right     int     `json:"right"`
	Share     float64 `json:"share"`                // right of all
	Terms     int     `json:"termsOnTop,omitempty"` // trials with a story whose terms are the most over-represented
	Explained int     `json:"explained,omitempty"`  // trials with a story that explains enough of the excess
	Unnoticed int     `json:"unnoticed,omitempty"`  // spikes that were drawn, too small to be noticed; not among the trials
}

// A Miss is a trial with a wrong explanation.
type Miss struct {
	Trial     string   `json:"trial"`
	Terms     []string `json:"terms,omitempty"`
	Words     []string `json:"words"`
	Stories   []string `json:"stories"`
	Posts     int64    `json:"posts"`
	Expected  float64  `json:"expected"`
	Planted   int      `json:"planted"`
	Explained float64  `json:"explained"`
}

// explanations returns the measurement with a maximum number of usual posts per hour. The count is the
// number of trials with a story, and of as many without.
func explanations(perHour float64) Bench {
	return Bench{Name: "explanations", Count: 200, run: func(ctx context.Context, s *session) (any, error) {
		return s.measureExplanations(ctx, perHour)
	}}
}

// measureExplanations explains spikes of generated posts, half of which have a story.
func (s *session) measureExplanations(ctx context.Context, perHour float64) (any, error) {
	w, err := newTrialWorld(s.sample, perHour)
	if err != nil {
		return nil, err
	}
	if err := s.emptyDir(); err != nil {
		return nil, err
	}
	kinds := make([]trialKind, 2*s.count)
	for i := range kinds {
		if kinds[i] = storyTrial; i >= s.count {
			kinds[i] = trialsWithout[i%len(trialsWithout)]
		}
	}
	outcomes := make([]trialOutcome, len(kinds))
	err = parallel.For(ctx, len(kinds), s.cpus, func(ctx context.Context, i int) (err error) {
		outcomes[i], err = s.explainTrial(ctx, w, kinds[i], i)
		if (i+1)%50 == 0 {
			s.logf("%d trials", i+1)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	s.count = 0
	for _, o := range outcomes {
		s.count += o.posts
	}
	return summarizeTrials(outcomes), nil
}

// A trialOutcome is a trial with its explanation.
type trialOutcome struct {
	*trial
	*insight.Explanation
	posts     int // generated
	unnoticed int // earlier draws that were not noticed
}

// explainTrial draws spikes until one is noticed, and explains it. Trials without a spike are explained
// in any case.
func (s *session) explainTrial(ctx context.Context, w *trialWorld, kind trialKind, number int) (o trialOutcome, err error) {
	for draw := uint64(0); ; draw++ {
		t := w.draw(kind, s.seed, uint64(number), draw)
		if o.Explanation, err = s.explainPosts(ctx, t, filepath.Join(s.dir, fmt.Sprintf("trial%d", number))); err != nil {
			return o, err
		}
		o.trial = t
		o.posts += len(t.matched)
		if t.isNoticed(o.Explanation) {
			t.matched = nil
			return o, nil
		}
		o.unnoticed++
	}
}

// explainPosts explains the period of a trial like the service does, in a store of its own.
func (s *session) explainPosts(ctx context.Context, t *trial, dir string) (_ *insight.Explanation, err error) {
	st, err := s.open(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, st.Close(), os.RemoveAll(dir)) }()
	at := earshot.Position(0)
	for batch := range slices.Chunk(t.matched, batchSize) {
		at++
		if err := st.Append(ctx, at, batch); err != nil {
			return nil, err
		}
	}
	service := &insight.Service{Store: st, Now: func() time.Time { return t.to.AddDate(0, 0, 1) }}
	return service.Explain(ctx, t.monitor(), insight.ExplainRequest{From: t.from, To: t.to})
}

// monitor returns the monitor of a trial.
func (t *trial) monitor() *earshot.Monitor {
	return &earshot.Monitor{
		ID: earshot.MonitorID(testMonitor), Team: CustomTeam, Type: earshot.Buzz, Enabled: true,
		Timezone: "UTC", Start: earshot.DateOf(t.from.AddDate(0, 0, -7*trialWeeks-4)), Criteria: earshot.Criteria{Keywords: t.keyword},
	}
}

// isNoticed reports whether a trial counts: it has no spike, or one with more posts than the prediction
// interval allows. Others would not be explained.
func (t *trial) isNoticed(e *insight.Explanation) bool {
	return t.size == 1 || e.Change == insight.ChangeMore
}

// topTerms reports whether the most over-represented words are terms of the story.
func (o *trialOutcome) topTerms() bool {
	found := 0
	for _, d := range o.Words[:min(topWords, len(o.Words))] {
		if slices.Contains(o.terms, strings.TrimLeft(d.Name, "#")) {
			found++
		}
	}
	return found >= min(topWords, len(o.terms))
}

func (o *trialOutcome) isExplained() bool { return o.Explained >= requiredExplained }

// isRight reports whether the explanation is right.
func (o *trialOutcome) isRight() bool {
	if o.kind == storyTrial {
		return o.topTerms() && o.isExplained()
	}
	return o.Cause == insight.CauseNone && len(o.Stories) == 0
}

func (t *TrialsResult) add(o *trialOutcome) {
	t.Trials++
	t.Unnoticed += o.unnoticed
	count := func(n *int, right bool) {
		if right {
			*n++
		}
	}
	count(&t.Right, o.isRight())
	if o.kind == storyTrial {
		count(&t.Terms, o.topTerms())
		count(&t.Explained, o.isExplained())
	}
	t.Share = float64(t.Right) / float64(t.Trials)
}

// maxMisses is the number of wrong explanations that are listed.
const maxMisses = 40

func summarizeTrials(outcomes []trialOutcome) ExplanationsResult {
	r := ExplanationsResult{Stories: TrialsResult{Name: string(storyTrial)}, Without: TrialsResult{Name: "without a story"}}
	var kinds, volumes, sizes trialGroups
	for i := range outcomes {
		o := &outcomes[i]
		if o.kind == storyTrial {
			r.Stories.add(o)
			volumes.add(o, rangeName(o.Expected.Posts, []float64{10, 30, 100, 300, 1000}, "expected posts"))
			sizes.add(o, rangeName(o.size, []float64{2, 3, 5}, "times"))
		} else {
			r.Without.add(o)
		}
		kinds.add(o, string(o.kind))
		if !o.isRight() && len(r.Misses) < maxMisses {
			r.Misses = append(r.Misses, o.miss())
		}
	}
	r.Kinds, r.Volumes, r.Sizes = kinds.sorted(), volumes.sorted(), sizes.sorted()
	return r
}

// trialGroups are trials in groups.
type trialGroups map[string]*TrialsResult

func (g *trialGroups) add(o *trialOutcome, name string) {
	if *g == nil {
		*g = trialGroups{}
	}
	if (*g)[name] == nil {
		(*g)[name] = &TrialsResult{Name: name}
	}
	(*g)[name].add(o)
}

func (g trialGroups) sorted() (list []TrialsResult) {
	for _, t := range g {
		list = append(list, *t)
	}
	slices.SortFunc(list, func(a, b TrialsResult) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// rangeName returns the name of the range that a number is in.
func rangeName(x float64, limits []float64, unit string) string {
	i, _ := slices.BinarySearch(limits, x)
	if i == len(limits) {
		return fmt.Sprintf("%d: more %s", i, unit)
	}
	return fmt.Sprintf("%d: up to %g %s", i, limits[i], unit)
}

// miss describes a wrong explanation.
func (o *trialOutcome) miss() Miss {
	m := Miss{
		Trial: fmt.Sprintf("%s: language %q, %.0f posts per hour, %.1f times as many for %d hours", o.kind, o.language, o.perHour, o.size, o.hours),
		Terms: o.terms, Posts: o.Posts, Planted: o.planted, Explained: o.Explanation.Explained,
	}
	if o.Expected != nil {
		m.Expected = o.Expected.Posts
	}
	for _, d := range o.Words[:min(2*topWords, len(o.Words))] {
		m.Words = append(m.Words, fmt.Sprintf("%s (%d, %.1f expected, %.1f)", d.Name, d.Posts, d.Expected, d.Score))
	}
	for _, story := range o.Explanation.Stories {
		m.Stories = append(m.Stories, fmt.Sprintf("%s: %d posts, %.1f expected, %.2f", story.Query, story.Posts, story.Expected, story.Share))
	}
	return m
}
