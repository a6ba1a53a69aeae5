package digest

import (
	"testing"

	"earshot"
)

func TestEveryKindHasATitle(t *testing.T) {
	for _, name := range earshot.CardKinds {
		if title := titleOf(name, ""); (title == "") != (name == earshot.TextCard) {
			t.Errorf("%s: got title %q", name, title)
		}
	}
	if len(kinds) != len(earshot.CardKinds) {
		t.Errorf("got %d kinds, want the %d of the domain", len(kinds), len(earshot.CardKinds))
	}
}
