package bench

import (
	"context"
	"errors"
	"runtime"
	"time"

	"earshot/internal/poststore"
)

// MetricsResult are what asking about a year of a monitor takes.
type MetricsResult struct {
	Matched    int64         `json:"matched"`
	Segments   int           `json:"segments"`
	Metrics    []MetricTimes `json:"metrics"`
	Newest     PostsTimes    `json:"newest"`
	Deletion   DeletionTimes `json:"deletion"`
	ResidentMB float64       `json:"residentMb"` // the most there was, mapped files not counted
	HTTP       *HTTPResult   `json:"http,omitempty"`
}

// HTTPResult are what a server with a year of a monitor takes to answer over HTTP, warm and
// with several clients at a time.
type HTTPResult struct {
	Clients int            `json:"clients"`
	Times   []RequestTimes `json:"times"`
	Memory  MemoryResult   `json:"memory"`
}

// MetricTimes are how long one metric of the year took.
type MetricTimes struct {
	Metric string  `json:"metric"`
	Rows   int     `json:"rows"`   // of the answer
	Posts  int64   `json:"posts"`  // counted in them
	Cold   float64 `json:"coldMs"` // asked the first time of a store just opened
	P50    float64 `json:"p50Ms"`  // asked again
	P95    float64 `json:"p95Ms"`
}

// PostsTimes are how long it took to find the newest posts with a filter.
type PostsTimes struct {
	Query   string  `json:"query"`
	Matched int64   `json:"matched"`
	Posts   int     `json:"posts"`
	Cold    float64 `json:"coldMs"`
	P50     float64 `json:"p50Ms"`
	P95     float64 `json:"p95Ms"`
}

// DeletionTimes are how long it took to delete documents by guid.
type DeletionTimes struct {
	Documents int     `json:"documents"`
	DeleteMS  float64 `json:"deleteMs"`  // until no answer has them
	FlushMS   float64 `json:"flushMs"`   // until that is on disk
	RecountMS float64 `json:"recountMs"` // the days of the year, right after
	Gone      int64   `json:"gone"`      // by how much that count is less
}

// A metric is something that is asked of a monitor's year.
type metric struct {
	name string
	by   []poststore.Dim
	sum  []poststore.Measure
}

var metrics = []metric{
	{name: "by day", by: []poststore.Dim{poststore.ByDay}},
	{name: "by hour", by: []poststore.Dim{poststore.ByHour}},
	{name: "by source", by: []poststore.Dim{poststore.BySource}},
	{name: "by content source", by: []poststore.Dim{poststore.ByContentSource}},
	{name: "by site", by: []poststore.Dim{poststore.BySite}},
	{name: "by language", by: []poststore.Dim{poststore.ByLanguage}},
	{name: "by country", by: []poststore.Dim{poststore.ByCountry}},
	{name: "by state", by: []poststore.Dim{poststore.ByState}},
	{name: "by city", by: []poststore.Dim{poststore.ByCity}},
	{name: "by gender", by: []poststore.Dim{poststore.ByGender}},
	{name: "by age", by: []poststore.Dim{poststore.ByAge}},
	{name: "by hashtag", by: []poststore.Dim{poststore.ByHashtag}},
	{name: "by engagement", by: []poststore.Dim{poststore.ByEngagement}},
	{name: "by day and source", by: []poststore.Dim{poststore.ByDay, poststore.BySource}},
	{name: "by day and gender", by: []poststore.Dim{poststore.ByDay, poststore.ByGender}},
	{name: "authors by day", by: []poststore.Dim{poststore.ByDay}, sum: []poststore.Measure{poststore.Authors}},
	{name: "impressions by day", by: []poststore.Dim{poststore.ByDay}, sum: []poststore.Measure{poststore.Impressions}},
	{name: "authors of the year", sum: []poststore.Measure{poststore.Authors}},
}

const (
	customEvery = 20      // posts of the year
	deletions   = 100_000 // at most
	newestPosts = 500
)

func measureMetrics(ctx context.Context, s *session) (any, error) {
	g := s.year()
	g.Custom = customEvery
	guids := g.CustomGUIDs(deletions)
	queries, err := g.Words().Queries()
	if err != nil {
		return nil, err
	}
	st, err := s.filledStore(ctx, "metrics", g, appendMonitors)
	if err != nil {
		return nil, err
	}
	if err := s.prepareServer(ctx, yearDays); err != nil {
		return nil, errors.Join(err, st.Close())
	}
	y := &year{session: s, store: st, zone: newYork(), end: g.End()}
	s.freeSample()
	runtime.GOMAXPROCS(s.cpus)
	result, err := y.measure(ctx, queries[len(queries)-1], guids)
	if err = errors.Join(err, st.Close()); err != nil || s.serve == nil {
		return result, err
	}
	result.HTTP, err = s.measureHTTP(ctx)
	return result, err
}

// prepareServer makes the posts of the server while the sample is still there.
func (s *session) prepareServer(ctx context.Context, days int) error {
	if s.serve == nil {
		return nil
	}
	_, err := s.filledServer(ctx, days)
	return err
}

// measureHTTP asks a whole server for everything that it tells of a monitor.
func (s *session) measureHTTP(ctx context.Context) (*HTTPResult, error) {
	v, err := s.openServer(ctx, yearDays)
	if err != nil {
		return nil, err
	}
	defer v.close()
	f := &HTTPResult{Clients: clients}
	for _, e := range endpoints {
		s.logf("asking over HTTP: %s", e)
		for _, st := range dateRanges {
			times, err := v.times(ctx, e, st)
			if err != nil {
				return nil, err
			}
			f.Times = append(f.Times, times)
		}
	}
	f.Memory, err = v.steady(ctx, newRequestMix(f.Times))
	return f, err
}

// newYork is a zone with a summer time.
func newYork() *time.Location {
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		return time.UTC
	}
	return zone
}
