package picture

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"earshot"
	"earshot/internal/poststore/memory"
	"earshot/internal/state/journal"
	journalmemory "earshot/internal/state/journal/memory"
)

// TestMain uses the journal's codec once. The codec shares a compressor that creates channels on
// first use, which must not happen inside a synctest bubble.
func TestMain(m *testing.M) {
	data, err := journal.Encode(journal.Entry{Posts: []earshot.Post{{GUID: "a"}}})
	if err == nil {
		_, err = journal.Decode(data)
	}
	if err != nil {
		panic(err)
	}
	m.Run()
}

// A world is a Service with in-memory dependencies and a network of fake hosts.
type world struct {
	*Service
	t    *testing.T
	dir  string
	stop context.CancelFunc
	done sync.WaitGroup

	mu       sync.Mutex
	cursor   earshot.Position                              // guarded by mu
	fresh    bool                                          // guarded by mu; there is no cursor
	requests []string                                      // guarded by mu
	answer   func(url string, attempt int) ([]byte, error) // guarded by mu
	free     int64                                         // guarded by mu
	seen     int                                           // guarded by mu; images that the model has classified
	full     bool                                          // guarded by mu; the journal rejects entries
}

func (w *world) PictureCursor(context.Context) (earshot.Position, bool, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.cursor, !w.fresh, nil
}

func (w *world) SetPictureCursor(_ context.Context, at earshot.Position) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cursor, w.fresh = at, false
	return nil
}

func (w *world) ResetPictureCursor(context.Context) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cursor, w.fresh = 0, true
	return nil
}

// A fullJournal rejects entries while its world is full.
type fullJournal struct {
	journal.Journal
	w *world
}

func (j fullJournal) Append(ctx context.Context, e journal.Entry) (earshot.Position, error) {
	j.w.mu.Lock()
	full := j.w.full
	j.w.mu.Unlock()
	if full && e.Pictures != nil {
		return 0, earshot.Errorf(earshot.StorageFull, "full")
	}
	return j.Journal.Append(ctx, e)
}

// file returns a picture of 4 × 3 pixels in a shade of gray.
func file(shade uint8) []byte {
	img := image.NewGray(image.Rect(0, 0, 4, 3))
	for i := range img.Pix {
		img.Pix[i] = shade
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func newWorld(t *testing.T) *world {
	w := &world{t: t, dir: t.TempDir(), free: 1 << 40, cursor: 1}
	w.answer = func(string, int) ([]byte, error) { return file(9), nil }
	w.Service = &Service{Options: Options{Journal: fullJournal{journalmemory.New(), w}, Posts: memory.New()}}
	w.post("first", "")
	w.start("1")
	return w
}

// start starts a service with a version of the model, as after a restart of the process.
func (w *world) start(model string) {
	w.t.Helper()
	cache, err := OpenCache(CacheOptions{Dir: w.dir, MaxBytes: 1 << 20, Free: func(string) (int64, error) {
		w.mu.Lock()
		defer w.mu.Unlock()
		return w.free, nil
	}})
	if err != nil {
		w.t.Fatal(err)
	}
	w.Service = New(Options{
		Journal: w.Journal, Posts: w.Posts, Cursor: w, Cache: cache, Get: w.get, Restricted: []earshot.Source{earshot.Twitter},
		Now: time.Now, Log: slog.New(slog.DiscardHandler),
		Model: Model{
			Version: model,
			Classify: func(img image.Image) ([]earshot.ImageObject, []earshot.ImageBrand, error) {
				w.mu.Lock()
				defer w.mu.Unlock()
				w.seen++
				shade := color.GrayModel.Convert(img.At(0, 0)).(color.Gray).Y
				switch shade {
				case 66:
					panic("66")
				case 77:
					return nil, nil, errors.New("77")
				}
				return []earshot.ImageObject{{Score: 0.5, ClassID: int64(shade), ClassName: "gray " + model}}, nil, nil
			},
			Hash: func(image.Image) uint64 { return 7 },
		},
	})
	w.run()
}

// run runs the service, as after the process got its role.
func (w *world) run() {
	ctx, stop := context.WithCancel(context.Background())
	w.stop = stop
	s := w.Service
	w.done.Go(func() { s.Run(ctx) })
}

// kill stops the service wherever it is.
func (w *world) kill() {
	w.stop()
	w.done.Wait()
}

func (w *world) get(_ context.Context, url string) ([]byte, string, error) {
	w.mu.Lock()
	w.requests = append(w.requests, url)
	attempt, answer := 0, w.answer
	for _, r := range w.requests {
		if r == url {
			attempt++
		}
	}
	w.mu.Unlock()
	body, err := answer(url, attempt)
	return body, "image/png", err
}

// post appends a post with images to the journal. URLs are separated by spaces.
func (w *world) post(guid, urls string) {
	w.t.Helper()
	p := earshot.Post{Source: earshot.News, GUID: guid, Time: time.Unix(1e9, 0)}
	if strings.HasPrefix(guid, "tweet") {
		p.Source = earshot.Twitter
	}
	for _, url := range strings.Fields(urls) {
		p.Images = append(p.Images, earshot.Image{URL: url})
	}
	if _, err := w.Journal.Append(w.t.Context(), journal.Entry{Posts: []earshot.Post{p}}); err != nil {
		w.t.Fatal(err)
	}
}

// results returns the results in the journal: posts, and classes by URL.
func (w *world) results() string {
	w.t.Helper()
	var list []string
	last, err := w.Journal.Last(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	for b, err := range w.Journal.Batches(w.t.Context(), 0) {
		if err != nil {
			w.t.Fatal(err)
		}
		if b.Pictures != nil && b.Pictures.Found != nil {
			var posts, found []string
			for _, p := range b.Pictures.Posts {
				posts = append(posts, fmt.Sprintf("%s@%d", p.Key.GUID, p.Position))
			}
			for url, p := range b.Pictures.Found {
				found = append(found, fmt.Sprintf("%s=%s %d", url, p.Objects[0].ClassName, p.Objects[0].ClassID))
			}
			slices.Sort(posts)
			slices.Sort(found)
			list = append(list, strings.Join(posts, " ")+": "+strings.Join(found, ", "))
		}
		if b.Position == last {
			break
		}
	}
	return strings.Join(list, "; ")
}

// want waits for some time and compares the results in the journal, and the requests so far.
func (w *world) want(after time.Duration, results, requests string) {
	w.t.Helper()
	time.Sleep(after) // virtual
	synctest.Wait()
	if got := w.results(); got != results {
		w.t.Errorf("results: got %q, want %q", got, results)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	slices.Sort(w.requests)
	if got := strings.Join(w.requests, " "); got != requests {
		w.t.Errorf("requests: got %q, want %q", got, requests)
	}
}

func (w *world) set(change func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change()
}
