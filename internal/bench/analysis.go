package bench

import (
	"context"
	"errors"
	"runtime"

	"earshot/internal/poststore"
)

// AnalysisFigures are what asking about one day takes.
type AnalysisFigures struct {
	Stored     int64           `json:"stored"`
	Segments   int             `json:"segments"`
	Questions  []QuestionTimes `json:"questions"`
	ResidentMB float64         `json:"residentMb"` // the most there was, mapped files not counted

	HTTP *SubmissionFigures `json:"http,omitempty"`
}

// QuestionTimes are how long one question took.
type QuestionTimes struct {
	Question string  `json:"question"`
	Query    string  `json:"query"`
	Rows     int64   `json:"rows"`
	P50      float64 `json:"p50Ms"`
	P95      float64 `json:"p95Ms"`
	Hashtags float64 `json:"p50WithHashtagsMs"` // by all hashtags, too
	Runs     int     `json:"runs"`
}

// analysisDims are what every question is answered with. Others fare on the same.
var analysisDims = []poststore.Dim{
	poststore.ByHour, poststore.ByDay, poststore.BySource, poststore.ByContentSource, poststore.BySite, poststore.ByLanguage,
	poststore.ByCountry, poststore.ByState, poststore.ByCity, poststore.ByGender, poststore.ByAge, poststore.ByEngagement,
}

// AnalysisTallies are what every question is answered with: the selected posts by all of
// these, and their impressions.
func AnalysisTallies() []poststore.Tally {
	ts := []poststore.Tally{{Sum: []poststore.Measure{poststore.Impressions}}}
	for _, d := range analysisDims {
		ts = append(ts, poststore.Tally{By: []poststore.Dim{d}})
	}
	return ts
}

// AllTallies are AnalysisTallies and all hashtags, of which there are very many.
func AllTallies() []poststore.Tally {
	return append(AnalysisTallies(), poststore.Tally{By: []poststore.Dim{poststore.ByHashtag}})
}

// measureAnalysis asks about the posts of one day: the store by itself, and then a whole
// server, over HTTP and with all cores.
func measureAnalysis(ctx context.Context, s *session) (any, error) {
	g := s.day()
	questions, err := g.Words().Questions()
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
	s.forget()
	all := runtime.GOMAXPROCS(s.cpus)
	figures, err := s.askAll(ctx, st, questions)
	if err = errors.Join(err, st.Close()); err != nil || s.serve == nil {
		return figures, err
	}
	runtime.GOMAXPROCS(all)
	figures.HTTP, err = s.measureSubmissions(ctx, questions)
	return figures, err
}

func (s *session) askAll(ctx context.Context, st store, questions []Question) (AnalysisFigures, error) {
	stats, err := st.Stats(ctx)
	if err != nil {
		return AnalysisFigures{}, err
	}
	figures := AnalysisFigures{Stored: stats.Posts, Segments: stats.Segments}
	most := Resident()
	for _, q := range questions {
		s.say("asking: %s", q.Name)
		times, err := s.askOne(ctx, st, q)
		if err != nil {
			return figures, err
		}
		figures.Questions = append(figures.Questions, times)
		most = max(most, Resident())
	}
	figures.ResidentMB = megabytes(most)
	return figures, nil
}

func (s *session) askOne(ctx context.Context, st poststore.Store, q Question) (QuestionTimes, error) {
	where, err := q.Condition()
	if err != nil {
		return QuestionTimes{}, err
	}
	of := poststore.Selection{Where: where, From: measured, To: measured.AddDate(0, 0, 1)}
	var rows [][]poststore.Row
	times, err := Repeat(s.runs, func() (err error) {
		rows, err = st.Tallies(ctx, of, AnalysisTallies())
		return err
	})
	if err != nil {
		return QuestionTimes{}, err
	}
	withHashtags, err := Repeat(s.runs, func() error {
		_, err := st.Tallies(ctx, of, AllTallies())
		return err
	})
	if err != nil {
		return QuestionTimes{}, err
	}
	return QuestionTimes{
		Hashtags: Milliseconds(withHashtags.Quantile(0.5)),
		Question: q.Name,
		Query:    q.Keywords(),
		Rows:     rows[0][0].Posts,
		P50:      Milliseconds(times.Quantile(0.5)),
		P95:      Milliseconds(times.Quantile(0.95)),
		Runs:     len(times),
	}, nil
}
