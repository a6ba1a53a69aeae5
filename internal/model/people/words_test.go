package people

import (
	"fmt"
	"strings"
	"testing"
)

func TestWords(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		var got []string
		s := wordScanner{text: text}
		for w := (word{}); s.next(&w); {
			got = append(got, describe(w, text[s.at-w.length:s.at]))
		}
		if joined := strings.Join(got, " "); joined != want {
			t.Errorf("%q:\ngot  %s\nwant %s", text, joined, want)
		}
	}
	f("Hello you", "letters+:Hello letters:you")
	f("19yo", "number=19:19 -letters:yo")
	f("y/o", "letters'y':y -mark'/':/ -letters'o':o")
	f("@ann_1: hi http://x.y/z ok", "mention:@ann_1 -mark':':: letters:hi link:http://x.y/z letters:ok")
	f("@ www.x.y", "mark'@':@ link:www.x.y")
	f("123456", "number=9999:123456")
	f("Été 🎂", "letters+:Été mark'🎂':🎂")
	f("\xff\x00 ", "mark'�':\xff")
	f("", "")
}

// describe spells out a word: - for joined, then the kind, + for a capital, and its value and text.
func describe(w word, text string) string {
	s := []string{letters: "letters", number: "number", mention: "mention", link: "link", mark: "mark"}[w.kind]
	if w.joined {
		s = "-" + s
	}
	if w.capital {
		s += "+"
	}
	if w.single != 0 {
		s += fmt.Sprintf("'%c'", w.single)
	}
	if w.kind == number {
		s += fmt.Sprintf("=%d", w.value)
	}
	return s + ":" + text
}

func TestWordScannerASCII(t *testing.T) {
	text := "Été «c’est» 🎂 fini don't\x7f ok"
	want := "t c est fini don't ok"
	var got []string
	s := wordScanner{text: text, ascii: true}
	for w := (word{}); s.next(&w); {
		got = append(got, text[s.at-w.length:s.at])
	}
	if joined := strings.Join(got, " "); joined != want {
		t.Errorf("got %q, want %q", joined, want)
	}
}

func TestHashOfWord(t *testing.T) {
	f := func(text, folded string) {
		t.Helper()
		s := wordScanner{text: text}
		var w word
		if !s.next(&w) || w.hash != hashWord(folded) || s.at != len(text) {
			t.Errorf("%q does not have the hash of %q", text, folded)
		}
	}
	f("Mum", "mum")
	f("I'm", "im")
	f("I’m", "im")
	f("España", "espana")
	f("МАМА", "мама")
	f("ＡＢＣ", "abc")
}

func TestSpelling(t *testing.T) {
	f := func(name string, want ...string) {
		t.Helper()
		var s spelling
		s.read(name)
		var got []string
		for i := range s.parts {
			got = append(got, string(s.part(i)))
		}
		if strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
	f("emma_ludditt", "emma", "ludditt")
	f("EmmaLudditt92", "emma", "ludditt")
	f("MZ_Roza", "mz", "roza")
	f("NASAfan", "nasafan")
	f("Shaquille O'Neal", "shaquille", "oneal")
	f("Ségolène", "segolene")
	f("Щукина Юлия", "shchukina", "yuliya")
	f("123")
	f("花子")
	f("")
	f("a b c d e f g h i j k l m n", "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l")
	f(strings.Repeat("a", 200), strings.Repeat("a", maxNameLetters))
	f(strings.Repeat("a", maxNameLetters)+" b", strings.Repeat("a", maxNameLetters))
	f(strings.Repeat("a", maxNameLetters-1)+" щ b", strings.Repeat("a", maxNameLetters-1))
}

func TestFold(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		if got := strings.Map(fold, text); got != want {
			t.Errorf("fold of %q: got %q, want %q", text, got, want)
		}
	}
	f("AZaz09_", "azaz09_")
	f("ÀÉÎÕÜÇÑßøÅ", "aeioucnsoa")
	f("ŁódźŞğıŽž", "lodzsgizz")
	f("×÷", "×÷")
	f("ЖЯ", "жя")
	f("𝓢𝓪𝕊𝖺", "sasa")
	f("Ｓａ", "sa")
}

func TestLexiconFits(t *testing.T) {
	n := 0
	for _, slot := range newClasses() {
		if slot.class != 0 {
			n++
		}
	}
	if n == 0 || n > lexiconSlots/2 {
		t.Errorf("%d words in %d slots", n, lexiconSlots)
	}
	if strings.Contains(fmt.Sprint(lexicon), "_") {
		t.Error("an entry is not a word")
	}
}
