package bench

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"earshot/internal/http/client"
)

// An OverviewResult is the cost of showing an overview of a year of a monitor's posts.
type OverviewResult struct {
	Times   []OverviewTimes `json:"times"`
	Summary OverviewTimes   `json:"summary"`
}

// OverviewTimes are the response times of a request.
type OverviewTimes struct {
	Request string  `json:"request"`
	Bytes   int64   `json:"bytes"`
	Cold    float64 `json:"coldMs"` // of a newly opened server with an empty day cache
	P50     float64 `json:"p50Ms"`  // repeated requests
	P95     float64 `json:"p95Ms"`
	CPU     float64 `json:"cpuMs"` // of this process for the first request; 0 if unknown
}

// An overview is a request for an overview, or for another page of a monitor.
type overview struct {
	name          string
	days          int
	filter, parts string
	page          string // instead of overview
	more          string // further parameters, encoded
}

// overviews lists the requests. The web app requests everything except words, and the words in a
// concurrent request.
var overviews = []overview{
	{name: "a year", days: yearDays},
	{name: "a year without words", days: yearDays, parts: pageParts},
	{name: "a year, words alone", days: yearDays, parts: "words"},
	{name: "a year of women's posts", days: yearDays, filter: "gender:F"},
	{name: "a year of English posts with a word", days: yearDays, filter: "language:en|keywords:today"},
	{name: "30 days", days: monthDays},
	{name: "a year, top posts", days: yearDays, page: "posts", more: "sort=engagement"},
	{name: "a year, most relevant posts", days: yearDays, page: "posts", more: "sort=relevance"},
	{name: "a year, duplicates", days: yearDays, page: "posts", more: "sort=engagement&group=true"},
	{name: "a year, topics", days: yearDays, page: "topics"},
	{name: "30 days, topics", days: monthDays, page: "topics"},
	{name: "30 days, changes", days: monthDays, page: "changes"},
	{name: "30 days, explanation", days: monthDays, page: "explanation"},
	{name: "a day, explanation", days: 1, page: "explanation"},
}

const pageParts = "days,hours,categories,emotions,previous,hashtags,sites,sources,languages,authors,places,ages,genders,clock,interests,images,engagement"

// measureOverview requests overviews of a monitor from a complete server over HTTP.
func measureOverview(ctx context.Context, s *session) (any, error) {
	if s.serve == nil {
		return &OverviewResult{}, ctx.Err()
	}
	if err := s.savePosts(); err != nil {
		return nil, err
	}
	if _, err := s.filledServer(ctx, yearDays); err != nil {
		return nil, err
	}
	s.freeSample()
	runtime.GOMAXPROCS(s.cpus)
	f := &OverviewResult{}
	for _, o := range overviews {
		s.logf("requesting over HTTP: %s", o.name)
		err := s.cold(ctx, func(v *runningServer) error {
			times, err := v.coldAndWarm(ctx, o.name, v.overview(o))
			f.Times = append(f.Times, times)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return f, s.cold(ctx, func(v *runningServer) (err error) {
		f.Summary, err = v.coldAndWarm(ctx, "summary of 365 days", client.Request{Method: "GET", Path: "/manage/v1/summary", Query: url.Values{"days": {"365"}}})
		return err
	})
}

// overview returns the request for a page.
func (v *runningServer) overview(o overview) client.Request {
	days := subrange(v.days, yearDays-o.days, o.days)
	query, err := url.ParseQuery(o.more)
	if err != nil {
		panic(err) // a constant
	}
	query.Set("start", days.Start.String())
	query.Set("end", days.End.String())
	for name, value := range map[string]string{"filter": o.filter, "parts": o.parts} {
		if value != "" {
			query.Set(name, value)
		}
	}
	return client.Request{Method: "GET", Path: "/manage/v1/monitors/" + strconv.FormatInt(int64(v.monitor), 10) + "/" + cmp.Or(o.page, "overview"), Query: query}
}

// coldAndWarm sends a request for the first time and then repeats it.
func (v *runningServer) coldAndWarm(ctx context.Context, name string, r client.Request) (t OverviewTimes, err error) {
	t.Request = name
	run := func() (err error) {
		t.Bytes, err = v.get(ctx, r)
		return err
	}
	before := processorTime()
	cold, err := once(run)
	if err != nil {
		return t, err
	}
	t.CPU = Milliseconds(processorTime() - before)
	warm, err := Repeat(v.runs, run)
	if err != nil {
		return t, err
	}
	t.Cold, t.P50, t.P95 = Milliseconds(cold), Milliseconds(warm.Quantile(0.5)), Milliseconds(warm.Quantile(0.95))
	return t, nil
}

// postsDir has the server's posts. While a copy of them serves requests, the originals are in
// savedDir.
func (s *session) postsDir() string { return filepath.Join(s.serverDir(), "posts") }
func (s *session) savedDir() string { return filepath.Join(s.serverDir(), "posts.kept") }

// savePosts moves back the posts that an interrupted run left in savedDir.
func (s *session) savePosts() error {
	if _, err := os.Stat(s.savedDir()); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return s.restorePosts()
}

func (s *session) restorePosts() error {
	if err := os.RemoveAll(s.postsDir()); err != nil {
		return err
	}
	return os.Rename(s.savedDir(), s.postsDir())
}

// cold calls do with a server on a copy of the posts that has not served any requests.
func (s *session) cold(ctx context.Context, do func(v *runningServer) error) (err error) {
	if err := os.Rename(s.postsDir(), s.savedDir()); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.restorePosts()) }()
	st, err := openLocal(ctx, s.savedDir())
	if err != nil {
		return err
	}
	if err := errors.Join(st.Checkpoint(ctx, s.postsDir()), st.Close()); err != nil {
		return err
	}
	v, err := s.openServer(ctx, yearDays)
	if err != nil {
		return err
	}
	defer v.close()
	select {
	case <-time.After(time.Duration(s.count) * openingTime):
	case <-ctx.Done():
		return ctx.Err()
	}
	return do(v)
}

// openingTime is how long per post a newly opened server is left alone, because it reads files in
// the background.
const openingTime = time.Microsecond
