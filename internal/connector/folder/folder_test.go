package folder_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/connector"
	"earshot/internal/connector/folder"
	"earshot/internal/state/kv"
	"earshot/internal/test/testenv"
)

// A world is a folder and a source that reads it. Time passes only when the source waits for the
// next scan: then the world takes the next step of the test.
type world struct {
	t     testing.TB
	dir   string
	env   connector.Env
	now   time.Time
	steps []func() // before the next scans; the source stops after the last one

	posts     map[string]string // contents by guid
	delivered int               // posts, including repeated ones
	batches   int
	cursor    string
	count     connector.Counters
	state     connector.State
	onDeliver func(b connector.Batch) error // before a batch is stored
}

func newWorld(t testing.TB, settings connector.Settings) *world {
	w := &world{t: t, dir: t.TempDir(), now: time.Unix(1773144000, 0), posts: map[string]string{}}
	w.env = connector.Env{
		Source:   &earshot.LiveSource{ID: 7, Team: 3, Name: "Shop", ContentSource: 9},
		Settings: connector.Settings{"path": w.dir, "interval": "5s"}, Store: kv.NewMemory(), Log: slog.New(slog.DiscardHandler),
		Now: func() time.Time { return w.now }, Wait: w.wait,
	}
	for name, value := range settings {
		w.env.Settings[name] = value
	}
	return w
}

func (w *world) wait(ctx context.Context, d time.Duration) error {
	if len(w.steps) == 0 {
		return context.Canceled
	}
	w.now = w.now.Add(d)
	w.steps[0]()
	w.steps = w.steps[1:]
	return ctx.Err()
}

func nothing() {}

// run runs the source for one scan more than there are steps. It starts with the cursor of the
// journal, as after a restart.
func (w *world) run(steps ...func()) error {
	w.t.Helper()
	w.steps = steps
	err := folder.Kind().New(w.env).Run(context.Background(), w.cursor, w)
	if errors.Is(err, context.Canceled) {
		err = nil
	}
	return err
}

// settle runs the source until it has read the files that are there.
func (w *world) settle() {
	w.t.Helper()
	if err := w.run(nothing); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) write(name, text string) {
	w.t.Helper()
	path := filepath.Join(w.dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
	w.now = w.now.Add(time.Second)
	if err := os.Chtimes(path, w.now, w.now); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) read(name string) string {
	data, err := os.ReadFile(filepath.Join(w.dir, name))
	if err != nil {
		return err.Error()
	}
	return string(data)
}

// list returns the names in the folder or below it.
func (w *world) list(dir string) (names []string) {
	w.t.Helper()
	entries, err := os.ReadDir(filepath.Join(w.dir, dir))
	if err != nil {
		w.t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func (w *world) expect(posts int, rejected int64) {
	w.t.Helper()
	if len(w.posts) != posts || w.count.Skipped["invalid line"] != rejected {
		w.t.Errorf("got %d posts, counted %+v, want %d posts and %d invalid lines", len(w.posts), w.count, posts, rejected)
	}
}

func (w *world) Select(_ context.Context, posts []earshot.Post) []earshot.Post { return posts }

func (w *world) Deliver(_ context.Context, b connector.Batch) error {
	if w.onDeliver != nil {
		if err := w.onDeliver(b); err != nil {
			return err
		}
	}
	w.store(b)
	return nil
}

func (w *world) store(b connector.Batch) {
	for _, d := range b.Deletions {
		for _, guid := range d.GUIDs {
			delete(w.posts, guid)
		}
	}
	for _, p := range b.Posts {
		w.posts[p.GUID] = p.Contents
	}
	w.delivered += len(b.Posts)
	w.batches++
	w.cursor = b.Cursor
}

func (w *world) Report(s connector.State)                 { w.state = s }
func (w *world) Count(c connector.Counters)               { w.count.Add(c) }
func (w *world) Gap(context.Context, connector.Gap) error { return nil }
func lines(from, to int) string                           { return numbered(from, to, "x") }
func numbered(from, to int, text string) (all string) {
	var b strings.Builder
	for i := from; i < to; i++ {
		b.WriteString(post(fmt.Sprint(i), text) + "\n")
	}
	return b.String()
}

func TestFilesAreTakenWhenTheyNoLongerChange(t *testing.T) {
	w := newWorld(t, nil)
	w.write("a.jsonl", lines(0, 2))
	seen := -1
	err := w.run(
		func() { seen = len(w.posts); w.write("a.jsonl", lines(0, 3)) },
		func() { w.expect(0, 0); w.write("a.jsonl", lines(0, 4)) },
		func() { w.expect(0, 0) },
		func() { w.expect(4, 0) },
	)
	if err != nil || seen != 0 {
		t.Errorf("got %v and %d posts after the first scan", err, seen)
	}
	w.expect(4, 0)
	if w.state.Phase != connector.Live || w.state.Reason != "" || w.count.Events != 4 || w.count.Bytes != int64(len(lines(0, 4))) {
		t.Errorf("got %+v and %+v", w.state, w.count)
	}
}

func TestContentsAreReadOnce(t *testing.T) {
	w := newWorld(t, nil)
	w.write("a.jsonl", lines(0, 3))
	w.settle()
	w.write("b.jsonl", lines(0, 3))
	w.settle()
	w.settle()
	if w.delivered != 3 || w.count.Skipped["file with known contents"] != 1 {
		t.Errorf("%d posts were delivered, counted %+v, want 3 once", w.delivered, w.count)
	}
	w.write("a.jsonl", lines(0, 2)+lines(7, 9))
	w.settle()
	if w.delivered != 7 || len(w.posts) != 5 {
		t.Errorf("after a change: %d posts were delivered, %d are stored, want 7 and 5", w.delivered, len(w.posts))
	}
}

func TestARestartDoesNotReadKnownFiles(t *testing.T) {
	w := newWorld(t, nil)
	w.write("a.jsonl", lines(0, 3))
	w.settle()
	path := filepath.Join(w.dir, "a.jsonl")
	if err := os.WriteFile(path, []byte(lines(4, 7)), 0o600); err != nil { // as long as before
		t.Fatal(err)
	}
	if err := os.Chtimes(path, w.now, w.now.Add(-5*time.Second)); err != nil { // when it was written first
		t.Fatal(err)
	}
	w.settle()
	if w.delivered != 3 {
		t.Errorf("%d posts were delivered: the file was read again", w.delivered)
	}
}

func TestFormats(t *testing.T) {
	w := newWorld(t, nil)
	w.write("a.jsonl", post("a", "x"))
	w.write("b.NDJSON", post("b", "x"))
	w.write("c.json", "[\n"+strings.ReplaceAll(post("c1", "x"), ",", ",\n")+",\n"+post("c2", "x")+"]")
	w.write("d.json", strings.ReplaceAll(post("d", "x"), ",", ",\n"))
	w.write("e.csv", "guid;date;contents\ne;2026-03-01;\"two\nlines\"\n")
	w.write("f.csv.gz", compressed("guid,date,contents\nf,2026-03-01,x\n"))
	w.write("g.jsonl.GZ", compressed(post("g", "x"))+compressed("\n"+post("g2", "x")))
	w.write("names with \"odd\" \n\xff ü.jsonl", post("h", "x"))
	w.write("i.jsonl", "")
	w.write("j.txt", post("j", "x"))
	w.write(".k.jsonl", post("k", "x"))
	w.write("l.jsonl.part", post("l", "x"))
	w.settle()
	var guids []string
	for guid := range w.posts {
		guids = append(guids, guid)
	}
	slices.Sort(guids)
	if want := []string{"a", "b", "c1", "c2", "d", "e", "f", "g", "g2", "h"}; !slices.Equal(guids, want) {
		t.Errorf("got %q, want %q", guids, want)
	}
	w.expect(10, 0)
}

func TestDeletionsAndOrder(t *testing.T) {
	w := newWorld(t, nil)
	w.write("2.jsonl", post("a", "old")+"\n"+post("b", "old"))
	w.write("1.jsonl", post("a", "new")+"\n"+`{"guid":"b","deleted":true}`+"\n"+post("c", "x"))
	w.settle()
	if fmt.Sprint(w.posts) != "map[a:new c:x]" {
		t.Errorf("got %v, want the older file to be read first", w.posts)
	}
}

func TestRejectedLinesAreReported(t *testing.T) {
	w := newWorld(t, nil)
	w.write("a.jsonl", "\n"+post("1", "x")+"\nnonsense\n{\"guid\":\"2\"}\n"+post("3", "x")+"\n")
	w.settle()
	w.expect(2, 2)
	const want = "line,message\n3,invalid character 'o' in literal null (expecting 'u') at byte 2\n4,date is missing\n"
	if got := w.read("errors/a.jsonl.errors.csv"); got != want {
		t.Errorf("got the report %q, want %q", got, want)
	}
	if want := "a.jsonl: 2 of 4 lines were rejected; see errors/a.jsonl.errors.csv"; w.state.Reason != want || w.state.Phase != connector.Live {
		t.Errorf("got the state %+v, want %s", w.state, want)
	}
	w.write("a.jsonl", lines(0, 5))
	w.settle()
	if got := w.list("errors"); len(got) != 0 || w.state.Reason != "" {
		t.Errorf("after a correction: got the reports %q and the state %+v", got, w.state)
	}
}

func TestReportsAreLimited(t *testing.T) {
	w := newWorld(t, nil)
	w.write("a.jsonl", strings.Repeat("{}\n", 15_000)+lines(0, 1))
	w.settle()
	w.expect(1, 15_000)
	report := strings.Split(strings.TrimSpace(w.read("errors/a.jsonl.errors.csv")), "\n")
	if len(report) != 10_002 || report[10_000] != "10000,date is missing" || report[10_001] != "10001,this and all later errors are not listed" {
		t.Errorf("got %d rows, the last are %q", len(report), report[len(report)-2:])
	}
}

func TestErrorsAreLoggedIfThereCannotBeAReport(t *testing.T) {
	w := newWorld(t, nil)
	if err := os.WriteFile(filepath.Join(w.dir, "errors"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	w.env.Log = slog.New(slog.NewTextHandler(&log, nil))
	w.write("a.jsonl", "{}\n"+lines(0, 1)+strings.Repeat("{}\n", 100))
	w.settle()
	w.expect(1, 101)
	if want := "a.jsonl: 101 of 102 lines were rejected; line 1: date is missing"; w.state.Reason != want {
		t.Errorf("got %q, want %q", w.state.Reason, want)
	}
	if n := strings.Count(log.String(), "a line was rejected"); n != 20 {
		t.Errorf("logged %d lines, want 20:\n%s", n, log.String())
	}
}

func TestFilesThatAreNotWhatTheySeem(t *testing.T) {
	f := func(name, text string, posts int, want string) {
		t.Helper()
		w := newWorld(t, nil)
		w.write(name, text)
		w.write("z.jsonl", post("z", "x"))
		w.settle()
		report := w.read("errors/" + name + ".errors.csv")
		if _, got, _ := strings.Cut(report, "line,message\n"); !strings.HasPrefix(got, want) || len(w.posts) != posts+1 {
			t.Errorf("%s: got %d posts and the report %q, want %d and %q", name, len(w.posts), report, posts+1, want)
		}
		w.settle()
		if w.delivered != posts+1 {
			t.Errorf("%s was read again", name)
		}
	}
	f("a.csv", "Dear all,\n", 0, "1,\"the file is neither JSON lines nor CSV with a header: no known column in its first line")
	f("a.csv", "guid,guid\n", 0, "1,the header has the column guid twice")
	f("a.csv", "guid,date,contents\n1,2026-03-01,x\n2,\"open"+strings.Repeat("\n", 2<<20), 1, "3,the record after line 2 is longer than 1048576 bytes: check for an unclosed quote")
	f("a.csv", "[1]", 0, "1,the file is a JSON array; write one object per line instead")
	f("a.json", "guid,date\n", 0, "1,the file is not JSON: it starts with 'g'")
	f("a.json", "["+post("1", "x")+",{", 1, "1,the file ends within the record")
	f("a.jsonl.gz", "plain", 0, "1,\"the file is not compressed with gzip, although its name ends in .gz\"")
	f("a.jsonl.gz", compressed(lines(0, 500))[:30], 0, "1,the compressed file is damaged or incomplete: unexpected EOF")
	f("a.jsonl.gz", compressed(post("1", "x")+"\n")+"rubbish rubbish", 1, "2,the compressed file is damaged or incomplete: gzip: invalid header")
	f("a.jsonl.gz", compressed(post("1", "x")+"\n")+bomb(), 1, "2,the file expands to more than 200 times its size")
}

func TestOtherEntriesAreIgnored(t *testing.T) {
	w := newWorld(t, nil)
	outside := filepath.Join(t.TempDir(), "secret.jsonl")
	if err := os.WriteFile(outside, []byte(lines(0, 5)), 0o600); err != nil {
		t.Fatal(err)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.Mkdir(filepath.Join(w.dir, "dir.jsonl"), 0o755))
	must(os.Symlink(outside, filepath.Join(w.dir, "link.jsonl")))
	must(os.Symlink("../"+filepath.Base(filepath.Dir(outside))+"/secret.jsonl", filepath.Join(w.dir, "relative.jsonl")))
	must(os.Symlink("nowhere", filepath.Join(w.dir, "dangling.jsonl")))
	must(os.Symlink("/dev/zero", filepath.Join(w.dir, "device.jsonl")))
	w.write("real.txt", post("inside", "x"))
	must(os.Symlink("real.txt", filepath.Join(w.dir, "inside.jsonl")))
	w.settle()
	if fmt.Sprint(w.posts) != "map[inside:x]" {
		t.Errorf("got %v, want only what is in the folder", w.posts)
	}
}

func TestFilesThatVanishOrChangeWhileTheyAreRead(t *testing.T) {
	f := func(name string, change func(w *world), least, most int) {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, nil)
			w.write("a.jsonl", lines(0, 3000))
			w.onDeliver = func(connector.Batch) error {
				w.onDeliver = nil
				change(w)
				return nil
			}
			if err := w.run(nothing, nothing, nothing, nothing); err != nil {
				t.Fatal(err)
			}
			if n := len(w.posts); n < least || n > most {
				t.Errorf("got %d posts, want %d to %d", n, least, most)
			}
			w.write("z.jsonl", post("z", "x"))
			w.settle()
			if w.posts["z"] == "" {
				t.Error("the next file is not read")
			}
		})
	}
	path := func(w *world) string { return filepath.Join(w.dir, "a.jsonl") }
	f("deleted", func(w *world) { os.Remove(path(w)) }, 3000, 3000)
	f("replaced", func(w *world) {
		w.write("b.jsonl", lines(5000, 5010))
		os.Rename(filepath.Join(w.dir, "b.jsonl"), path(w))
	}, 3010, 3010)
	f("longer", func(w *world) {
		w.write("a.jsonl", lines(0, 3500))
	}, 3500, 3500)
	f("truncated", func(w *world) { os.Truncate(path(w), 0) }, 1000, 2999)
}

// TestCrashes ends the process at each delivery of a file, before or after the journal has it.
func TestCrashes(t *testing.T) {
	var csv strings.Builder
	csv.WriteString("guid,date,contents\n")
	for i := range 3500 {
		fmt.Fprintf(&csv, "%d,2026-03-01,\"two\nlines\"\n", i)
		if i%1000 == 499 {
			csv.WriteString("bad\n")
		}
	}
	var list strings.Builder
	list.WriteString("[\n")
	for i := range 3500 {
		fmt.Fprintf(&list, "{\"guid\":\"%d\",\n\"date\":\"2026-03-01\",\"contents\":\"x\"},\n", i)
		if i%1000 == 499 {
			list.WriteString("5,\n")
		}
	}
	list.WriteString("]")
	jsonl := lines(0, 501) + "bad\n" + lines(501, 1501) + "bad\n" + lines(1501, 2501) + "bad\n\n" + lines(2501, 3500) + "bad\n" + lines(3500, 3500)
	errKilled := errors.New("killed")
	for name, text := range map[string]string{
		"a.jsonl": jsonl, "a.jsonl.gz": compressed(jsonl), "a.csv": csv.String(), "a.csv.gz": compressed(csv.String()), "a.json": list.String(),
	} {
		for _, written := range []bool{false, true} {
			t.Run(fmt.Sprint(name, " written ", written), func(t *testing.T) {
				w := newWorld(t, nil)
				w.write(name, text)
				kills := 0
				for range 20 {
					deliveries := 0
					w.onDeliver = func(b connector.Batch) error {
						deliveries++
						switch {
						case len(b.Posts) == 0:
						case written: // the process ends before it knows
							kills++
							w.store(b)
							return errKilled
						case deliveries == 2:
							kills++
							return errKilled
						}
						return nil
					}
					if err := w.run(nothing); err == nil {
						break
					} else if !errors.Is(err, errKilled) {
						t.Fatal(err)
					}
				}
				w.expect(3500, w.count.Skipped["invalid line"])
				if written && w.delivered != 3500 {
					t.Errorf("%d posts were delivered, want each of 3500 once", w.delivered)
				}
				if kills < 3 {
					t.Errorf("only %d kills", kills)
				}
				if got := strings.Count(w.read("errors/"+name+".errors.csv"), "\n"); got != 5 {
					t.Errorf("the report has %d rows, want a header and 4:\n%s", got, w.read("errors/"+name+".errors.csv"))
				}
				if want := "4 of 3504 lines were rejected"; !strings.Contains(w.state.Reason, want) {
					t.Errorf("got %q, want %q", w.state.Reason, want)
				}
			})
		}
	}
}

func TestFilesAreMoved(t *testing.T) {
	w := newWorld(t, connector.Settings{"after": "move"})
	w.write("a.jsonl", lines(0, 3))
	w.settle()
	w.write("a.jsonl", lines(0, 4))
	w.write("b.jsonl", lines(0, 3)) // known
	w.settle()
	if got := w.list("done"); len(got) != 3 || got[1] != "a.jsonl" && got[0] != "a.jsonl" || got[2] != "b.jsonl" {
		t.Errorf("got %q in done", got)
	}
	if got := w.list("."); !slices.Equal(got, []string{"done"}) {
		t.Errorf("got %q, want only done", got)
	}
	w.expect(4, 0)
}

func TestFilesAreMovedAfterACrash(t *testing.T) {
	w := newWorld(t, nil)
	w.write("a.jsonl", lines(0, 3))
	w.settle() // as if the process had ended before it moved the file
	w.env.Settings["after"] = "move"
	w.settle()
	if got := w.list("done"); !slices.Equal(got, []string{"a.jsonl"}) || w.delivered != 3 {
		t.Errorf("got %q in done, and %d posts were delivered", got, w.delivered)
	}
}

func TestAFileThatCannotBeMoved(t *testing.T) {
	w := newWorld(t, connector.Settings{"after": "move"})
	if err := os.WriteFile(filepath.Join(w.dir, "done"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	w.write("a.jsonl", lines(0, 3))
	w.settle()
	w.expect(3, 0)
	if want := "a.jsonl was read, but cannot be moved: "; !strings.HasPrefix(w.state.Reason, want) {
		t.Errorf("got %q, want %q and the reason", w.state.Reason, want)
	}
}

func TestUnreadableFilesAreTriedAgain(t *testing.T) {
	if os.Geteuid() == 0 {
		testenv.SkipMissing(t, "root may read everything")
	}
	w := newWorld(t, nil)
	w.write("a.jsonl", lines(0, 3))
	w.write("b.jsonl", lines(3, 5))
	path := filepath.Join(w.dir, "a.jsonl")
	if err := os.Chmod(path, 0); err != nil {
		t.Fatal(err)
	}
	err := w.run(nothing, nothing, func() {
		w.expect(2, 0)
		if w.state.Reason != "a.jsonl cannot be read: permission denied" || w.count.Skipped["unreadable file"] != 1 {
			t.Errorf("got %+v and %+v", w.state, w.count)
		}
		if err := os.Chmod(path, 0o600); err != nil {
			t.Error(err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	w.expect(5, 0)
	if w.state.Reason != "" {
		t.Errorf("got %q afterwards", w.state.Reason)
	}
}

func TestAMissingFolderIsAnError(t *testing.T) {
	w := newWorld(t, nil)
	w.env.Settings["path"] = filepath.Join(w.dir, "none")
	if err := w.run(); err == nil || !strings.Contains(err.Error(), "open the folder") || errors.Is(err, connector.ErrAttention) {
		t.Errorf("got %v, want an error that passes when the folder is back", err)
	}
}

func TestOldContentsAreForgotten(t *testing.T) {
	w := newWorld(t, nil)
	w.write("gone.jsonl", lines(0, 3))
	w.write("here.jsonl", lines(3, 6))
	w.settle()
	if err := os.Remove(filepath.Join(w.dir, "gone.jsonl")); err != nil {
		t.Fatal(err)
	}
	keys := func() (n int) {
		list, err := w.env.Store.Keys(t.Context(), ">")
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	if err := w.run(func() {}, func() { w.now = w.now.Add(200 * 24 * time.Hour) }); err != nil {
		t.Fatal(err)
	}
	if n := keys(); n != 3 { // the name of the other file was not known to this process
		t.Errorf("%d records are left, want 3", n)
	}
	w.settle()
	if w.delivered != 6 {
		t.Errorf("%d posts were delivered, want 6", w.delivered)
	}
}

func TestSample(t *testing.T) {
	w := newWorld(t, nil)
	sample := func() (string, error) {
		posts, err := folder.Kind().New(w.env).Sample(t.Context(), 3)
		var guids []string
		for _, p := range posts {
			guids = append(guids, p.GUID)
		}
		return strings.Join(guids, " "), err
	}
	if got, err := sample(); got != "" || err != nil {
		t.Errorf("an empty folder: got %q and %v", got, err)
	}
	w.write("bad.csv", "guid,date\n1,yesterday\n")
	const want = "bad.csv: line 2: date 'yesterday' is not a time like 2024-01-31T08:30:00 or 2024-01-31T08:30:00Z"
	if got, err := sample(); got != "" || err == nil || err.Error() != want {
		t.Errorf("only invalid lines: got %q and %v, want %s", got, err, want)
	}
	w.write("a.jsonl", lines(0, 1))
	w.write("b.jsonl.gz", compressed("{}\n"+lines(1, 3)))
	if got, err := sample(); got != "1 2 0" || err != nil {
		t.Errorf("got %q and %v, want the newest file first", got, err)
	}
	if keys, _ := w.env.Store.Keys(t.Context(), ">"); len(keys) != 0 || w.batches != 0 {
		t.Errorf("a sample left the records %q", keys)
	}
}

func TestCheck(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	f := func(want string, pairs ...string) {
		t.Helper()
		s := connector.Settings{}
		for i := 0; i < len(pairs); i += 2 {
			s[pairs[i]] = pairs[i+1]
		}
		got := ""
		if err := folder.Kind().Check(s, ""); err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%q: got %q, want %q", pairs, got, want)
		}
	}
	f("", "path", dir)
	f("", "path", dir, "network", "News", "after", "move", "interval", "1m")
	f("set path to a directory on the server")
	f("path 'posts' is not absolute", "path", "posts")
	f("path: stat "+dir+"/none: no such file", "path", dir+"/none")
	f("path '"+file+"' is not a directory", "path", file)
	f("after must be keep or move, not 'delete'", "path", dir, "after", "delete")
	f("interval must be a time from 1s to 1h, such as 30s, not '5'", "path", dir, "interval", "5")
	f("interval must be", "path", dir, "interval", "10ms")
	f("network 'Telex' is not a network", "path", dir, "network", "Telex")
}

// FuzzFile checks that no file stops the source, and that each is read once.
func FuzzFile(f *testing.F) {
	f.Add("a.jsonl", []byte(lines(0, 3)+"bad\n"))
	f.Add("a.json", []byte("["+post("1", "x")+",\n{}]"))
	f.Add("a.csv", []byte("guid,date,contents\n1,2026-03-01,\"x\ny\"\n2\n"))
	f.Add("a.csv.gz", []byte(compressed("guid;date;contents\n1;2026-03-01;x\n")))
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		endings := []string{".jsonl", ".json", ".csv", ".jsonl.gz", ".csv.gz"}
		w := newWorld(t, nil)
		w.write("a"+endings[len(name)%len(endings)], string(data))
		w.settle()
		events := w.count.Events
		w.settle()
		if w.count.Events != events || w.state.Phase != connector.Live {
			t.Errorf("counted %d events, then %d; the state is %+v", events, w.count.Events, w.state)
		}
	})
}

func BenchmarkFile(b *testing.B) {
	const n = 50_000
	var jsonl, csv strings.Builder
	csv.WriteString("guid,url,date,contents,author,authorFollowers,likes,hashtags\n")
	for i := range n {
		const text = "The espresso is lovely, and so is the view from the terrace #coffee"
		fmt.Fprintf(&jsonl, `{"guid":"%d","url":"https://shop.example/%d","date":"2026-03-10T12:00:00Z","contents":"%s","author":"ann","authorFollowers":120,"likes":%d,"hashtags":["coffee"]}`+"\n", i, i, text, i)
		fmt.Fprintf(&csv, "%d,https://shop.example/%d,2026-03-10T12:00:00Z,\"%s\",ann,120,%d,coffee\n", i, i, text, i)
	}
	bench := func(name, text string) {
		b.Run(name, func(b *testing.B) {
			w := newWorld(b, nil)
			for i := range b.N {
				w.write("a"+fmt.Sprint(i)+"."+name, text)
				w.env.Store = kv.NewMemory()
				w.cursor = ""
				w.posts = map[string]string{}
				w.settle()
				os.Remove(filepath.Join(w.dir, "a"+fmt.Sprint(i)+"."+name))
			}
			b.SetBytes(int64(len(text)))
			b.ReportMetric(float64(b.N*n)/b.Elapsed().Seconds(), "lines/s")
		})
	}
	bench("jsonl", jsonl.String())
	bench("jsonl.gz", compressed(jsonl.String()))
	bench("csv", csv.String())
}

func BenchmarkScan(b *testing.B) {
	w := newWorld(b, nil)
	for i := range 10_000 {
		w.write(fmt.Sprintf("%d.jsonl", i), lines(i, i+1))
	}
	w.settle()
	steps := []func(){}
	for range b.N {
		steps = append(steps, nothing)
	}
	b.ResetTimer()
	if err := w.run(steps...); err != nil {
		b.Fatal(err)
	}
}
