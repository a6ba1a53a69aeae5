package content

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"earshot"
	"earshot/internal/ingest/item/record"
	"earshot/internal/state/catalog"
	"earshot/internal/state/journal"
	journalmemory "earshot/internal/state/journal/memory"
	"earshot/internal/state/kv"
)

// counting is a journal that counts entries and fails after a number of them.
type counting struct {
	journal.Journal
	entries, posts int
	failAfter      int
}

func (c *counting) Append(ctx context.Context, e journal.Entry) (earshot.Position, error) {
	if c.failAfter > 0 && c.entries == c.failAfter {
		return 0, &earshot.Error{Kind: earshot.StorageFull, Message: "The disk is full"}
	}
	c.entries++
	c.posts += len(e.Posts)
	return c.Journal.Append(ctx, e)
}

// noPictures has no uploaded pictures.
type noPictures struct{}

func (noPictures) Uploaded(context.Context, string) (*earshot.Picture, bool) { return nil, false }

func newImporter(t testing.TB, j *counting) *importer {
	t.Helper()
	c, err := catalog.Open(context.Background(), kv.NewMemory(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	j.Journal = journalmemory.New()
	return &importer{service: &Service{Catalog: c, Journal: j, Now: time.Now}, pictures: noPictures{}, result: Imported{Errors: []LineError{}}}
}

func lines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"type":"News","guid":"%d","date":"2026-03-01","contents":"a"}`+"\n", i)
	}
	return b.String()
}

func TestLinesAreIngestedInChunks(t *testing.T) {
	j := &counting{}
	in := newImporter(t, j)
	if err := in.read(t.Context(), bufio.NewReader(strings.NewReader(lines(2500)))); err != nil {
		t.Fatal(err)
	}
	if j.entries != 3 || j.posts != 2500 || in.result.Accepted != 2500 {
		t.Errorf("got %d entries of %d posts, %d accepted, want 3 of 2500", j.entries, j.posts, in.result.Accepted)
	}
}

func TestLongLinesEndChunkEarly(t *testing.T) {
	j := &counting{}
	in := newImporter(t, j)
	var text strings.Builder
	for i := range 40 { // each half a megabyte long, most of it in a field that is ignored
		fmt.Fprintf(&text, `{"type":"News","guid":"%d","date":"2026-03-01","contents":"a","padding":"%s"}`+"\n", i, strings.Repeat("x", 1<<19))
	}
	if err := in.read(t.Context(), bufio.NewReader(strings.NewReader(text.String()))); err != nil {
		t.Fatal(err)
	}
	if j.entries != 3 || j.posts != 40 {
		t.Errorf("got %d entries of %d posts, want 3 of 40", j.entries, j.posts)
	}
}

func TestRejectedLinesAreCountedAndFirstErrorsReported(t *testing.T) {
	j := &counting{}
	in := newImporter(t, j)
	text := strings.Repeat("nonsense\n", 150) + "\n  \n" + `{"type":"News","guid":"x` + strings.Repeat("x", record.MaxBytes) + `"}` + "\n" + strings.TrimSuffix(lines(1), "\n")
	if err := in.read(t.Context(), bufio.NewReader(strings.NewReader(text))); err != nil {
		t.Fatal(err)
	}
	if in.result.Accepted != 1 || in.result.Rejected != 151 || len(in.result.Errors) != maxErrors {
		t.Errorf("got %d accepted, %d rejected, %d errors, want 1, 151, %d", in.result.Accepted, in.result.Rejected, len(in.result.Errors), maxErrors)
	}
	if in.line != 154 {
		t.Errorf("got %d lines, want 154 including blank ones", in.line)
	}
}

func TestImportsOfSomethingElseEnd(t *testing.T) {
	f := func(text string, lines, accepted int64, want string) {
		t.Helper()
		in := newImporter(t, &counting{})
		got := ""
		if err := in.read(t.Context(), bufio.NewReader(strings.NewReader(text))); err != nil {
			got = err.Error()
		}
		if got != want || in.line != lines || in.result.Accepted != accepted {
			t.Errorf("got %q after %d lines, %d accepted, want %q after %d, %d", got, in.line, in.result.Accepted, want, lines, accepted)
		}
	}
	bad := func(n int) string { return strings.Repeat("{}\n", n) }
	f(bad(20_000), 11_000, 0, "Invalid request body: 11000 of the first 11000 lines have no valid post; line 1: date is missing")
	f(strings.Repeat("\n", 20_000), 11_000, 0, "Invalid request body: 11000 of the first 11000 lines have no valid post")
	f(lines(1000)+bad(20_000), 12_000, 1000, "Invalid request body: 11000 of the first 12000 lines have no valid post; line 1001: date is missing")

	// Files that contain at least some posts are imported to the end.
	f(bad(10_000)+lines(1), 10_001, 1, "")
	f(lines(2000)+bad(15_000), 17_000, 2000, "")
	f(strings.Repeat(bad(8)+lines(1), 2500), 22_500, 2500, "")
}

func TestOverlongLineIsSkipped(t *testing.T) {
	j := &counting{}
	in := newImporter(t, j)
	text := lines(1) + strings.Repeat("y", 3*record.MaxBytes) + "\n" + `{"type":"News","guid":"z","date":"2026-03-01","contents":"a"}`
	if err := in.read(t.Context(), bufio.NewReaderSize(strings.NewReader(text), 4096)); err != nil {
		t.Fatal(err)
	}
	want := []LineError{{2, "the line is longer than 1048576 bytes"}}
	if in.result.Accepted != 2 || len(in.result.Errors) != 1 || in.result.Errors[0] != want[0] {
		t.Errorf("got %d accepted, errors %v, want 2 and %v", in.result.Accepted, in.result.Errors, want)
	}
}

func TestInterruptedBodyKeepsAcceptedPosts(t *testing.T) {
	j := &counting{}
	in := newImporter(t, j)
	broken := io.MultiReader(strings.NewReader(lines(1500)), iotest.ErrReader(errors.New("connection reset")))
	err := in.read(t.Context(), bufio.NewReader(broken))
	if err == nil || j.posts != 1500 {
		t.Fatalf("got %v and %d posts, want an error and all 1500", err, j.posts)
	}
	if got := in.interrupted(err).Error(); !strings.Contains(got, "accepted 1500 posts from the first 1500 lines") {
		t.Errorf("got %s", got)
	}
}

func TestFullDiskReportsAcceptedPosts(t *testing.T) {
	j := &counting{failAfter: 1}
	in := newImporter(t, j)
	err := in.read(t.Context(), bufio.NewReader(strings.NewReader(lines(2500))))
	told := in.interrupted(err)
	if !earshot.IsKind(told, earshot.StorageFull) || !strings.HasPrefix(told.Error(), "The disk is full (accepted 1000 posts from the first 2000 lines; it is safe to send them again)") {
		t.Errorf("got %v", told)
	}
}

// FuzzImport checks that no input causes a panic and that every line is accounted for.
func FuzzImport(f *testing.F) {
	f.Add([]byte(lines(2)))
	f.Add([]byte(`{"type":"Twitter","url":"u","date":"2026-03-01T00:00:00Z","contents":"c","authorAge":"5","geolocation":{"id":"USA","latitude":1,"longitude":2},"images":[{"url":"i","brands":[{"brandId":1}]}],"custom":{"a":"b"}}`))
	f.Add([]byte("\xef\xbb\xbf{}\n[]\nnull\n\"\"\n{\"type\":5}\n\xff\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		j := &counting{}
		in := newImporter(t, j)
		if err := in.read(context.Background(), bufio.NewReader(bytes.NewReader(data))); err != nil {
			t.Fatal(err)
		}
		blank := int64(0)
		for line := range bytes.SplitSeq(bytes.TrimSuffix(data, []byte("\n")), []byte("\n")) {
			if len(bytes.TrimSpace(line)) == 0 {
				blank++
			}
		}
		if len(data) > 0 && in.result.Accepted+in.result.Rejected+blank != in.line {
			t.Errorf("%d lines, %d accepted, %d rejected, %d blank", in.line, in.result.Accepted, in.result.Rejected, blank)
		}
		if int64(j.posts) != in.result.Accepted {
			t.Errorf("%d accepted, %d written", in.result.Accepted, j.posts)
		}
	})
}

func TestErrorsAreInLineOrder(t *testing.T) {
	in := newImporter(t, &counting{})
	text := strings.Repeat(`{"type":"News","guid":"o","date":"bad","contents":"x"}`+"\n", 60) + strings.Repeat("not json\n", 60)
	if err := in.read(t.Context(), bufio.NewReader(strings.NewReader(text))); err != nil {
		t.Fatal(err)
	}
	for i, e := range in.result.Errors {
		if e.Line != int64(i+1) {
			t.Fatalf("error %d is about line %d: %v", i, e.Line, in.result.Errors)
		}
	}
	if len(in.result.Errors) != maxErrors || in.result.Rejected != 120 {
		t.Errorf("got %d errors, %d rejected, want %d and 120", len(in.result.Errors), in.result.Rejected, maxErrors)
	}
}
