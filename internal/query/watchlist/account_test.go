package watchlist

import (
	"testing"

	"earshot"
	"earshot/internal/query"
)

func TestSocialMonitor(t *testing.T) {
	twitter := earshot.Account{Network: earshot.Twitter, Handle: "@Acme_Co"}
	instagram := earshot.Account{Network: earshot.Instagram, Handle: "acme.co"}
	facebook := earshot.Account{Network: earshot.Facebook, PageID: "4711", Handle: "acme"}

	tests := []struct {
		name    string
		account earshot.Account
		post    earshot.Post
		want    bool
	}{
		{"own post by username", twitter, earshot.Post{Source: earshot.Twitter, AuthorUsername: "acme_co"}, true},
		{"own post by username with @", twitter, earshot.Post{Source: earshot.Twitter, AuthorUsername: "@ACME_CO"}, true},
		{"own post by author", twitter, earshot.Post{Source: earshot.Twitter, Author: "acme_co (Acme Company)"}, true},
		{"own post by author without display name", twitter, earshot.Post{Source: earshot.Twitter, Author: "acme_co"}, true},
		{"the username takes precedence over the author", twitter, earshot.Post{Source: earshot.Twitter, AuthorUsername: "other", Author: "acme_co (Acme)"}, false},
		{"another network", twitter, earshot.Post{Source: earshot.Bluesky, AuthorUsername: "acme_co"}, false},
		{"a different author", twitter, earshot.Post{Source: earshot.Twitter, AuthorUsername: "acme", Contents: "acme_co"}, false},
		{"a mention", twitter, earshot.Post{Source: earshot.Twitter, AuthorUsername: "joe", Contents: "thanks, @acme_co!"}, true},
		{"a mention in the title", twitter, earshot.Post{Source: earshot.Twitter, AuthorUsername: "joe", Title: "@acme_co"}, true},
		{"a second mention", twitter, earshot.Post{Source: earshot.Twitter, Contents: "@acme @ACME_CO's"}, true},
		{"a mention before a period", twitter, earshot.Post{Source: earshot.Twitter, Contents: "by @acme_co.Great"}, true},
		{"a longer handle", twitter, earshot.Post{Source: earshot.Twitter, Contents: "@acme_company"}, false},
		{"an email address", twitter, earshot.Post{Source: earshot.Twitter, Contents: "joe@acme_co"}, false},
		{"an @ at the end", twitter, earshot.Post{Source: earshot.Twitter, Contents: "@"}, false},
		{"a handle with a dot", instagram, earshot.Post{Source: earshot.Instagram, Contents: "by @acme.co."}, true},
		{"a longer handle with a dot", instagram, earshot.Post{Source: earshot.Instagram, Contents: "by @acme.co.uk"}, false},
		{"a post on the page", facebook, earshot.Post{Source: earshot.Facebook, PageID: "4711"}, true},
		{"a post on another page", facebook, earshot.Post{Source: earshot.Facebook, PageID: "4712", AuthorUsername: "acme"}, false},
		{"a post without a page", facebook, earshot.Post{Source: earshot.Facebook, AuthorUsername: "acme"}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, err := CompileMonitor(&earshot.Monitor{Type: earshot.Social, Account: tt.account})
			if err != nil {
				t.Fatal(err)
			}
			if got := c.Match(query.NewDocument(&tt.post)); got != tt.want {
				t.Errorf("got %t, want %t", got, tt.want)
			}
		})
	}
}

func TestSocialMonitorWithKeywords(t *testing.T) {
	c, err := CompileMonitor(&earshot.Monitor{
		Type:     earshot.Social,
		Account:  earshot.Account{Network: earshot.Twitter, Handle: "acme"},
		Criteria: earshot.Criteria{Keywords: "pie", Sources: []string{"Twitter"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for contents, want := range map[string]bool{"pie": true, "tart": false} {
		p := &earshot.Post{Source: earshot.Twitter, AuthorUsername: "acme", Contents: contents}
		if got := c.Match(query.NewDocument(p)); got != want {
			t.Errorf("%q: got %t, want %t", contents, got, want)
		}
	}
}

func TestSocialMonitorRequiresAccount(t *testing.T) {
	for account, want := range map[earshot.Account]string{
		{Network: earshot.Twitter, Handle: " @ "}:      "The account of a social monitor needs a handle",
		{Network: earshot.Facebook, Handle: "acme"}:    "The account of a Facebook monitor needs a page id",
		{Network: earshot.Instagram, PageID: "number"}: "The account of a social monitor needs a handle",
	} {
		_, err := CompileMonitor(&earshot.Monitor{Type: earshot.Social, Account: account})
		if !earshot.IsKind(err, earshot.Invalid) || err.Error() != want {
			t.Errorf("%+v: got %v, want %s", account, err, want)
		}
	}
}
