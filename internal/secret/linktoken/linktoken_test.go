package linktoken

import "testing"

func TestTokens(t *testing.T) {
	a, b := New(), New()
	if a == b || len(a) != 43 {
		t.Errorf("got %q and %q, want two different tokens of 43 characters", a, b)
	}
	if !Equal(Hash(a), Hash(a)) || Equal(Hash(a), Hash(b)) {
		t.Error("a token does not have a hash of its own")
	}
	for _, wrong := range []string{"", a[:42], a + "x"} {
		if Hash(wrong) != nil {
			t.Errorf("%q has a hash", wrong)
		}
	}
	if Equal(nil, nil) {
		t.Error("what is no token equals a link without a hash")
	}
}
