package bench

import (
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

// OverviewResult are what it takes to show everything about a year of a monitor at once.
type OverviewResult struct {
	Times   []OverviewTimes `json:"times"`
	Summary OverviewTimes   `json:"summary"`
}

// OverviewTimes are how long one request took.
type OverviewTimes struct {
	Request string  `json:"request"`
	Bytes   int64   `json:"bytes"`
	Cold    float64 `json:"coldMs"` // of a server just opened, without any day results
	P50     float64 `json:"p50Ms"`  // the same again
	P95     float64 `json:"p95Ms"`
	CPU     float64 `json:"cpuMs"` // of this process for the first, the client's part included; 0 where that is unknown
}

// An overview is a request for one.
type overview struct {
	name          string
	days          int
	filter, parts string
}

// overviews are what is asked. What the page asks for first is everything but the words, and
// these at the same time.
var overviews = []overview{
	{name: "a year", days: yearDays},
	{name: "a year without words", days: yearDays, parts: pageParts},
	{name: "a year, words alone", days: yearDays, parts: "words"},
	{name: "a year of women's posts", days: yearDays, filter: "gender:F"},
	{name: "a year of English posts with a word", days: yearDays, filter: "language:en|keywords:today"},
	{name: "30 days", days: monthDays},
}

const pageParts = "days,hours,categories,emotions,previous,hashtags,sites,sources,languages,authors,places,ages,genders,clock,interests,images,engagement"

// measureOverview asks a whole server, over HTTP, for overviews of its monitor.
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
		s.logf("asking over HTTP: %s", o.name)
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

// overview returns the request for one.
func (v *runningServer) overview(o overview) client.Request {
	days := subrange(v.days, yearDays-o.days, o.days)
	query := url.Values{"start": {days.Start.String()}, "end": {days.End.String()}}
	for name, value := range map[string]string{"filter": o.filter, "parts": o.parts} {
		if value != "" {
			query.Set(name, value)
		}
	}
	return client.Request{Method: "GET", Path: "/manage/v1/monitors/" + strconv.FormatInt(int64(v.monitor), 10) + "/overview", Query: query}
}

// coldAndWarm sends a request for the first time, and again and again.
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

// The server's posts as they were filled, and where they are while a copy serves.
func (s *session) postsDir() string { return filepath.Join(s.serverDir(), "posts") }
func (s *session) savedDir() string { return filepath.Join(s.serverDir(), "posts.kept") }

// savePosts puts the posts back that a run left aside which was stopped.
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

// cold calls do with a server that has a copy of the posts, which has served no request yet.
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

// openingTime is how long, for each post, a server is left alone that was just opened: it reads
// files in the background.
const openingTime = time.Microsecond
