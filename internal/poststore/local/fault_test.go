package local

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/operate/integrity"
	"earshot/internal/poststore"
	"earshot/internal/test/testenv"
)

var faults = flag.Int("faults", 150, "number of faults in each state of the store")

// TestFaults damages random files of a store, one fault at a time, and opens the store. It must then
// have everything, or report what is wrong: by refusing to open, or by quarantining a segment.
func TestFaults(t *testing.T) {
	testenv.SkipUnderRace(t)
	rounds := *faults
	if testing.Short() {
		rounds = min(rounds, 40)
	}
	for _, killed := range []bool{false, true} {
		x := newSample(t, killed)
		files := sampleFiles(t, x.dir)
		counts := map[string]int{}
		for seed := range rounds {
			r := rand.New(rand.NewPCG(uint64(seed), 21))
			dir := filepath.Join(t.TempDir(), "posts")
			copyStore(t, x.dir, dir)
			f := randomFault(r, files)
			f.apply(t, dir)
			outcome := openDamaged(t, dir, x.truth)
			if outcome == "silent" {
				t.Errorf("killed %v, seed %d: %s changes results silently", killed, seed, f)
			}
			if outcome == "refused" {
				lost, problem := x.repair(t, dir)
				if problem != "" {
					t.Errorf("killed %v, seed %d: repair after %s: %s", killed, seed, f, problem)
				}
				if len(lost) == 0 {
					outcome = "repaired completely"
				}
			}
			counts[f.kind()+" "+outcome]++
		}
		t.Logf("killed %v: %v", killed, counts)
	}
}

// openDamaged opens a store and returns what happened: "refused", "quarantined", "harmless" or
// "silent".
func openDamaged(t *testing.T, dir, truth string) string {
	t.Helper()
	before := listFiles(t, dir)
	s, err := Open(t.Context(), Options{Dir: dir})
	if err != nil {
		damage, ok := errors.AsType[*integrity.DamageError](err)
		if !ok || len(damage.Findings) == 0 || damage.Findings[0].File == "" {
			t.Errorf("got error %v, want a *DamageError with a file", err)
		}
		if after := listFiles(t, dir); !slices.Equal(before, after) {
			t.Errorf("a store that does not open was changed:\nbefore %v\nafter  %v", before, after)
		}
		return "refused"
	}
	defer s.Close()
	got, err := dumpStore(t, s)
	if err != nil {
		return "refused"
	}
	stats, err := s.Stats(t.Context())
	switch {
	case err != nil:
		return "refused"
	case len(stats.Quarantined) > 0:
		return "quarantined"
	case got != truth:
		t.Logf("got\n%s\nwant\n%s", got, truth)
		return "silent"
	}
	if _, err := s.verify(t.Context(), nil, 0); err != nil {
		t.Errorf("verify: %v", err)
	}
	return "harmless"
}

// listFiles returns the names, sizes and times of all files, except the lock.
func listFiles(t *testing.T, dir string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "LOCK" {
			return err
		}
		info, err := d.Info()
		files = append(files, fmt.Sprint(path, info.Size(), info.ModTime()))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// A fault is a change to one file.
type fault struct {
	file, how string
	at        float64 // where, from 0 to 1
	bit       int
}

func (f fault) String() string { return fmt.Sprintf("%s of %s at %.4f", f.how, f.file, f.at) }

// kind returns the kind of file.
func (f fault) kind() string {
	name := filepath.Base(f.file)
	switch {
	case strings.HasPrefix(name, "MANIFEST"), strings.HasPrefix(name, "OPTIONS"), strings.HasPrefix(name, "marker"):
		return strings.ToLower(strings.FieldsFunc(name, func(r rune) bool { return r == '-' || r == '.' })[0])
	case name == witnessName:
		return name
	}
	return filepath.Ext(name)
}

func randomFault(r *rand.Rand, files []string) fault {
	return fault{
		file: files[r.IntN(len(files))],
		how:  []string{"flip", "flip", "flip", "truncate", "zero", "remove", "duplicate"}[r.IntN(7)],
		at:   r.Float64(), bit: r.IntN(8),
	}
}

func (f fault) apply(t *testing.T, dir string) {
	t.Helper()
	path := filepath.Join(dir, f.file)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := int(f.at * float64(used(data)))
	switch {
	case f.how == "remove" || len(data) == 0:
		err = os.Remove(path)
	case f.how == "truncate":
		err = rewrite(path, data[:at])
	case f.how == "zero":
		clear(data[at:min(at+512, len(data))])
		err = rewrite(path, data)
	case f.how == "duplicate":
		err = rewrite(path+".1"+filepath.Ext(path), data)
		if n := len(filepath.Ext(path)); n > 0 && n < 5 { // with a name that looks like a newer file
			base := strings.TrimSuffix(path, filepath.Ext(path))
			err = errors.Join(err, rewrite(base[:len(base)-2]+"99"+filepath.Ext(path), data))
		}
	default:
		data[at] ^= 1 << f.bit
		err = rewrite(path, data)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// used returns the length of data without trailing zeros: logs are preallocated.
func used(data []byte) int {
	n := len(data)
	for n > 0 && data[n-1] == 0 {
		n--
	}
	return n
}

// rewrite replaces a file, which may be linked elsewhere.
func rewrite(path string, data []byte) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.WriteFile(path, data, 0o600)
}

// sampleFiles returns the files of a store that a fault may damage.
func sampleFiles(t *testing.T, dir string) (files []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && d.Name() != "LOCK" && d.Name() != "ballast" {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// copyStore copies a store. It links large files, which nothing overwrites.
func copyStore(t *testing.T, from, to string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(from), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		in, out := filepath.Join(from, path), filepath.Join(to, path)
		switch {
		case d.IsDir():
			return os.MkdirAll(out, 0o700)
		case d.Name() == "ballast" || strings.HasSuffix(path, ".sst") || strings.HasSuffix(path, segmentSuffix):
			return os.Link(in, out)
		}
		data, err := os.ReadFile(in)
		if err != nil {
			return err
		}
		return os.WriteFile(out, data, 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// sampleSets are the sets of the sample.
var sampleSets = []poststore.SetID{1, 2, 3}

// A sample is a store and everything that it should contain.
type sample struct {
	dir     string
	truth   string // see dumpStore
	journal []change
}

// write applies a journal entry.
func (x *sample) write(t *testing.T, s *Store, apply func(s *Store, at earshot.Position) error) {
	t.Helper()
	at := earshot.Position(len(x.journal) + 1)
	x.journal = append(x.journal, change{at, func(s *Store) error { return apply(s, at) }})
	must(t, apply(s, at))
}

// newSample writes a store with several tables and a log, segments with deleted and replaced posts,
// overridden sets, snapshots and counters. If killed is set, the store is as a killed process leaves
// it.
func newSample(t *testing.T, killed bool) *sample {
	t.Helper()
	x := &sample{dir: filepath.Join(t.TempDir(), "posts")}
	var s *Store
	for round := range 4 {
		s = openAt(t, x.dir)
		for part := range 2 {
			x.write(t, s, func(s *Store, at earshot.Position) error {
				return s.Append(t.Context(), at, samplePosts(round, part))
			})
			x.write(t, s, func(s *Store, at earshot.Position) error {
				day := earshot.Date{Year: 2024, Month: 3, Day: 1 + 2*round + part}
				return s.AddSnapshots(t.Context(), at, 1, []earshot.Snapshot{{Date: day, Followers: earshot.Counted(int64(at))}})
			})
			if part == 1 {
				x.write(t, s, func(s *Store, at earshot.Position) error {
					return s.Delete(t.Context(), at, earshot.Deletion{ContentSource: 3, GUIDs: []string{fmt.Sprintf("%d-0-1", round)}})
				})
			}
			must(t, s.Flush(t.Context()))
		}
		must(t, s.Rematch(t.Context(), poststore.Rematch{Rules: poststore.Rules{2: {Where: compile(t, fmt.Sprint("number", round)), UpTo: earshot.EndOfJournal, Generation: int64(round + 1)}}}))
		if round < 3 {
			must(t, s.Close())
		}
	}
	var err error
	x.truth, err = dumpStore(t, s)
	must(t, err)
	if !killed {
		must(t, s.Close())
		return x
	}
	s.stop()
	s.running.Wait() // nothing changes files while they are copied
	dead := filepath.Join(t.TempDir(), "killed")
	copyStore(t, x.dir, dead)
	x.dir = dead
	return x
}

// repair repairs a store that does not open, and opens it. It returns what differs from the truth
// although the plan does not state it.
func (x *sample) repair(t *testing.T, dir string) (lost []string, problem string) {
	t.Helper()
	plan, err := Plan(t.Context(), dir, 0)
	if err != nil || len(plan) == 0 {
		return lost, fmt.Sprintf("got plan %v, %v", plan, err)
	}
	for _, r := range plan {
		lost = append(lost, r.Lost...)
		if err := r.Apply(t.Context()); err != nil {
			return lost, err.Error()
		}
	}
	s, err := Open(t.Context(), Options{Dir: dir})
	if err != nil {
		return lost, fmt.Sprintf("open: %v", err)
	}
	defer s.Close()
	if stats, err := s.Stats(t.Context()); err != nil || len(stats.Quarantined) > 0 {
		return lost, fmt.Sprintf("got %+v, %v", stats, err)
	}
	for _, c := range x.journal {
		if c.at > s.Durable() {
			if err := c.apply(s); err != nil {
				return lost, err.Error()
			}
		}
	}
	must(t, s.Flush(t.Context()))
	got, err := dumpStore(t, s)
	if err != nil {
		return lost, err.Error()
	}
	if findings, err := s.verify(t.Context(), nil, 0); err != nil || len(findings) > 0 {
		return lost, fmt.Sprintf("verify: %v, %v", findings, err)
	}
	return lost, unstated(lost, got, x.truth)
}

// unstated returns the first line that only one of two dumps has, unless the lines of the repair's
// report cover it.
func unstated(lost []string, got, want string) string {
	states := func(word string) bool {
		return slices.ContainsFunc(lost, func(line string) bool { return strings.HasPrefix(line, word) })
	}
	inGot, inWant := strings.Split(got, "\n"), strings.Split(want, "\n")
	rematch := strings.Contains(got, "generations map[]")
	permitted := func(line string, extra bool) bool {
		kind, _, _ := strings.Cut(line, " ")
		switch kind {
		case "set":
			isAll := strings.HasPrefix(line, "set 0 ")
			return !isAll && rematch || extra && states("deletions")
		case "change":
			return states("counters")
		case "snapshot":
			return states("snapshots")
		case "generations":
			return rematch
		}
		return false
	}
	for _, line := range inWant {
		if !slices.Contains(inGot, line) && !permitted(line, false) {
			return "missing: " + line + " although it states " + strings.Join(lost, "; ")
		}
	}
	for _, line := range inGot {
		if !slices.Contains(inWant, line) && !permitted(line, true) {
			return "extra: " + line + " although it states " + strings.Join(lost, "; ")
		}
	}
	return ""
}

// samplePosts returns posts, some of which replace those of the round before.
func samplePosts(round, part int) (posts []poststore.MatchedPost) {
	for i := range 12 {
		from := round
		if i == 5 && round > 0 {
			from--
		}
		posts = append(posts, poststore.MatchedPost{
			Post: earshot.Post{
				Source: "Letters", ContentSource: 3, Team: team, GUID: fmt.Sprintf("%d-%d-%d", from, part, i),
				Contents: fmt.Sprintf("an apple number%d version%d", i, round), Author: fmt.Sprint("author", i),
				Time: time.Date(2024, time.March, 1+from, part, i, 0, 0, time.UTC), Likes: earshot.Counted(int64(10*round + i)),
			},
			Sets: []poststore.SetID{1, 3}, Tracked: []poststore.SetID{1}, Received: time.Date(2024, time.April, 1+round, part, i, 0, 0, time.UTC),
		})
	}
	return posts
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// dumpStore returns everything that a store contains, one line each.
func dumpStore(t *testing.T, s *Store) (string, error) {
	t.Helper()
	var b strings.Builder
	for _, set := range append([]poststore.SetID{0}, sampleSets...) {
		posts, _, err := s.Posts(t.Context(), poststore.Selection{Set: set}, 10_000)
		if err != nil {
			return "", err
		}
		for _, p := range posts {
			likes, _ := p.Likes.Value()
			fmt.Fprintln(&b, "set", set, p.GUID, p.Time.Unix(), p.Contents, likes)
		}
		err = s.CounterChanges(t.Context(), set, time.Unix(0, 0), time.Unix(1<<33, 0), func(c poststore.CounterChange) {
			fmt.Fprintln(&b, "change", set, c.Time.Unix(), c.Posted.Unix(), c.Likes, c.Shares, c.Comments)
		})
		if err != nil {
			return "", err
		}
	}
	snapshots, err := s.Snapshots(t.Context(), 1, earshot.Days{Start: earshot.Date{Year: 2020, Month: 1, Day: 1}, End: earshot.Date{Year: 2030, Month: 1, Day: 1}})
	if err != nil {
		return "", err
	}
	for _, snap := range snapshots {
		fmt.Fprintln(&b, "snapshot", snap.Date, snap.Followers)
	}
	generations, err := s.Generations(t.Context())
	fmt.Fprintln(&b, "generations", generations)
	fmt.Fprintln(&b, "position", s.Durable())
	return b.String(), err
}
