package mark

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"earshot"
	"earshot/internal/state/catalog"
	"earshot/internal/state/kv"
)

// A fixture is a service with teams 1 and 2. Team 1 has the members ann and bob and the monitors 11,
// with filter 111, and 12. Team 2 has the member eve and monitor 13. Posts a, b and c exist.
type fixture struct {
	*Service
	t             *testing.T
	ann, bob, eve *earshot.Caller
	now           time.Time
	posts         map[earshot.PostKey]bool
}

func (f *fixture) Find(_ context.Context, keys []earshot.PostKey) (found []earshot.Post, _ error) {
	for _, k := range keys {
		if f.posts[k] {
			found = append(found, earshot.Post{Source: k.Source, GUID: k.GUID})
		}
	}
	return found, nil
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	c, err := catalog.Open(t.Context(), kv.NewMemory(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	f := &fixture{t: t, now: time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC), posts: map[earshot.PostKey]bool{postA: true, postB: true, postC: true}}
	f.Service = &Service{Catalog: c, Posts: f, Now: func() time.Time { return f.now }}
	for _, team := range []earshot.TeamID{1, 2} {
		f.must(c.Teams.Add(t.Context(), team, &earshot.Team{ID: team, Name: fmt.Sprintf("team %d", team)}))
	}
	user := func(id earshot.UserID, name string, team earshot.TeamID) *earshot.Caller {
		u := &earshot.User{ID: id, Username: name, Teams: []earshot.TeamID{team}}
		f.must(c.Users.Add(t.Context(), id, u))
		return earshot.NewCaller(u)
	}
	f.ann, f.bob, f.eve = user(5, "ann", 1), user(6, "bob", 1), user(7, "eve", 2)
	for id, team := range map[earshot.MonitorID]earshot.TeamID{11: 1, 12: 1, 13: 2} {
		m := &earshot.Monitor{ID: id, Team: team, Filters: []earshot.Filter{{ID: id + 100}}}
		f.must(c.Monitors.Add(t.Context(), id, m))
	}
	return f
}

var (
	postA = earshot.PostKey{Source: "News", GUID: "a"}
	postB = earshot.PostKey{Source: "News", GUID: "b"}
	postC = earshot.PostKey{Source: "News", GUID: "c"}
)

func (f *fixture) must(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

// refused checks the kind of an error and that its message contains a text.
func (f *fixture) refused(err error, kind earshot.Kind, message string) {
	f.t.Helper()
	var e *earshot.Error
	if !errors.As(err, &e) || e.Kind != kind || !strings.Contains(e.Message, message) {
		f.t.Errorf("got error %v, want kind %v with %q", err, kind, message)
	}
}

func (f *fixture) tag(post earshot.PostKey, tags ...string) *earshot.PostMark {
	f.t.Helper()
	m, err := f.Edit(f.t.Context(), f.ann, 1, post, Changes{AddTags: tags})
	f.must(err)
	return m
}

func date(text string) earshot.Date {
	d, err := earshot.ParseDate(text)
	if err != nil {
		panic(err)
	}
	return d
}

func TestAnnotations(t *testing.T) {
	f, ctx := newFixture(t), t.Context()
	add := func(a earshot.Annotation) *earshot.Annotation {
		t.Helper()
		added, err := f.AddAnnotation(ctx, f.ann, a)
		f.must(err)
		return added
	}
	launch := add(earshot.Annotation{Monitor: 111, Start: date("2026-03-02"), Text: " Launch "})
	if launch.Monitor != 11 || launch.Team != 1 || launch.End != date("2026-03-03") || launch.Text != "Launch" || launch.CreatedBy != "ann" || launch.Created != f.now {
		t.Errorf("got %+v", launch)
	}
	fair := add(earshot.Annotation{Team: 1, Start: date("2026-03-01"), End: date("2026-03-08"), Text: "Fair"})
	add(earshot.Annotation{Monitor: 12, Start: date("2026-03-02"), Text: "Other monitor"})

	onCharts := func(id, parent earshot.MonitorID, start, end string) (texts []string) {
		for _, a := range f.MonitorAnnotations(&earshot.Monitor{ID: id, Parent: parent, Team: 1}, earshot.Days{Start: date(start), End: date(end)}) {
			texts = append(texts, a.Text)
		}
		return texts
	}
	for _, c := range []struct {
		id, parent earshot.MonitorID
		start, end string
		want       []string
	}{
		{11, 0, "2026-03-01", "2026-03-31", []string{"Fair", "Launch"}},
		{111, 11, "2026-03-01", "2026-03-31", []string{"Fair", "Launch"}},
		{12, 0, "2026-03-01", "2026-03-31", []string{"Fair", "Other monitor"}},
		{11, 0, "2026-03-02", "2026-03-03", []string{"Fair", "Launch"}},
		{11, 0, "2026-03-03", "2026-03-04", []string{"Fair"}},
		{11, 0, "2026-03-08", "2026-03-31", nil},
		{11, 0, "2026-02-01", "2026-03-01", nil},
	} {
		if got := onCharts(c.id, c.parent, c.start, c.end); !slices.Equal(got, c.want) {
			t.Errorf("monitor %d from %s to %s: got %q, want %q", c.id, c.start, c.end, got, c.want)
		}
	}

	start := date("2026-03-10")
	moved, err := f.EditAnnotation(ctx, f.bob, fair.ID, AnnotationChanges{Start: &start})
	if f.must(err); moved.End != date("2026-03-17") {
		t.Errorf("moving the start: got end %v, want the same length", moved.End)
	}
	list, err := f.Annotations(f.ann, 0, 111)
	if f.must(err); len(list) != 2 {
		t.Errorf("got %d annotations on the charts of monitor 11, want 2", len(list))
	}

	_, err = f.AddAnnotation(ctx, f.ann, earshot.Annotation{Start: start, Text: "x"})
	f.refused(err, earshot.Invalid, "team or monitor")
	_, err = f.AddAnnotation(ctx, f.ann, earshot.Annotation{Team: 1, Text: "x"})
	f.refused(err, earshot.Invalid, "start is missing")
	_, err = f.AddAnnotation(ctx, f.ann, earshot.Annotation{Team: 1, Start: start, End: start, Text: "x"})
	f.refused(err, earshot.Invalid, "end must be")
	_, err = f.AddAnnotation(ctx, f.ann, earshot.Annotation{Team: 1, Start: start, Text: "a\nb"})
	f.refused(err, earshot.Invalid, "control characters")
	_, err = f.AddAnnotation(ctx, f.ann, earshot.Annotation{Team: 1, Monitor: 13, Start: start, Text: "x"})
	f.refused(err, earshot.NotFound, "13")

	// Others see nothing.
	_, err = f.AddAnnotation(ctx, f.eve, earshot.Annotation{Monitor: 11, Start: start, Text: "x"})
	f.refused(err, earshot.NotFound, "")
	_, err = f.AddAnnotation(ctx, f.eve, earshot.Annotation{Team: 1, Start: start, Text: "x"})
	f.refused(err, earshot.NotFound, "")
	_, err = f.EditAnnotation(ctx, f.eve, launch.ID, AnnotationChanges{})
	f.refused(err, earshot.NotFound, "")
	f.refused(f.RemoveAnnotation(ctx, f.eve, launch.ID), earshot.NotFound, "")
	_, err = f.Annotations(f.eve, 0, 11)
	f.refused(err, earshot.NotFound, "")
	if list, _ := f.Annotations(f.eve, 0, 0); len(list) != 0 {
		t.Errorf("another team sees %d annotations", len(list))
	}
	f.must(f.RemoveAnnotation(ctx, f.bob, launch.ID))
	f.refused(f.RemoveAnnotation(ctx, f.bob, launch.ID), earshot.NotFound, "")
}

func TestMarks(t *testing.T) {
	f, ctx := newFixture(t), t.Context()
	if !f.Of(1, postA).IsEmpty() {
		t.Error("a new post has a mark")
	}
	yes, no, bob := true, false, earshot.UserID(6)
	_, err := f.Edit(ctx, f.ann, 1, postA, Changes{Starred: &yes, Assignee: &bob, AddTags: []string{" to  do ", "Praise"}})
	f.must(err)
	_, err = f.AddNote(ctx, f.bob, 1, postA, "Two\nlines")
	f.must(err)
	m := f.Of(1, postA)
	if u, ok := f.Assignee(m); !m.Starred || !slices.Equal(m.Tags, []string{"Praise", "to do"}) || !ok || u.Username != "bob" || len(m.Notes) != 1 || m.Notes[0].By != "bob" {
		t.Errorf("got %+v", m)
	}
	if !f.Of(2, postA).IsEmpty() {
		t.Error("another team sees the mark")
	}
	if n := len(f.Catalog.Marks.List()); n != 1 {
		t.Errorf("got %d marks of one post", n)
	}

	_, err = f.EditNote(ctx, f.ann, 1, postA, m.Notes[0].ID, "Mine")
	f.refused(err, earshot.Forbidden, "Only bob")
	_, err = f.EditNote(ctx, f.bob, 1, postA, 99, "x")
	f.refused(err, earshot.NotFound, "99")
	_, err = f.AddNote(ctx, f.bob, 1, postA, "  ")
	f.refused(err, earshot.Invalid, "1 to 1000")
	eve := earshot.UserID(7)
	_, err = f.Edit(ctx, f.ann, 1, postA, Changes{Assignee: &eve})
	f.refused(err, earshot.Invalid, "member")
	_, err = f.Edit(ctx, f.eve, 1, postA, Changes{Starred: &yes})
	f.refused(err, earshot.NotFound, "Team 1")
	_, err = f.Edit(ctx, f.ann, 1, postB, Changes{AddTags: []string{"a,b"}})
	f.refused(err, earshot.Invalid, "comma")

	// A colleague who leaves the team is no longer the assignee.
	_, err = f.Catalog.Users.Update(ctx, 6, func(u *earshot.User) error { u.Teams = nil; return nil })
	f.must(err)
	if _, ok := f.Assignee(f.Of(1, postA)); ok {
		t.Error("the post is assigned to someone who left the team")
	}

	// A mark that says nothing is removed.
	nobody := earshot.UserID(0)
	_, err = f.RemoveNote(ctx, f.bob, 1, postA, m.Notes[0].ID)
	f.must(err)
	_, err = f.Edit(ctx, f.ann, 1, postA, Changes{Starred: &no, Assignee: &nobody, Tags: &[]string{}})
	f.must(err)
	if n := len(f.Catalog.Marks.List()); n != 0 || !f.Of(1, postA).IsEmpty() {
		t.Errorf("%d empty marks remain", n)
	}
}

func TestMarkLimits(t *testing.T) {
	f, ctx := newFixture(t), t.Context()
	for i := range earshot.MaxPostNotes {
		_, err := f.AddNote(ctx, f.ann, 1, postA, fmt.Sprint(i))
		f.must(err)
	}
	_, err := f.AddNote(ctx, f.ann, 1, postA, "one more")
	f.refused(err, earshot.Invalid, "50 notes")
	_, err = f.Edit(ctx, f.ann, 1, postA, Changes{AddTags: names(earshot.MaxPostTags + 1)})
	f.refused(err, earshot.Invalid, "at most 20 tags")
	all := names(earshot.MaxTags)
	for i, tags := range slices.Collect(slices.Chunk(all, earshot.MaxPostTags)) {
		f.tag(earshot.PostKey{Source: "News", GUID: fmt.Sprint(i)}, tags...)
	}
	_, err = f.Edit(ctx, f.ann, 1, postB, Changes{AddTags: []string{"another"}})
	f.refused(err, earshot.Invalid, "200 different tags")
	f.tag(postB, all[7]) // a known tag
}

func TestEditAllChangesAllPostsOrNone(t *testing.T) {
	f, ctx := newFixture(t), t.Context()
	f.tag(postB, names(earshot.MaxPostTags)...)
	posts := []earshot.PostKey{postA, postB, postC}
	f.refused(f.EditAll(ctx, f.ann, 1, posts, Changes{AddTags: []string{"one more"}}), earshot.Invalid, "at most 20 tags")
	if !f.Of(1, postA).IsEmpty() || !f.Of(1, postC).IsEmpty() {
		t.Error("posts are marked although one of them cannot be")
	}
	f.refused(f.EditAll(ctx, f.eve, 1, posts, Changes{}), earshot.NotFound, "Team 1")
	yes, bob := true, earshot.UserID(6)
	f.must(f.EditAll(ctx, f.ann, 1, posts, Changes{Starred: &yes, RemoveTags: []string{"tag 000"}, Assignee: &bob}))
	for _, post := range posts {
		if m := f.Of(1, post); !m.Starred || m.Assignee != bob {
			t.Errorf("got %+v", m)
		}
	}
	f.must(f.EditAll(ctx, f.ann, 1, posts, Changes{AddTags: []string{"TAG 001"}}))
	if a, b := f.Of(1, postA).Tags, f.Of(1, postB).Tags; len(a) != 1 || a[0] != "tag 001" || len(b) != earshot.MaxPostTags-1 {
		t.Errorf("got tags %q and %q", a, b)
	}
}

func names(n int) (list []string) {
	for i := range n {
		list = append(list, fmt.Sprintf("tag %03d", i))
	}
	return list
}

func TestTags(t *testing.T) {
	f, ctx := newFixture(t), t.Context()
	f.tag(postA, "Praise", "Press")
	f.tag(postB, "praise")
	f.tag(postC, "urgent")
	counts := func() string {
		list, err := f.Tags(f.bob, 1)
		f.must(err)
		return fmt.Sprint(list)
	}
	if got, want := counts(), "[{Praise 2} {Press 1} {urgent 1}]"; got != want {
		t.Errorf("got %s, want %s: case does not make two tags of one", got, want)
	}
	renamed, err := f.RenameTag(ctx, f.bob, 1, "PRAISE", "press") // merges them
	if f.must(err); renamed != (TagCount{"Press", 2}) {
		t.Errorf("got %v", renamed)
	}
	if got, want := counts(), "[{Press 2} {urgent 1}]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	_, err = f.RenameTag(ctx, f.bob, 1, "press", "PRESS") // only its spelling
	f.must(err)
	f.must(f.RemoveTag(ctx, f.bob, 1, "urgent"))
	if got, want := counts(), "[{PRESS 2}]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if n := len(f.Catalog.Marks.List()); n != 2 {
		t.Errorf("got %d marks, want 2: that of c says nothing any more", n)
	}
	f.refused(f.RemoveTag(ctx, f.bob, 1, "urgent"), earshot.NotFound, "urgent")
	_, err = f.Tags(f.eve, 1)
	f.refused(err, earshot.NotFound, "")
	f.refused(f.RemoveTag(ctx, f.eve, 1, "PRESS"), earshot.NotFound, "Team 1")
	_, err = f.RenameTag(ctx, f.eve, 1, "PRESS", "x")
	f.refused(err, earshot.NotFound, "Team 1")
}

func TestViews(t *testing.T) {
	f, ctx := newFixture(t), t.Context()
	v, err := f.AddView(ctx, f.ann, earshot.SavedView{Name: " Monday ", Path: "/monitors/11/posts?filter=tag:press&range=lastweek"})
	if f.must(err); v.Team != 1 || v.Monitor != 11 || v.Name != "Monday" {
		t.Errorf("got %+v", v)
	}
	compared, err := f.AddView(ctx, f.ann, earshot.SavedView{Team: 1, Name: "Compared", Path: "/compare?m=11&m=12"})
	if f.must(err); compared.Monitor != 0 {
		t.Errorf("got %+v", compared)
	}
	if n, ofMonitor := len(f.Views(f.bob, 1, 0)), len(f.Views(f.bob, 0, 11)); n != 2 || ofMonitor != 1 {
		t.Errorf("got %d views of the team and %d of the monitor, want 2 and 1", n, ofMonitor)
	}
	name := "Tuesday"
	v, err = f.EditView(ctx, f.bob, v.ID, ViewChanges{Name: &name})
	if f.must(err); v.Name != name {
		t.Errorf("got %+v", v)
	}
	other := "/monitors/12"
	_, err = f.EditView(ctx, f.bob, v.ID, ViewChanges{Path: &other})
	f.refused(err, earshot.Invalid, "same monitor")
	for _, path := range []string{
		"", "monitors/11", "//example.com", "/\\example.com", "https://example.com/", "javascript:alert(1)", "/a//b", "/a/../b", "/a#b", "/\n", "/%zz",
		"/" + strings.Repeat("a", maxViewPath),
	} {
		_, err := f.AddView(ctx, f.ann, earshot.SavedView{Team: 1, Name: "x", Path: path})
		f.refused(err, earshot.Invalid, "path must")
	}
	_, err = f.AddView(ctx, f.ann, earshot.SavedView{Name: "x", Path: "/compare"})
	f.refused(err, earshot.Invalid, "team or monitor")
	_, err = f.AddView(ctx, f.ann, earshot.SavedView{Name: "x", Path: "/monitors/13"})
	f.refused(err, earshot.NotFound, "13")

	if len(f.Views(f.eve, 0, 0)) != 0 {
		t.Error("another team sees the views")
	}
	_, err = f.EditView(ctx, f.eve, v.ID, ViewChanges{Name: &name})
	f.refused(err, earshot.NotFound, "")
	f.refused(f.RemoveView(ctx, f.eve, v.ID), earshot.NotFound, "")
	f.must(f.RemoveView(ctx, f.bob, v.ID))
}

func TestRemovalOfMonitorsTeamsAndPosts(t *testing.T) {
	f, ctx := newFixture(t), t.Context()
	f.tag(postA, "x")
	f.tag(postB, "x")
	f.tag(postC, "x")
	_, err := f.AddAnnotation(ctx, f.ann, earshot.Annotation{Monitor: 11, Start: date("2026-03-02"), Text: "a"})
	f.must(err)
	_, err = f.AddAnnotation(ctx, f.ann, earshot.Annotation{Monitor: 12, Start: date("2026-03-02"), Text: "b"})
	f.must(err)
	v, err := f.AddView(ctx, f.ann, earshot.SavedView{Name: "x", Path: "/monitors/11"})
	f.must(err)

	_, err = f.Catalog.Monitors.Update(ctx, 11, func(m *earshot.Monitor) error { m.Removed = true; return nil })
	f.must(err)
	if list, err := f.Annotations(f.ann, 1, 0); err != nil || len(list) != 1 || list[0].Text != "b" {
		t.Errorf("got %v, %v, want only the annotation of the other monitor", list, err)
	}
	if _, err := f.FindView(f.ann, v.ID); err == nil {
		t.Error("the view of the removed monitor is still there")
	}

	delete(f.posts, postB)
	f.must(f.Clean(ctx))
	if n := len(f.Catalog.Marks.List()); n != 3 {
		t.Errorf("got %d marks, want 3: the store may be catching up", n)
	}
	f.now = f.now.Add(cleanAge + time.Minute)
	f.must(f.Clean(ctx))
	state := func() string {
		return fmt.Sprint(len(f.Catalog.Annotations.List()), len(f.Catalog.Views.List()), len(f.Catalog.Marks.List()))
	}
	if got, want := state(), "1 0 2"; got != want {
		t.Errorf("got %s annotations, views and marks, want %s", got, want)
	}
	if n, err := f.RemovePosts(ctx, []earshot.PostKey{postA, postB}); n != 1 || err != nil {
		t.Errorf("removed %d marks, %v, want 1", n, err)
	}
	f.must(f.Catalog.Teams.Remove(ctx, 1))
	if list, _ := f.Annotations(f.ann, 0, 0); len(list) != 0 {
		t.Errorf("a removed team has %d annotations", len(list))
	}
	f.must(f.Clean(ctx))
	if got, want := state(), "0 0 0"; got != want {
		t.Errorf("got %s annotations, views and marks of a removed team, want %s", got, want)
	}
}

func TestConcurrentEditsMakeOneMark(t *testing.T) {
	f, ctx := newFixture(t), t.Context()
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			if _, err := f.Edit(ctx, f.ann, 1, postA, Changes{AddTags: []string{fmt.Sprint(i)}}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if marks, tags := len(f.Catalog.Marks.List()), len(f.Of(1, postA).Tags); marks != 1 || tags != 20 {
		t.Errorf("got %d marks and %d tags, want 1 and 20", marks, tags)
	}
}
