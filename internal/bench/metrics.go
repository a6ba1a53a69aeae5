package bench

import (
	"context"
	"errors"
	"runtime"
	"time"

	"earshot/internal/poststore"
)

// A MetricsResult is the cost of queries over a year of a monitor's posts.
type MetricsResult struct {
	Matched    int64         `json:"matched"`
	Segments   int           `json:"segments"`
	Metrics    []MetricTimes `json:"metrics"`
	Newest     PostsTimes    `json:"newest"`
	Deletion   DeletionTimes `json:"deletion"`
	ResidentMB float64       `json:"residentMb"` // peak, without mapped files
	HTTP       *HTTPResult   `json:"http,omitempty"`
}

// An HTTPResult is the cost of HTTP requests for a year of a monitor's posts, with warm caches and
// several concurrent clients.
type HTTPResult struct {
	Clients int            `json:"clients"`
	Times   []RequestTimes `json:"times"`
	Memory  MemoryResult   `json:"memory"`
}

// MetricTimes are the response times of a metric over the year.
type MetricTimes struct {
	Metric string  `json:"metric"`
	Rows   int     `json:"rows"`   // of the result
	Posts  int64   `json:"posts"`  // counted in the rows
	Cold   float64 `json:"coldMs"` // the first query on a newly opened store
	P50    float64 `json:"p50Ms"`  // repeated queries
	P95    float64 `json:"p95Ms"`
}

// PostsTimes are the response times for finding the newest posts that a query selects.
type PostsTimes struct {
	Query   string  `json:"query"`
	Matched int64   `json:"matched"`
	Posts   int     `json:"posts"`
	Cold    float64 `json:"coldMs"`
	P50     float64 `json:"p50Ms"`
	P95     float64 `json:"p95Ms"`
}

// DeletionTimes measure the deletion of documents by guid.
type DeletionTimes struct {
	Documents int     `json:"documents"`
	DeleteMS  float64 `json:"deleteMs"`  // until no result includes them
	FlushMS   float64 `json:"flushMs"`   // until the deletion is on disk
	RecountMS float64 `json:"recountMs"` // to count the year by day right after that
	Gone      int64   `json:"gone"`      // decrease in the count
}

// A metric is a query over a year of a monitor's posts.
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
	customEvery = 20      // every 20th post is a custom post
	deletions   = 100_000 // maximum
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

// prepareServer fills the server while the sample is still in memory.
func (s *session) prepareServer(ctx context.Context, days int) error {
	if s.serve == nil {
		return nil
	}
	_, err := s.filledServer(ctx, days)
	return err
}

// measureHTTP requests all metrics of a monitor from a complete server.
func (s *session) measureHTTP(ctx context.Context) (*HTTPResult, error) {
	v, err := s.openServer(ctx, yearDays)
	if err != nil {
		return nil, err
	}
	defer v.close()
	f := &HTTPResult{Clients: clients}
	for _, e := range endpoints {
		s.logf("requesting over HTTP: %s", e)
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

// newYork returns a time zone with daylight saving time.
func newYork() *time.Location {
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		return time.UTC
	}
	return zone
}
