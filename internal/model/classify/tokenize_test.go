package classify

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// shown returns the forms of a text's tokens, followed by signs for their attributes: ^ for
// capitals, ~ for elongated, # for part of a hashtag.
func shown(t *Text) string {
	var b strings.Builder
	for i, tok := range t.Tokens {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.Write(t.Form(tok))
		for _, m := range []struct {
			attr Attr
			sign string
		}{{Caps, "^"}, {Elongated, "~"}, {InHashtag, "#"}} {
			if tok.Has(m.attr) {
				b.WriteString(m.sign)
			}
		}
	}
	return b.String()
}

func TestTokenize(t *testing.T) {
	var text Text
	f := func(in, want string) {
		t.Helper()
		text.Tokenize(in, 1000)
		if got := shown(&text); got != want {
			t.Errorf("Tokenize(%q)\n got %s\nwant %s", in, got, want)
		}
	}
	f("", "")
	f("I love this", "i love this")
	f("I LOVE this", "i love^ this")
	f("sooooo goood", "soo~ good~")
	f("don't can’t it's we're y'all", "do n't ca n't it 's we 're y all")
	f("c'est l'eau", "c est l eau")
	f("@user see https://t.co/x?y=1 now", "@ see :// now")
	f("RT @user: ok http", "rt^ @ ok ://")
	f("#BestDayEver #fail #top10", "bestdayever# best# day# ever# fail# top10# top#")
	f("at 5:30 for $3.50, 100%", "at 0 for 0 0")
	f("what?! no!! WHY????? ok...", "what ?! no !! why^ ?? ok ...")
	f("fine :-) sad :'( love <3 gone </3 :D xD", "fine :) sad :'( love <3 gone </3 :D xD")
	f("note: see (a) and 8) there", "note see a and 0 there")
	f("great👍🏽👍 ❤️", "great 👍 👍 ❤")
	f("Ça va, ÜBER Ёлка", "ça va über^ елка")
	f("أحمد إلى هذهِ", "احمد الي هذه")
	f("很好 すごい", "很 好 す ご い")
	f("AT&amp;T &lt;3 I\\u2019m \\u002c \\uZZZZ", "at^ t <3 i 'm uzz~") // zzzz is elongated
	f(`so good \ud83d\ude02 \ud83d x`, "so good 😂 x")
	f("a\xff\xfeb\x00c", "a b c")
}

func TestTokenizeRatings(t *testing.T) {
	text := Text{Ratings: true}
	f := func(in, want string) {
		t.Helper()
		text.Tokenize(in, 1000)
		if got := shown(&text); got != want {
			t.Errorf("Tokenize(%q)\n got %s\nwant %s", in, got, want)
		}
	}
	f("0/10 would not", "★0 would not")
	f("solid 7.5/10.", "solid ★3")
	f("10/10 and 11/10", "★4 and ★4")
	f("6 out of 10", "★2")
	f("4 von 5 Sternen", "★3 sternen")
	f("4 stars, 1-star service", "★3 ★0 service")
	f("5★ 3 Sterne", "★4 ★2")
	f("★★☆☆☆ ⭐⭐⭐⭐⭐", "★1 ★4")
	f("★ top", "★ top")
	f("on 9/10/2016 at 5 of 12", "on 0 0 0 at 0 of 0")
	f("24/7, 50/50, 7/20", "0 0 0 0 0 0")
}

func TestTokenizeStopsAtLimit(t *testing.T) {
	var text Text
	text.Tokenize(strings.Repeat("é ", 1000), 10)
	if got, want := len(text.Tokens), 3; got != want { // é has 2 bytes, so the fourth would be cut
		t.Errorf("%d tokens, want %d", got, want)
	}
}

func TestClauseStart(t *testing.T) {
	var text Text
	text.Tokenize("not here, really good. yes", 100)
	var got []string
	for _, tok := range text.Tokens {
		if tok.Has(ClauseStart) {
			got = append(got, string(text.Form(tok)))
		}
	}
	if want := "not really yes"; strings.Join(got, " ") != want {
		t.Errorf("clauses start with %v, want %s", got, want)
	}
}

func FuzzTokenize(f *testing.F) {
	for _, seed := range []string{"", "don't", "#A_b1 @x http://", `\u00e9 &amp;`, ":'-(", "\xff\xc3", "👍🏽", "أهلاً", "'''''", "####", "@@", "n't", "x)8)"} {
		f.Add(seed, 50)
	}
	f.Fuzz(func(t *testing.T, in string, limit int) {
		limit = max(0, min(limit, 1<<16))
		text := Text{Ratings: true}
		text.Tokenize(in, limit)
		if len(text.Tokens) > min(len(in), limit) {
			t.Fatalf("%d tokens from %d bytes", len(text.Tokens), min(len(in), limit))
		}
		for _, tok := range text.Tokens {
			form := text.Form(tok)
			if len(form) == 0 || !utf8.Valid(form) {
				t.Fatalf("token %q of %q", form, in)
			}
			if tok.Hash != Hash(string(form)) {
				t.Fatalf("the hash of %q does not match its form", form)
			}
			if got, want := len(AppendNGrams(nil, form)), CountNGrams(form); got > want {
				t.Fatalf("%d n-grams of %q, counted %d", got, form, want)
			}
		}
	})
}
