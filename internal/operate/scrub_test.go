package operate

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"earshot/internal/operate/integrity"
)

// newScrubber returns a scrubber that logs without times.
func newScrubber(log *strings.Builder, check func(ctx context.Context, count, pace integrity.Progress) ([]integrity.Finding, error)) *Scrubber {
	handler := slog.NewTextHandler(log, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}})
	return &Scrubber{verify: check, Log: slog.New(handler), Now: time.Now}
}

func TestScrubReportsEachFindingOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		flipped := integrity.Finding{Part: integrity.Posts, File: "a.seg", Problem: "flipped", Effect: "2 posts are lost"}
		missing := integrity.Finding{Part: integrity.Journal, File: "1.blk", Problem: "missing"}
		passes := [][]integrity.Finding{{}, {flipped}, {flipped, missing}, {}}
		var log strings.Builder
		pass := 0
		s := newScrubber(&log, func(_ context.Context, count, pace integrity.Progress) ([]integrity.Finding, error) {
			count(1000)
			pace(500)
			pass++
			return passes[pass-1], nil
		})
		ctx, stop := context.WithCancel(t.Context())
		go s.Run(ctx)
		time.Sleep(firstScrub + 2*scrubInterval + time.Second)
		synctest.Wait()
		r := s.Report()
		if r.Running || r.Bytes != 1500 || len(r.Findings) != 2 || r.Findings[1].Problem != "missing" {
			t.Errorf("got %+v, want two findings in 1500 bytes", r)
		}
		if want := time.Now().UTC().Add(-time.Second); !r.LastFinished.Equal(want) || !r.LastStarted.Equal(want) {
			t.Errorf("the last pass was from %v to %v, want %v", r.LastStarted, r.LastFinished, want)
		}
		time.Sleep(scrubInterval)
		synctest.Wait()
		if r := s.Report(); len(r.Findings) != 0 || s.total != 6000 {
			t.Errorf("got %+v after %d bytes, want no findings after 6000", r, s.total)
		}
		stop()
		const want = `level=INFO msg="verified the stored data" bytes=1500 findings=0 took=0s
level=ERROR msg="stored data is damaged" part=posts file=a.seg problem=flipped effect="2 posts are lost"
level=INFO msg="verified the stored data" bytes=1500 findings=1 took=0s
level=ERROR msg="stored data is damaged" part=journal file=1.blk problem=missing effect=""
level=INFO msg="verified the stored data" bytes=1500 findings=2 took=0s
level=INFO msg="verified the stored data" bytes=1500 findings=0 took=0s
`
		if log.String() != want {
			t.Errorf("got log\n%swant\n%s", &log, want)
		}
	})
}

func TestScrubUsesATenthOfTheTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		s := newScrubber(&log, func(_ context.Context, _, pace integrity.Progress) ([]integrity.Finding, error) {
			for range 1000 {
				time.Sleep(time.Millisecond)
				pace(1 << 10)
			}
			return nil, nil
		})
		began := time.Now()
		s.Scrub(t.Context())
		if took := time.Since(began); took != 10*time.Second {
			t.Errorf("one second of reading took %v, want 10s", took)
		}
	})
}

func TestAFailedScrubKeepsItsFindings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		var fails error
		s := newScrubber(&log, func(context.Context, integrity.Progress, integrity.Progress) ([]integrity.Finding, error) {
			return []integrity.Finding{{Problem: "flipped"}}, fails
		})
		s.Scrub(t.Context())
		finished := s.Report().LastFinished
		time.Sleep(time.Hour)
		fails = errors.New("too many open files")
		s.Scrub(t.Context())
		r := s.Report()
		if len(r.Findings) != 1 || !r.LastFinished.Equal(finished) || r.Running || !r.LastStarted.After(finished) {
			t.Errorf("got %+v, want the result of the first pass", r)
		}
		if !strings.Contains(log.String(), `level=ERROR msg="verifying the stored data failed; will retry" wait=24h0m0s error="too many open files"`) {
			t.Errorf("got log\n%s", &log)
		}
	})
}
