package query

import (
	"strings"
	"testing"
)

func TestAccounts(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		q, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(q.Accounts(), " "); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
	f("acme OR #acme OR $acme", "")
	f("acme OR @Acme_Shop OR (coffee AND @other)", "acme_shop other")
	f("@acme OR at_mentions:ACME OR author:acme", "acme")
	f("author:(ann OR @bob) AND coffee", "ann bob")
	f("{@Acme_Shop} OR author:{Acme_Coffee}", "acme_shop acme_coffee")
	f("acme AND NOT (@rival OR author:rival)", "")
	f("acme AND NOT (tea AND NOT @acme)", "")
	f(`author:"Ann Example" OR @acme* OR author:acm* OR at_mentions:acm* OR "@acme rocks" OR @acme NEAR/3 coffee`, "")
	f("title:@acme OR contents:acme OR bio:acme", "")
}
