package langid

import (
	"strings"
	"testing"
	"unicode"
)

// words returns the scanned words of a text, separated by spaces.
func words(text string) string {
	var t scan
	t.read(text)
	return strings.Trim(strings.ReplaceAll(string(t.letters[:t.n]), "\x00", " "), " ")
}

func TestRead(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		if got := words(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	f("", "")
	f("Hello, World", "hello world")
	f("ÀÉÎ Ş ŽŁ Ġġ Ə Ё ҚҒ", "àéî ş žł ġġ ə ё қғ")
	f("it's 3pm", "it s pm")
	f("sooooo cool, Mississippi", "so cool mississippi")
	f("e\u0301te\u0301", "ete")
	f("can be found at https://example.com/A?b=c#d and elsewhere", "can be found at and elsewhere")
	f("can be found at HTTP://EXAMPLE.COM and www.example.com elsewhere", "can be found at and elsewhere")
	f("can be found at bit.ly/2abCD and pic.twitter.com/xYz elsewhere", "can be found at and elsewhere")
	f("このリンクhttps://example.com/abcです", "このリンク です")
	f("this and/or that.However not a link", "this and or that however not a link")
	f("RT @some_one: hello there my dear friends", "hello there my dear friends")
	f("hello there @some.one my dear friends", "hello there my dear friends")
	f("START is no retweet", "start is no retweet")
	f("bread &amp; butter &#39; &quot jam & tea", "bread butter quot jam tea")
	f("enough words are here #WithoutTheTag", "enough words are here")
	f("#TagsAreWords when #few", "tags are words when few")
	f("❤️👨‍👩‍👧 family", "family")
	f("مــحمّد", "محمد")
	f("می\u200cخواهم", "می خواهم")
	f("a\x00b\xffc", "a b c")
}

func TestReadIsBounded(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("ab", 9000), strings.Repeat("a ", 9000), strings.Repeat("a.b-", 5000), strings.Repeat("#", 16384),
		strings.Repeat("語", 9000), strings.Repeat("🎉", 5000), strings.Repeat("a", 16384), strings.Repeat("ê", 9000),
	} {
		var r scan
		r.read(text)
		if r.n > len(r.letters) || r.letters[0] != 0 || r.letters[r.n-1] != 0 {
			t.Errorf("%.10q: read %d letters, or missing gaps", text, r.n)
		}
		var q queue
		gaps := r.gaps(&q.gaps)
		for i := range gaps[1:] {
			r.ngrams(q.ngrams[:], int(gaps[i]), int(gaps[i+1]), 5)
		}
	}
}

func TestScriptOf(t *testing.T) {
	f := func(text string, want script) {
		t.Helper()
		for _, r := range text {
			if got := scriptOf(r); got != want {
				t.Errorf("%c: got %s, want %s", r, traits[got].name, traits[want].name)
			}
		}
	}
	f("éßøłżőşđəƏăạờ", latin)
	f("яЖђќїўқөҮ", cyrillic)
	f("عربپچڭىےݐﷲﻻ", arabic)
	f("हिन्दीळ", devanagari)
	f("漢字かなカナー々ｶﾅ𠮷", cjk)
	f("Ωάἀ", greek)
	f("עבריתךﬀ"[:12], hebrew)
	f("ไทยเป็น", thai)
	f("한글ㅋㅠᄒ", hangul)
	f("বাংলাਪੰਜਾਬੀગુજતமிతెಕംසිລາວမြન", otherScript)
	f("հայքართულიአማኻខ", otherScript)
	f("×÷°«»¿€…—“”、。！？،؟।۔٣۳๓🎉☀", noScript)
	f("\u0301\u064b\u05b0\u0640\u200d\ufe0f", mark)
}

// TestFold compares the shortcuts in fold with the Unicode tables.
func TestFold(t *testing.T) {
	for r := rune(0x80); r < 0x20000; r++ {
		if s := scriptOf(r); s != latin && s != cyrillic {
			continue
		}
		if got, want := fold(r), unicode.ToLower(r); got != want {
			t.Errorf("%c: got %c, want %c", r, got, want)
		}
	}
}

func TestScriptOfText(t *testing.T) {
	f := func(text string, want script) {
		t.Helper()
		var r scan
		r.read(text)
		if got := r.script(); got != want {
			t.Errorf("%q: got %s, want %s", text, traits[got].name, traits[want].name)
		}
	}
	f("yes", noScript)
	f("yeah", latin)
	f("мир и труд", cyrillic)
	f("iPhone 15 Pro Max の発売日", cjk)
	f("watching Привет again with my whole family tonight", latin)
	f("字", cjk)
	f("ελ", greek)
}
