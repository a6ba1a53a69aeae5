package watchlist

import (
	"slices"
	"testing"

	"earshot"
	"earshot/internal/query"
)

func TestOwnPosts(t *testing.T) {
	on := func(network earshot.Source, handle, page string) earshot.Account {
		return earshot.Account{Network: network, Handle: handle, PageID: page}
	}
	twitter, page, named := on("Twitter", "@Acme", ""), on("Facebook", "", "4711"), on("Facebook", "acme", "4711")
	tests := []struct {
		name    string
		account earshot.Account
		post    earshot.Post
		want    bool
	}{
		{"by username, in any case", twitter, earshot.Post{AuthorUsername: "ACME"}, true},
		{"by author", twitter, earshot.Post{Author: "acme (Acme Company)"}, true},
		{"a mention by someone else", twitter, earshot.Post{AuthorUsername: "joe", Contents: "@acme"}, false},
		{"a mention without an author", twitter, earshot.Post{Contents: "@acme"}, false},
		{"the account mentions itself", twitter, earshot.Post{AuthorUsername: "acme", Contents: "@acme"}, true},
		{"another microblogging network", on("Bluesky", "acme.example", ""), earshot.Post{AuthorUsername: "acme.example"}, true},
		{"a photo", on("Instagram", "acme", ""), earshot.Post{AuthorUsername: "acme"}, true},
		{"a page by profile id", page, earshot.Post{PageID: "4711", AuthorProfileID: "4711", AuthorUsername: "any"}, true},
		{"a page by username", page, earshot.Post{PageID: "4711", AuthorUsername: "4711"}, true},
		{"a page by author", page, earshot.Post{PageID: "4711", Author: "4711 (Acme)"}, true},
		{"a visitor of the page", page, earshot.Post{PageID: "4711", AuthorUsername: "joe", AuthorProfileID: "12"}, false},
		{"a page without a handle", page, earshot.Post{PageID: "4711", AuthorUsername: "acme"}, false},
		{"no author", page, earshot.Post{PageID: "4711"}, false},
		{"a page by its handle", named, earshot.Post{PageID: "4711", AuthorUsername: "Acme"}, true},
		{"a page with a handle by profile id", named, earshot.Post{PageID: "4711", AuthorProfileID: "4711"}, true},
		{"a visitor of a page with a handle", named, earshot.Post{PageID: "4711", AuthorUsername: "joe"}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.post.Source = tt.account.Network
			l, errs := New([]*earshot.Monitor{{ID: 7, Enabled: true, Type: earshot.Social, Account: tt.account}}, 1)
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			var want []earshot.MonitorID
			if tt.want {
				want = []earshot.MonitorID{7}
			}
			ids, social, own := l.MatchSocial(query.NewDocument(&tt.post))
			if !slices.Equal(ids, []earshot.MonitorID{7}) || !slices.Equal(social, ids) || !slices.Equal(own, want) {
				t.Errorf("got %v, social %v, own %v; want own %v", ids, social, own, want)
			}
		})
	}
}

func TestMatchSocialWithFilters(t *testing.T) {
	l, errs := New([]*earshot.Monitor{
		{ID: 1, Enabled: true, Criteria: keywords("pie")},
		{ID: 10, Enabled: true, Type: earshot.Social, Account: earshot.Account{Network: "Twitter", Handle: "acme"},
			Filters: []earshot.Filter{{ID: 11, Criteria: keywords("pie")}, {ID: 12, Criteria: keywords("tart")}}},
		{ID: 20, Enabled: true, Type: earshot.Social, Account: earshot.Account{Network: "Twitter", Handle: "joe"}},
	}, 1)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	f := func(author, contents string, ids, social, own []earshot.MonitorID) {
		t.Helper()
		d := query.NewDocument(&earshot.Post{Source: earshot.Twitter, AuthorUsername: author, Contents: contents})
		gotIDs, gotSocial, gotOwn := l.MatchSocial(d)
		if !slices.Equal(gotIDs, ids) || !slices.Equal(gotSocial, social) || !slices.Equal(gotOwn, own) {
			t.Errorf("%s %q: got %v, social %v, own %v; want %v, %v, %v", author, contents, gotIDs, gotSocial, gotOwn, ids, social, own)
		}
	}
	type list = []earshot.MonitorID
	f("acme", "pie", list{1, 10, 11}, list{10, 11}, list{10, 11})
	f("acme", "pie for @joe", list{1, 10, 11, 20}, list{10, 11, 20}, list{10, 11})
	f("joe", "@acme tart", list{10, 12, 20}, list{10, 12, 20}, list{20})
	f("ann", "@acme", list{10}, list{10}, nil)
	f("ann", "pie", list{1}, nil, nil)
	f("ann", "cake", nil, nil, nil)
}

// TestOwnPostsAgreesWithMatchSocial compares OwnPosts conditions, which select stored posts, with
// MatchSocial, which matches new ones.
func TestOwnPostsAgreesWithMatchSocial(t *testing.T) {
	compared := 0
	for seed := range uint64(20) {
		r := newRandom(seed)
		for _, m := range r.monitors(100) {
			m.Enabled = true
			l, errs := New([]*earshot.Monitor{m}, 1)
			if len(errs) > 0 || m.Type != earshot.Social {
				continue
			}
			conditions := map[earshot.MonitorID]*Condition{}
			conditions[m.ID], _ = CompileMonitor(m)
			for i := range m.Filters {
				conditions[m.Filters[i].ID], _ = CompileFilter(m, &m.Filters[i])
			}
			for range 20 {
				d := query.NewDocument(r.post())
				got, _, own := l.MatchSocial(d)
				for id, c := range conditions {
					want := c.OwnPosts().Match(d)
					if slices.Contains(own, id) != want || want && !slices.Contains(got, id) {
						t.Fatalf("%+v on %+v: got %v, own %v, own of %d: %t", m, d.Post, got, own, id, want)
					}
					if want {
						compared++
					}
				}
			}
		}
	}
	if compared < 100 {
		t.Errorf("%d own posts: too few to compare", compared)
	}
}

func TestOwnPostsOfMonitorWithoutAccount(t *testing.T) {
	c, err := Compile(1, keywords("pie"))
	if err != nil {
		t.Fatal(err)
	}
	if !c.OwnPosts().Match(query.NewDocument(&earshot.Post{Contents: "pie"})) {
		t.Error("OwnPosts changed a condition without an account")
	}
}
