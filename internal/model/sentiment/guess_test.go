package sentiment

import (
	"fmt"
	"testing"
)

func TestGuessDomain(t *testing.T) {
	f := func(want Domain, clear bool, n int, formats ...string) {
		t.Helper()
		var texts []string
		for i := range n {
			texts = append(texts, fmt.Sprintf(formats[i%len(formats)], i+10))
		}
		if got, ok := GuessDomain(texts); got != want || ok != clear {
			t.Errorf("%q: got %d, %t, want %d, %t", formats[0], got, ok, want, clear)
		}
	}
	news := []string{
		`The government said on Monday that %d officials of the Labor Department had resigned, according to a spokesman.`,
		`“We regret the decision,” the company's president told reporters in New Haven after %d workers lost their jobs.`,
	}
	f(News, true, 50, news...)
	f(Social, false, 49, news...)
	f(Social, false, 0, "")
	f(Review, true, 50, "Great product, works as described and the price is right. I bought %d of them!", "Terrible service, the staff was rude. We do not recommend this hotel, room %d was not clean.")
	f(Social, true, 50, "@ann lol did you see this %d #coffee https://t.co/x", "RT @bob: so tired today %d 😂 #monday")
	f(Forum, true, 50, "Has anybody tried this with version %d? I have the same question, and your answer does not work for me.",
		"Edit: actually, I think this question is a duplicate of question %d. Do you have an example?")
	f(Social, false, 50, "%d")
}
