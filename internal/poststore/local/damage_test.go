package local

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/local/colfile"
	"earshot/internal/query/watchlist"
	"earshot/internal/test/testenv"
)

// TestDamage changes bytes of segment files and truncates them. Every query must then return a
// result for all posts, or for all except those of one segment that is quarantined and reported by
// Stats.
func TestDamage(t *testing.T) {
	testenv.SkipUnderRace(t)
	rounds := 80
	if testing.Short() {
		rounds = 20
	}
	const files, perFile = 3, 40 // few enough not to be compacted
	whole := t.TempDir()
	s := openAt(t, whole)
	for f := range files {
		var posts []poststore.MatchedPost
		for i := range perFile {
			m := poststore.MatchedPost{Post: earshot.Post{
				Source: earshot.Twitter, GUID: fmt.Sprintf("%d-%d", f, i), Contents: fmt.Sprintf("an apple number%d", i),
				Time:     time.Date(2024, time.March, 1+f, 0, i, 0, 0, time.UTC),
				Language: "en", Author: fmt.Sprint("author", i), Hashtags: []string{"fruit"},
			}, Sets: []poststore.SetID{1}}
			posts = append(posts, m)
		}
		if err := s.Append(t.Context(), earshot.Position(f+1), posts); err != nil {
			t.Fatal(err)
		}
		if err := s.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for seed := range rounds {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(seed), 6))
			dir := filepath.Join(t.TempDir(), "copy")
			if err := os.CopyFS(dir, os.DirFS(whole)); err != nil {
				t.Fatal(err)
			}
			live := r.IntN(4) == 0 // damage the file while it is open
			var s *Store
			if live {
				s = openAt(t, dir)
			}
			name := hurt(t, r, dir)
			if !live {
				s = openAt(t, dir)
			}
			for _, q := range damageCases(t) {
				wantCompleteOrQuarantined(t, s, q, files*perFile, perFile, name)
			}
		})
	}
}

// hurt damages one of the segment files and returns its name.
func hurt(t *testing.T, r *rand.Rand, dir string) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "segments", "*"+segmentSuffix))
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	path := names[r.IntN(len(names))]
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	switch r.IntN(3) {
	case 0:
		err = os.Truncate(path, int64(r.IntN(len(data))))
	default: // in place, like a faulty disk
		f, openErr := os.OpenFile(path, os.O_WRONLY, 0)
		if openErr != nil {
			t.Fatal(openErr)
		}
		defer f.Close()
		for range 1 + r.IntN(3) {
			at := r.IntN(len(data))
			if _, err = f.WriteAt([]byte{data[at] ^ 1<<r.IntN(8)}, int64(at)); err != nil {
				break
			}
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Base(path)
}

// A damageCase returns the number of posts that a result covers.
type damageCase struct {
	name string
	ask  func(s *Store) (int64, error)
}

func damageCases(t *testing.T) []damageCase {
	t.Helper()
	where, err := watchlist.Compile(1, earshot.Criteria{Keywords: `"an apple" AND number*`})
	if err != nil {
		t.Fatal(err)
	}
	sum := func(of poststore.Selection, by ...poststore.Dim) func(s *Store) (int64, error) {
		return func(s *Store) (n int64, err error) {
			rows, err := poststore.TallyOne(t.Context(), s, of, poststore.Tally{By: by})
			for _, r := range rows {
				n += r.Posts
			}
			return n, err
		}
	}
	return []damageCase{
		{"words", func(s *Store) (total int64, err error) {
			n := int64(0)
			total, err = s.Words(t.Context(), poststore.Selection{}, 1000, func(words []poststore.Word) {
				if len(words) == 3 {
					n++
				}
			})
			if n != total {
				err = errors.Join(err, fmt.Errorf("got words of %d of %d posts", n, total))
			}
			return total, err
		}},
		{"days", func(s *Store) (total int64, err error) {
			answers, err := s.Days(t.Context(), poststore.Selection{Set: 1}, daysOf(time.UTC, 1, 31), []poststore.Tally{{By: []poststore.Dim{poststore.ByHashtag}}})
			if err != nil {
				return 0, err
			}
			for _, rows := range answers[0] {
				for _, r := range rows {
					total += r.Posts
				}
			}
			return total, nil
		}},
		{"all", sum(poststore.Selection{})},
		{"by monitor", sum(poststore.Selection{Set: 1}, poststore.ByDay)},
		{"by words", sum(poststore.Selection{Where: where})},
		{"by author", sum(poststore.Selection{}, poststore.ByAuthor)},
		{"by hashtag", sum(poststore.Selection{}, poststore.ByHashtag)},
		{"posts", func(s *Store) (int64, error) {
			posts, total, err := s.Posts(t.Context(), poststore.Selection{}, 1000)
			if int64(len(posts)) != total {
				err = fmt.Errorf("got %d of %d posts, %w", len(posts), total, err)
			}
			return total, err
		}},
	}
}

func wantCompleteOrQuarantined(t *testing.T, s *Store, q damageCase, all, perFile int64, name string) {
	t.Helper()
	before, err := s.Stats(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got, err := q.ask(s)
	if err != nil {
		t.Errorf("%s: %v", q.name, err)
		return
	}
	stats, err := s.Stats(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got == all && len(before.Quarantined) == 0 {
		return // damage, if any, is found later in another section
	}
	switch len(stats.Quarantined) {
	case 0:
		if got != all {
			t.Errorf("%s: got %d posts and no quarantined segments, want %d", q.name, got, all)
		}
	case 1:
		aside := stats.Quarantined[0]
		if aside.Name != name || aside.Posts != perFile || !strings.Contains(aside.Reason, name) {
			t.Errorf("%s: got quarantined segment %+v, want %s with %d posts", q.name, aside, name, perFile)
		}
		if got != all-perFile {
			t.Errorf("%s: got %d posts without the segment, want %d", q.name, got, all-perFile)
		}
	default:
		t.Errorf("%s: got quarantined segments %+v, but only %s is damaged", q.name, stats.Quarantined, name)
	}
}

// TestVerify checks that verify finds damage.
func TestVerify(t *testing.T) {
	dir := t.TempDir()
	s := openAt(t, dir)
	post := poststore.MatchedPost{Post: earshot.Post{Source: earshot.Twitter, GUID: "a", Contents: "an apple", Time: time.Unix(0, 0)}}
	if err := s.Append(t.Context(), 1, []poststore.MatchedPost{post}); err != nil {
		t.Fatal(err)
	}
	if err := s.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if findings, err := s.verify(t.Context(), nil, 0); err != nil || len(findings) > 0 {
		t.Fatalf("got %v, %v in an intact store", findings, err)
	}
	if stats, err := s.Stats(t.Context()); err != nil || len(stats.Quarantined) > 0 {
		t.Fatalf("got quarantined segments %+v in an intact store, %v", stats.Quarantined, err)
	}
	path := s.path(s.current.Load().segments[0].id)
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt([]byte{0xff}, 100); err != nil {
		t.Fatal(err)
	}
	if findings, err := s.verify(t.Context(), nil, 0); err != nil || len(findings) != 1 {
		t.Fatalf("got %v, %v, want one finding", findings, err)
	}
	stats, err := s.Stats(t.Context())
	if err != nil || len(stats.Quarantined) != 1 || stats.Posts != 0 {
		t.Errorf("got %+v, %v, want the only segment quarantined", stats, err)
	}
	if _, err := os.Stat(filepath.Join(s.quarantineDir(), filepath.Base(path))); err != nil {
		t.Errorf("the damaged file is not in quarantine: %v", err)
	}
}

// TestDamageFoundWhileWriting replaces and deletes posts of a segment whose keys are damaged. If
// the damage went unnoticed, posts would exist twice or come back.
func TestDamageFoundWhileWriting(t *testing.T) {
	post := func(guid string) poststore.MatchedPost {
		return poststore.MatchedPost{Post: earshot.Post{Source: "Letters", ContentSource: 3, Team: 1, GUID: guid, Time: time.Unix(1e9, 0)}}
	}
	for name, write := range map[string]func(s *Store) error{
		"Append": func(s *Store) error { return s.Append(t.Context(), 2, []poststore.MatchedPost{post("a")}) },
		"Delete": func(s *Store) error {
			return s.Delete(t.Context(), 2, earshot.Deletion{ContentSource: 3, GUIDs: []string{"b"}})
		},
	} {
		dir := t.TempDir()
		s := openAt(t, dir)
		if err := s.Append(t.Context(), 1, []poststore.MatchedPost{post("a"), post("b"), post("c")}); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		paths, err := filepath.Glob(filepath.Join(dir, "segments", "*"))
		if err != nil || len(paths) != 1 {
			t.Fatal(paths, err)
		}
		hurtSection(t, paths[0], "key")
		s = openAt(t, dir)
		if err := write(s); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		stats, err := s.Stats(t.Context())
		if err != nil || len(stats.Quarantined) != 1 || stats.Posts > 1 {
			t.Errorf("%s: got %+v, %v, want the segment quarantined", name, stats, err)
		}
	}
}

// hurtSection changes a byte of a section.
func hurtSection(t *testing.T, path, name string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for at := range data {
		changed := bytes.Clone(data)
		changed[at] ^= 1
		if err := os.WriteFile(path, changed, 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := colfile.Open(path)
		if err != nil {
			continue
		}
		_, err = f.Uints(name)
		f.Close()
		var corrupt *colfile.CorruptError
		if errors.As(err, &corrupt) {
			return
		}
	}
	t.Fatalf("no byte of %s belongs to %s", path, name)
}
