package bench

import (
	"context"
	"errors"
	"runtime"

	"earshot/internal/poststore"
)

// An AnalysisResult is the cost of queries over one day of posts.
type AnalysisResult struct {
	Stored     int64        `json:"stored"`
	Segments   int          `json:"segments"`
	Queries    []QueryTimes `json:"questions"`
	ResidentMB float64      `json:"residentMb"` // peak, without mapped files

	HTTP *SubmissionResult `json:"http,omitempty"`
}

// QueryTimes are the response times of a query.
type QueryTimes struct {
	Name     string  `json:"question"`
	Query    string  `json:"query"`
	Rows     int64   `json:"rows"`
	P50      float64 `json:"p50Ms"`
	P95      float64 `json:"p95Ms"`
	Hashtags float64 `json:"p50WithHashtagsMs"` // if all hashtags are counted as well
	Runs     int     `json:"runs"`
}

// analysisDims are the dimensions that every query counts by. Other engines use the same ones.
var analysisDims = []poststore.Dim{
	poststore.ByHour, poststore.ByDay, poststore.BySource, poststore.ByContentSource, poststore.BySite, poststore.ByLanguage,
	poststore.ByCountry, poststore.ByState, poststore.ByCity, poststore.ByGender, poststore.ByAge, poststore.ByEngagement,
}

// AnalysisTallies returns the tallies of every query: the selected posts by each dimension, and
// their impressions.
func AnalysisTallies() []poststore.Tally {
	ts := []poststore.Tally{{Sum: []poststore.Measure{poststore.Impressions}}}
	for _, d := range analysisDims {
		ts = append(ts, poststore.Tally{By: []poststore.Dim{d}})
	}
	return ts
}

// AllTallies returns AnalysisTallies and a tally of all hashtags, of which there are very many.
func AllTallies() []poststore.Tally {
	return append(AnalysisTallies(), poststore.Tally{By: []poststore.Dim{poststore.ByHashtag}})
}

// measureAnalysis queries one day of posts: first in the store alone, then in a complete server
// over HTTP, with all cores.
func measureAnalysis(ctx context.Context, s *session) (any, error) {
	g := s.day()
	queries, err := g.Words().Queries()
	if err != nil {
		return nil, err
	}
	st, err := s.filledStore(ctx, "analysis", g, 0)
	if err != nil {
		return nil, err
	}
	if err := s.prepareServer(ctx, 1); err != nil {
		return nil, errors.Join(err, st.Close())
	}
	s.freeSample()
	all := runtime.GOMAXPROCS(s.cpus)
	result, err := s.measureQueries(ctx, st, queries)
	if err = errors.Join(err, st.Close()); err != nil || s.serve == nil {
		return result, err
	}
	runtime.GOMAXPROCS(all)
	result.HTTP, err = s.measureSubmissions(ctx, queries)
	return result, err
}

func (s *session) measureQueries(ctx context.Context, st store, queries []Query) (AnalysisResult, error) {
	stats, err := st.Stats(ctx)
	if err != nil {
		return AnalysisResult{}, err
	}
	result := AnalysisResult{Stored: stats.Posts, Segments: stats.Segments}
	peak := Resident()
	for _, q := range queries {
		s.logf("querying: %s", q.Name)
		times, err := s.measureQuery(ctx, st, q)
		if err != nil {
			return result, err
		}
		result.Queries = append(result.Queries, times)
		peak = max(peak, Resident())
	}
	result.ResidentMB = megabytes(peak)
	return result, nil
}

func (s *session) measureQuery(ctx context.Context, st poststore.Store, q Query) (QueryTimes, error) {
	where, err := q.Condition()
	if err != nil {
		return QueryTimes{}, err
	}
	of := poststore.Selection{Where: where, From: firstDay, To: firstDay.AddDate(0, 0, 1)}
	var rows [][]poststore.Row
	times, err := Repeat(s.runs, func() (err error) {
		rows, err = st.Tallies(ctx, of, AnalysisTallies())
		return err
	})
	if err != nil {
		return QueryTimes{}, err
	}
	withHashtags, err := Repeat(s.runs, func() error {
		_, err := st.Tallies(ctx, of, AllTallies())
		return err
	})
	if err != nil {
		return QueryTimes{}, err
	}
	return QueryTimes{
		Hashtags: Milliseconds(withHashtags.Quantile(0.5)),
		Name:     q.Name,
		Query:    q.Keywords(),
		Rows:     rows[0][0].Posts,
		P50:      Milliseconds(times.Quantile(0.5)),
		P95:      Milliseconds(times.Quantile(0.95)),
		Runs:     len(times),
	}, nil
}
