package password

import "testing"

func TestPasswordHash(t *testing.T) {
	h := Hasher{Memory: 64, Passes: 1, Threads: 1}
	hash := h.Hash("right")
	if !Verify(hash, "right") || Verify(hash, "wrong") || hash == h.Hash("right") {
		t.Error("want salted hashes that match only their own password")
	}
	for _, bad := range []string{"", "$argon2id$", "$argon2id$v=19$m=64,t=1,p=1$!$!", "$bcrypt$v=19$m=64,t=1,p=1$YQ$YQ"} {
		if Verify(bad, "right") {
			t.Errorf("%q: got a match, want none", bad)
		}
	}
}

func TestWeakness(t *testing.T) {
	f := func(username, chosen, want string) {
		t.Helper()
		if got := Weakness(username, chosen); got != want {
			t.Errorf("%q: got %q, want %q", chosen, got, want)
		}
	}
	f("", "a long enough phrase", "")
	f("", "short", "must have 10 to 200 characters")
	f("annabel.lee", " Annabel.Lee", "must not be the username")
	f("", "abcabcabcabc", "must not repeat the same characters")
	f("", "9876543210", "must not be a sequence like abcdefghij, 0123456789 or qwertyuiop")
	f("", "Passwort2026!", "must not be a common password like password123")
}
