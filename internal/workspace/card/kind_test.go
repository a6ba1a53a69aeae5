package card

import (
	"testing"

	"earshot"
)

func TestEveryKindShowsSomething(t *testing.T) {
	for _, name := range earshot.CardKinds {
		if k := kinds[name]; (len(k.parts) > 0) == (k.show != nil) {
			t.Errorf("%s: a kind shows parts of the overview or a result of its own", name)
		}
	}
	if len(kinds) != len(earshot.CardKinds) {
		t.Errorf("got %d kinds, want the %d of the domain", len(kinds), len(earshot.CardKinds))
	}
}
