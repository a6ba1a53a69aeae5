package monitor

import (
	"fmt"
	"strings"
	"testing"

	"earshot"
)

func TestOwnAccounts(t *testing.T) {
	f := func(m earshot.Monitor, want ...string) {
		t.Helper()
		names, derived := OwnAccounts(&m)
		if fmt.Sprint(names) != fmt.Sprint(want) || derived != (len(m.OwnAccounts) == 0) {
			t.Errorf("got %v, derived %v; want %v", names, derived, want)
		}
	}
	keywords := earshot.Criteria{Keywords: "(acme OR @AcmeCoffee OR author:acme_help) AND NOT @rival"}
	f(earshot.Monitor{Criteria: earshot.Criteria{Keywords: "acme coffee"}})
	f(earshot.Monitor{Criteria: keywords}, "acmecoffee", "acme_help")
	f(earshot.Monitor{Criteria: keywords, OwnAccounts: []string{"Ann"}}, "Ann")
	f(earshot.Monitor{Criteria: earshot.Criteria{Keywords: "@acme ("}})

	social := earshot.Monitor{Type: earshot.Social, Account: earshot.Account{Network: earshot.Facebook, Handle: "AcmeCoffee", PageID: "77"}}
	f(social, "AcmeCoffee")
	social.Criteria = keywords
	f(social, "AcmeCoffee", "acme_help")
	social.Account.Handle = ""
	f(social, "77", "acmecoffee", "acme_help")
}

func TestOwnAccountsAreBounded(t *testing.T) {
	var query []string
	for i := range 2 * maxValues {
		query = append(query, fmt.Sprintf("@acme%d", i))
	}
	names, _ := OwnAccounts(&earshot.Monitor{Criteria: earshot.Criteria{Keywords: strings.Join(query, " OR ")}})
	if len(names) != maxValues {
		t.Errorf("got %d names, want %d", len(names), maxValues)
	}
}
