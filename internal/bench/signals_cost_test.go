package bench

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"runtime"
	"slices"
	"time"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/monitor"
	"earshot/internal/notify/signal"
	"earshot/internal/poststore"
	"earshot/internal/query/filter"
	"earshot/internal/state/catalog"
	"earshot/internal/state/kv"
)

// A SignalsCostResult is the cost of watching many monitors for unusual activity.
type SignalsCostResult struct {
	Monitors  int     `json:"monitors"`
	Matched   float64 `json:"postsPerMonitorAndDay"` // on average
	StartCPU  float64 `json:"startCpuSeconds"`       // of the first evaluation, which reads the history
	DailyCPU  float64 `json:"dailyCpuSeconds"`       // of the evaluations in which shares and newcomers are learned
	CPU       float64 `json:"cpuSecondsPer5Minutes"` // average of an hour
	MaxCPU    float64 `json:"maxCpuSecondsPer5Minutes"`
	CoreShare float64 `json:"shareOfACore"`
	Memory    float64 `json:"megabytes"` // that the service keeps
	Signals   int     `json:"signals"`
}

const (
	signalMonitors = 10_000
	signalHistory  = 8 * 7 * 24 * time.Hour
	signalStep     = 5 * time.Minute
	signalSteps    = 24 // evaluations after the first
)

var signalsCost = Bench{Name: "signals-cost", Count: 2_000_000, run: measureSignalsCost}

// measureSignalsCost fills a store with eight weeks of posts and evaluates all monitors every five
// minutes for two hours of further posts, on a simulated clock. The first hour learns what is learned
// once a day, the second one is what every further hour costs.
func measureSignalsCost(ctx context.Context, s *session) (any, error) {
	runtime.GOMAXPROCS(s.cpus)
	store, err := s.open(ctx, s.dir+"/posts")
	if err != nil {
		return nil, err
	}
	defer store.Close()
	monitors := signalMonitors
	if !slices.Equal(s.monitors, monitorCounts) { // in tests
		monitors = s.monitors[len(s.monitors)-1]
	}
	records, err := catalog.Open(ctx, kv.NewMemory(), slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	defer records.Close()
	for i := range monitors {
		id := earshot.MonitorID(testMonitor) + earshot.MonitorID(i)
		err := records.Monitors.Add(ctx, id, &earshot.Monitor{ID: id, Team: 1, Name: fmt.Sprint("Brand ", i), Type: earshot.Buzz, Enabled: true, Timezone: "Europe/Berlin", Start: earshot.DateOf(firstDay)})
		if err != nil {
			return nil, err
		}
	}
	clock := firstDay.Add(signalHistory)
	known := &monitor.Service{Catalog: records}
	service := &signal.Service{
		Posts: store, Catalog: records, Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return clock },
		Monitors: known, Filters: &filter.Service{Monitors: known}, Insight: noInsight{},
	}
	g := s.generator(signalHistory + signalSteps*signalStep)
	at, matches := earshot.Position(0), 0
	steps := 0
	var result SignalsCostResult
	var costs []float64
	var pending []poststore.MatchedPost
	flush := func() error {
		if len(pending) == 0 {
			return nil
		}
		at++
		err := store.Append(ctx, at, pending)
		if steps > 0 { // before, the service does not run
			service.Touch(pending)
		}
		pending = nil
		return err
	}
	before := heap()
	evaluate := func() error {
		if err := flush(); err != nil {
			return err
		}
		if steps == 0 {
			s.logf("stored %d posts; evaluating", g.Count)
			if err := store.Flush(ctx); err != nil {
				return err
			}
			before = heap()
		}
		began := processorTime()
		service.Evaluate(ctx)
		used := (processorTime() - began).Seconds()
		switch {
		case steps == 0:
			result.StartCPU = used
		case steps <= signalSteps/2:
			result.DailyCPU += used
		default:
			costs = append(costs, used)
		}
		s.logf("%s: %.2f s", clock.Format(time.TimeOnly), used)
		steps++
		clock = clock.Add(signalStep)
		return ctx.Err()
	}
	n := 0
	for p := range g.Posts() {
		for !p.Time.Before(clock) {
			if err := evaluate(); err != nil {
				return nil, err
			}
		}
		d := newRNG(g.Seed, matchStream, n)
		sets := watchedBy(monitors, &d)
		matches += len(sets)
		pending = append(pending, poststore.MatchedPost{Post: p, Sets: sets})
		if n++; len(pending) >= batchSize {
			if err := flush(); err != nil {
				return nil, err
			}
		}
	}
	for steps <= signalSteps {
		if err := evaluate(); err != nil {
			return nil, err
		}
	}
	result.Memory = megabytes(heap() - before)
	result.Monitors, result.Signals = monitors, len(records.Signals.List())
	result.Matched = float64(matches) / float64(monitors) / signalHistory.Hours() * 24
	result.MaxCPU = slices.Max(costs)
	for _, c := range costs {
		result.CPU += c / float64(len(costs))
	}
	result.CoreShare = math.Round(10_000*result.CPU/signalStep.Seconds()) / 10_000
	runtime.KeepAlive(service)
	return result, nil
}

// watchedBy returns the monitors of a post: one or two of them, some much more often than others.
func watchedBy(monitors int, d *rng) []poststore.SetID {
	sets := []poststore.SetID{testMonitor + poststore.SetID(d.skewed(monitors))}
	if other := testMonitor + poststore.SetID(d.below(monitors)); d.chance(50) && other != sets[0] {
		sets = append(sets, other)
	}
	return sets
}

// heap returns the bytes in use after a garbage collection.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// noInsight leaves out what this benchmark does not measure: topics and explanations.
type noInsight struct{ signal.Insight }

func (noInsight) WithCategorization(_ context.Context, _ *earshot.Monitor, do func(insight.Categorization) error) error {
	return do(insight.Categorization{})
}

func (noInsight) ReportTopics(context.Context, *earshot.Monitor, insight.ReportRequest, int) (*insight.TopicReport, error) {
	return &insight.TopicReport{}, nil
}
