package query

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// tokenizeTests are texts and their tokens, in the notation of spell.
var tokenizeTests = []struct{ text, want string }{
	// Words
	{"Don't stop", "dont stop"},
	{"don’t rock'n'roll 1990's a'1 1'2 dogs' 'tis", "dont rocknroll 1990 s a 1 1 2 dogs tis"},
	{"10,000 1,a 1,,2 1, 2 3.14 U.S. o1-preview", "10,000 1 a 1 2 1 2 3 14 u s o1 preview"},
	{"_emphasis_ snake_case __init__ _ a_", "emphasis snake_case init a"},
	{"ｆｕｌｌ＿ｗｉｄｔｈ＿ ＿", "full_width"},
	{"so\u00ADft so'\u00ADft 1,\u200F2", "soft soft 1,2"},
	{"bad\xffbytes\xc3", "bad bytes"},
	{"0\xe2\u0340", "0"},

	// Normal forms
	{"Straße İstanbul oﬃce ½ №5 Acme™ CO₂ …", "strasse i̇stanbul/istanbul office 1 2 no5 acme co2"},
	{"Été E\u0301te\u0301 e\u0316\u0301 e\u0301\u0316", "été/ete été/ete é̖/e é̖/e"},
	{"æ œ Łódź", "æ/ae œ/oe łódź/lodz"},
	{"за\u0301мок ёлка мой", "за́мок/замок ёлка/елка мой"},
	{"\u1100\u1161\u11A8 \u1100\u00AD\u1161", "각 가"},
	{"e\u034F\u0301", "é/e"},
	{"a≠b a=\u0338b", "a b a b"},
	{"\u0301 !\u0301 a", "a"},

	// Scripts
	{"東京タワー ﾀﾜｰ ｶﾞ 々", "東 京 タ ワ ー タ ワ ー ガ 々"},
	{"น้ำ สวัส", "น้ํ า ส วั ส"},
	{"हिन्दी 삼성전자 iPhone15手机", "हिन्दी 삼성전자 iphone15 手 机"},
	{`צה"ל צה״ל "צה"`, "צהל צהל צה"},
	{"كتـــاب 1ـ,2 أحمد", "كتاب 1,2 أحمد/احمد"},

	// Tags
	{"#Apple's @Some_One_ $AAPL $100 $_ #_ #", "#apple s @some_one_ $aapl 100"},
	{"joe@x.com/#y &#39; a#b ＃É", "joe x com y 39 a b #é/e"},
	{"#東京 #東_ #a東", "東 京 東 _ a 東 #東京@0+2 #東_@2+2 #a東@4+2"},
	{"#\u200Fabc #\uFE0Fabc عربي\u200F#abc", "#abc abc عربي #abc"},

	// Emoji
	{"❤️#love ❤️ fire🔥sale", "❤ #love ❤ fire 🔥 sale"},
	{"👩\u200D👩🏽 👩\u200D a\u200D😀 😀\u200E 🏽", "👩\u200D👩🏽/👩\u200D👩 👩 a 😀 😀 🏽"},
	{"🇩🇪🇫🇷🇬 🏴\U000E0067\U000E0062\U000E007F 🙂\u200D↔️", "🇩🇪 🇫🇷 🇬 🏴\U000E0067\U000E0062\U000E007F 🙂\u200D↔"},
	{"#️⃣ #⃣ *️⃣ 1️⃣ a#⃣", "#⃣/# #⃣/# *⃣/* 1⃣/1 a #⃣/#"},
	{"🅰🅱c ⇐\u0338", "🅰 🅱 c ⇍/⇐"},
}

func TestTokenize(t *testing.T) {
	for _, tt := range tokenizeTests {
		var tok tokenizer
		tok.tokenize(tt.text)
		if got := strings.Join(spell(&tok), " "); got != tt.want {
			t.Errorf("%q:\n got %q\nwant %q", tt.text, got, tt.want)
		}
	}
}

func TestTokenizePatterns(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		tok := tokenizer{patterns: true}
		tok.tokenize(text)
		if got := strings.Join(spell(&tok), " "); got != want {
			t.Errorf("%q:\n got %q\nwant %q", text, got, want)
		}
	}
	f("appl* o?ange a*b?", "appl* o?ange a*b?")
	f("#appl* @a?b $AA*", "#appl* @a?b $aa*")
	f("été* É?é ＡＰＰ＊ ｏ？", "été*/ete* é?é/e?e app o")
	f("東京* 東*京 สวัส*", "東 京* 東* 京 ส วั ส*")
	f("#東京*", "東 京* #東京*@0+2")
	f("o1-prev* U.S*", "o1 prev* u s*")
	f("wendy'* don*'t 10,* 10,?00", "wendy* don*t 10,* 10,?00")
	f("snake_* _*", "snake_* *")
	f("* *a ** 😀* #*", "* * a ** 😀 * *")
	f("what⁇", "what")
}

func TestTokenByteRanges(t *testing.T) {
	f := func(text string, want ...string) {
		t.Helper()
		var tok tokenizer
		tok.tokenize(text)
		var got []string
		for _, w := range append(tok.words, tok.tags...) {
			got = append(got, text[w.from:w.to])
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q:\n got %q\nwant %q", text, got, want)
		}
	}
	f("See #Apple, @Joe_!", "See", "Apple", "Joe_")
	f("__Wendy’s__ (10,000)", "Wendy’s", "10,000")
	f("＿ａ＿ ﬁne_", "ａ", "ﬁne")
	f("Cafe\u0301, l'ÉTÉ", "Cafe\u0301", "l'ÉTÉ")
	f("x_½_y", "x_½", "½_y")
	f("東京タ", "東", "京", "タ")
	f("น้ำ", "น้ำ", "ำ") // the mark of the first is part of the last character
	f("#東京_", "東", "京", "_", "東京_")
	f("a❤️b #️⃣ 👩\u200D👩!", "a", "❤️", "b", "#️⃣", "👩\u200D👩")
	f("so\u00ADft\u00AD كتـاب", "so\u00ADft", "كتـاب")
	f("…½", "½", "½")
}

func TestASCIITable(t *testing.T) {
	for c := range asciiChars {
		if got, want := asciiChars[c], *lookup(rune(c)); got != want {
			t.Errorf("%q: got %+v, want %+v", rune(c), got, want)
		}
	}
}

// TestEveryCharacterAgreesWithReference compares the tokenizer with the reference for every
// character, surrounded by characters of all kinds.
func TestEveryCharacterAgreesWithReference(t *testing.T) {
	if testing.Short() {
		t.Skip("all of Unicode takes a while")
	}
	between := strings.Fields("%[1]c a%[1]ca 1%[1]c1 #%[1]c%[1]c 가%[1]c가 東%[1]c東 ก%[1]cก %[1]c\u0301%[1]c e%[1]c\u0301 e\u0301%[1]c\u0323 " +
		"a'%[1]c 1,%[1]c א\"%[1]cא א%[1]cא 👩\u200D%[1]c 👩%[1]c\u200D👩 %[1]c#a $%[1]c a_%[1]c_ _%[1]ca \u1100%[1]c\u1161 \u0300%[1]c")
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.S, unicode.P, unicode.Cf, unicode.Zs) && r%256 != 0 {
			continue
		}
		if unicode.Is(unicode.Lo, r) && r > 0x3100 && r%64 != 0 {
			continue // thousands of similar characters
		}
		for _, format := range between {
			compareWithReference(t, fmt.Sprintf(format, r))
		}
	}
}

func compareWithReference(t *testing.T, text string) {
	t.Helper()
	var fast tokenizer
	var plain referenceTokenizer
	fast.tokenize(text)
	plain.tokenize(text)
	if got, want := spell(&fast), spell(&plain.tokenizer); !slices.Equal(got, want) {
		t.Errorf("%q (%+q):\n got %q\nwant %q", text, text, got, want)
	}
}

// spell returns the tokens as sigil and text, followed by the plain spelling if it differs and, for
// a tag of several words, by its position and width: #東京@0+2.
func spell(t *tokenizer) []string {
	var spelled []string
	for _, tok := range append(t.words, t.tags...) {
		s := strings.Trim(string(tok.sigil), "\x00") + string(t.bytes(tok.text))
		if tok.plain != tok.text {
			s += "/" + string(t.bytes(tok.plain))
		}
		if tok.width != 1 {
			s += fmt.Sprintf("@%d+%d", tok.position, tok.width)
		}
		if tok.hash != hash([]byte(string(t.bytes(tok.plain)))) {
			s += " with a wrong hash"
		}
		spelled = append(spelled, s)
	}
	return spelled
}

// TestRandomTextAgreesWithReference compares the tokenizer with the reference on random characters
// of all kinds.
func TestRandomTextAgreesWithReference(t *testing.T) {
	alphabet := []rune("aZ1_'’\",.#@$*?&/-+<= \u00A0\u00AD\u200B\u200D\u200F\uFE0F\u034F\u0640" +
		"\u0300\u0301\u0308\u0316\u0323\u0338\u0345\u05B0\u064B\u0E49\u0E4D\u20E3\u3099\u094D" +
		"eéÉßİıſøæŉﬃ½²…™´¨\u0344яЙёΣᾳΐאבצ׳״كأـ١٫हिन्दीกำ가각\u1100\u1161\u11A8ㄱ東々〱カがーﾀﾞﾟㇰ" +
		"Ａ＿＃＠＄＇＊？，ﷺ㎞⑴Ⓐ❶Ⅷ😀👩🏽🇩🇪❤↔⇐🅰🏴\U000E0067\U000E007FᎠꭰ\uFFFD\u2028")
	random := rand.New(rand.NewPCG(1, 2))
	texts := 20_000
	if testing.Short() {
		texts = 1000
	}
	for range texts {
		text := make([]rune, 1+random.IntN(16))
		for i := range text {
			text[i] = alphabet[random.IntN(len(alphabet))]
		}
		compareWithReference(t, string(text))
	}
}
