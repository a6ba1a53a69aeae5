package sentiment

import (
	"testing"

	"earshot"
)

func TestDomainOf(t *testing.T) {
	f := func(source earshot.Source, want Domain) {
		t.Helper()
		if got := DomainOf(source); got != want {
			t.Errorf("the domain of %q is %d, want %d", source, got, want)
		}
	}
	f(earshot.Twitter, Social)
	f(earshot.Comments, Social)
	f(earshot.Reviews, Review)
	f(earshot.News, News)
	f(earshot.Forums, Forum)
	f("Support tickets", Social)
	f("", Social)
}
