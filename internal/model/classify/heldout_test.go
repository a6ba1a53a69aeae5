package classify

import "testing"

func TestPrefixHashIgnoresLinksAndMentions(t *testing.T) {
	f := func(a, b string, want bool) {
		t.Helper()
		if got := PrefixHash(a) == PrefixHash(b); got != want {
			t.Errorf("%q and %q: equal is %t, want %t", a, b, got, want)
		}
	}
	f("I\\u2019m going to the show tonight \\u002c yes", "I’m going to the show tonight, yes http://t.co/1", true)
	f("@user we won the game!", "@other We won the game", true)
	f("we won the game", "we lost the game", false)
	f("so good", "so good!", false)
}

func TestHeldOutTextsHaveNoCopiesInTraining(t *testing.T) {
	held := 0
	for _, words := range []string{"one two three four", "we won the game", "so good to see you", "what a day it was", "no idea why", "not again please",
		"all of this is new", "here we are again", "that was so funny", "never go back there", "time to go home", "see you in may"} {
		a, b := HeldOut("RT @a: "+words+" http://t.co/1", 4), HeldOut("RT @b: "+words+"!", 4)
		if a != b {
			t.Errorf("%q is held out, and its copy is not", words)
		}
		if a {
			held++
		}
	}
	if held == 0 || held > 8 {
		t.Errorf("%d of 12 texts are held out, want about 3", held)
	}
}
