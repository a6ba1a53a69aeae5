package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/operate/integrity"
	"earshot/internal/poststore"
)

// TestReadmit quarantines a segment, replaces, deletes and rematches posts of it in the meantime, and
// repairs the store after the file has become readable again.
func TestReadmit(t *testing.T) {
	dir := t.TempDir()
	s := openAt(t, dir)
	must(t, s.Append(t.Context(), 1, letterPosts("a", "b", "c", "d")))
	must(t, s.Flush(t.Context()))
	must(t, s.Delete(t.Context(), 2, earshot.Deletion{ContentSource: 3, GUIDs: []string{"a"}}))
	must(t, s.Append(t.Context(), 3, letterPosts("x")))
	must(t, s.Flush(t.Context()))
	path, intact := hideSegment(t, s, 4)

	must(t, s.Delete(t.Context(), 4, earshot.Deletion{ContentSource: 3, GUIDs: []string{"b"}}))
	newer := letterPosts("c")
	newer[0].Post.Contents = "a newer version"
	must(t, s.Append(t.Context(), 5, newer))
	must(t, s.Close())

	if plan, err := Plan(t.Context(), dir, 0); err != nil || len(plan) != 0 {
		t.Fatalf("got %v, %v, want no repair while the file is damaged", plan, err)
	}
	must(t, os.WriteFile(filepath.Join(quarantineDir(dir), filepath.Base(path)), intact, 0o600))
	plan, err := Plan(t.Context(), dir, 0)
	if err != nil || len(plan) != 1 || len(plan[0].Lost) > 0 {
		t.Fatalf("got %+v, %v, want one repair that loses nothing", plan, err)
	}
	must(t, plan[0].Apply(t.Context()))
	wantNoFindings(t, dir)
	s = openAt(t, dir)
	wantContents(t, s, "c a newer version", "d d", "x x")
	if stats, err := s.Stats(t.Context()); err != nil || len(stats.Quarantined) > 0 {
		t.Errorf("got %+v, %v, want no quarantined segments", stats, err)
	}
}

// TestRecoverLostPosts recovers the posts of a damaged segment from a backup and from the readable
// part of the segment itself.
func TestRecoverLostPosts(t *testing.T) {
	dir, backup := t.TempDir(), filepath.Join(t.TempDir(), "backup")
	s := openAt(t, dir)
	must(t, s.Append(t.Context(), 1, letterPosts("a", "b", "c", "d")))
	must(t, s.Append(t.Context(), 2, letterPosts("x")))
	must(t, s.Checkpoint(t.Context(), backup))
	hideSegment(t, s, 5)
	must(t, s.Delete(t.Context(), 3, earshot.Deletion{ContentSource: 3, GUIDs: []string{"b"}}))
	must(t, s.Append(t.Context(), 4, letterPosts("c")))

	lost, err := s.LostKeys(t.Context())
	must(t, err)
	if a := letterPosts("a")[0].Post; !lost.Wants(&a, 1) {
		t.Error("a is lost, but it is not wanted")
	}
	for _, guid := range []string{"b", "c", "never seen"} { // deleted, replaced, unknown
		if p := letterPosts(guid)[0].Post; lost.Wants(&p, 1) {
			t.Errorf("%s is wanted", guid)
		}
	}
	var found []string
	must(t, Recover(t.Context(), backup, lost, func(p earshot.Post, at earshot.Position) error {
		found = append(found, p.GUID)
		return nil
	}))
	slices.Sort(found)
	if want := []string{"a", "d", "x"}; !slices.Equal(found, want) {
		t.Errorf("recovered %v, want %v", found, want)
	}
	stats, err := s.Stats(t.Context())
	must(t, err)
	must(t, s.Dismiss(t.Context(), stats.Quarantined[0].Name))
	must(t, s.Close())
	wantNoFindings(t, dir)
}

// TestRecoverReadablePart damages one of many blocks of posts.
func TestRecoverReadablePart(t *testing.T) {
	dir := t.TempDir()
	s := openAt(t, dir)
	const total = 400
	var posts []poststore.MatchedPost
	for i := range total {
		m := letterPosts(fmt.Sprint(i))[0]
		m.Post.Contents = strings.Repeat(fmt.Sprint(i, " "), 100)
		posts = append(posts, m)
	}
	must(t, s.Append(t.Context(), 1, posts))
	must(t, s.Flush(t.Context()))
	path := s.path(s.current.Load().segments[0].id)
	hurtBlobs(t, path)
	if _, err := s.verify(t.Context(), nil, 0); err != nil {
		t.Fatal(err)
	}
	lost, err := s.LostKeys(t.Context())
	must(t, err)
	if lost.Len() != total {
		t.Errorf("got %d lost posts, want %d", lost.Len(), total)
	}
	found := 0
	must(t, Recover(t.Context(), dir, lost, func(earshot.Post, earshot.Position) error { found++; return nil }))
	if found < total/2 || found == total {
		t.Errorf("recovered %d of %d posts, want all but those of one block", found, total)
	}
}

// hurtBlobs changes a byte of a segment that belongs to its posts.
func hurtBlobs(t *testing.T, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	must(t, err)
	for at := len(data) / 8; at < len(data); at += 64 {
		file, err := os.OpenFile(path, os.O_WRONLY, 0)
		must(t, err)
		_, err = file.WriteAt([]byte{data[at] ^ 1}, int64(at))
		must(t, err)
		if problem := VerifyFile(path); problem != nil && strings.Contains(problem.Error(), `posts: block`) {
			must(t, file.Close())
			return
		}
		_, err = file.WriteAt([]byte{data[at]}, int64(at))
		must(t, errors.Join(err, file.Close()))
	}
	t.Fatal("no byte belongs to posts")
}

// TestInstallation checks that a store belongs to one installation.
func TestInstallation(t *testing.T) {
	dir := t.TempDir()
	open := func(id string, revision uint64) error {
		s, err := Open(t.Context(), Options{Dir: dir, Installation: id, CatalogRevision: func() uint64 { return revision }})
		if err != nil {
			return err
		}
		appendAll(t, s, earshot.Position(revision))
		return s.Close()
	}
	must(t, open("", 1)) // an earlier version
	must(t, open("0a", 7))
	must(t, open("0a", 8))
	err := open("0b", 9)
	if damage, ok := errors.AsType[*integrity.DamageError](err); !ok || !strings.Contains(damage.Error(), "installation 0a") || !strings.Contains(damage.Error(), "installation 0b") {
		t.Errorf("got %v, want an error with both installations", err)
	}
	s := openAt(t, dir)
	if s.Installation() != "0a" || s.CatalogRevision() != 8 {
		t.Errorf("got installation %s and revision %d, want 0a and 8", s.Installation(), s.CatalogRevision())
	}
}

// TestCheckLive checks a store while it is written to.
func TestCheckLive(t *testing.T) {
	dir := t.TempDir()
	s := openAt(t, dir)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for at := earshot.Position(1); ctx.Err() == nil; at++ {
			appendAll(t, s, at)
			if err := s.Flush(t.Context()); err != nil {
				t.Error(err)
			}
		}
	}()
	for range 5 {
		if findings, err := Check(t.Context(), CheckOptions{Dir: dir, Live: true}); err != nil || len(findings) > 0 {
			t.Errorf("got %v, %v, want no findings", findings, err)
		}
	}
	stop()
	<-done
}

// TestCheckpointOfDamage checks that damaged files in a backup are found.
func TestCheckpointOfDamage(t *testing.T) {
	s := openAt(t, t.TempDir())
	appendAll(t, s, 1)
	must(t, s.Flush(t.Context()))
	hurtSection(t, s.path(s.current.Load().segments[0].id), "key")
	to := filepath.Join(t.TempDir(), "backup")
	must(t, s.Checkpoint(t.Context(), to))
	if err := VerifyCheckpoint(t.Context(), to); err == nil || !strings.Contains(err.Error(), segmentSuffix) {
		t.Errorf("got %v, want an error with the segment", err)
	}
}

// hideSegment damages the first segment with at least the given number of posts, so that the store
// quarantines it. It returns the path and the intact contents.
func hideSegment(t *testing.T, s *Store, posts int) (path string, intact []byte) {
	t.Helper()
	for _, p := range s.current.Load().segments {
		if p.rows < posts {
			continue
		}
		path = s.path(p.id)
		intact, err := os.ReadFile(path)
		must(t, err)
		file, err := os.OpenFile(path, os.O_WRONLY, 0)
		must(t, err)
		_, err = file.WriteAt([]byte{intact[100] ^ 1}, 100)
		must(t, errors.Join(err, file.Close()))
		if _, err := s.verify(t.Context(), nil, 0); err != nil {
			t.Fatal(err)
		}
		if s.current.Load().find(p.id) != nil {
			t.Fatal("the segment is not quarantined")
		}
		return path, intact
	}
	t.Fatalf("no segment has %d posts", posts)
	return "", nil
}

func wantNoFindings(t *testing.T, dir string) {
	t.Helper()
	if findings, err := Check(t.Context(), CheckOptions{Dir: dir}); err != nil || len(findings) > 0 {
		t.Errorf("got findings %v, %v, want none", findings, err)
	}
}

func wantContents(t *testing.T, s *Store, want ...string) {
	t.Helper()
	posts, _, err := s.Posts(t.Context(), poststore.Selection{}, 100)
	must(t, err)
	var got []string
	for _, p := range posts {
		got = append(got, p.GUID+" "+p.Contents)
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// letterPosts returns a post for each guid.
func letterPosts(guids ...string) (posts []poststore.MatchedPost) {
	for i, guid := range guids {
		posts = append(posts, poststore.MatchedPost{Post: earshot.Post{
			Source: "Letters", ContentSource: 3, Team: 1, GUID: guid, Contents: guid, Time: time.Unix(1e9+int64(i), 0),
		}, Sets: []poststore.SetID{1}})
	}
	return posts
}
