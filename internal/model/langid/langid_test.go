package langid

import (
	"slices"
	"strings"
	"testing"
)

func model(t testing.TB) *Model {
	t.Helper()
	m, err := New()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestDetectPosts(t *testing.T) {
	m := model(t)
	f := func(text, want string) {
		t.Helper()
		if got, confidence := m.Detect(text); got != want {
			t.Errorf("%q: got %q, want %q (confidence %.2f)", text, got, want, confidence)
		}
	}
	f("RT @someone: omg this is sooooo good 😂😂 https://t.co/abc123 #blessed", "en")
	f("Can't believe the game last night, we were robbed smh", "en")
	f("Listening to the new album on my way home &amp; loving every second of it", "en")
	f("#MakeThisTheBestSummerEver", "en")
	f("Ich freue mich schon auf das Wochenende!", "de")
	f("¿Dónde está la biblioteca? No la encuentro", "es")
	f("Não acredito que já é segunda-feira outra vez", "pt")
	f("Je n'arrive pas à dormir, il fait trop chaud", "fr")
	f("Ik heb geen zin om morgen te werken", "nl")
	f("Jeg har ikke tid til å lese alle bøkene", "no")
	f("Jag har inte tid att läsa alla böckerna", "sv")
	f("Wczoraj było bardzo zimno i padał śnieg", "pl")
	f("Bugün hava çok güzel, dışarı çıkalım mı?", "tr")
	f("Сегодня очень холодно, не хочу выходить из дома", "ru")
	f("Данас је веома хладно, не желим да излазим", "sr")
	f("Neću da izlazim napolje jer je mnogo hladno, videćemo se sutra posle posla", "sr")
	f("Hari ini dingin banget, aku nggak mau keluar rumah", "id")
	f("Kerajaan mengumumkan bahawa semua syarikat perlu mendaftar sebelum hujung bulan ini", "ms")
	f("Днес е много студено и не искам да излизам", "bg")
	f("أنا سعيد جدا اليوم", "ar")
	f("من امروز خیلی خوشحال هستم", "fa")
	f("میں آج بہت خوش ہوں", "ur")
	f("आज बहुत ठंड है", "hi")
	f("今日はとても寒いです", "ja")
	f("今天天气很冷", "zh")
	f("오늘 너무 추워요", "ko")
	f("วันนี้อากาศดีมาก", "th")
	f("Σήμερα κάνει πολύ κρύο", "el")
	f("היום קר מאוד", "he")
}

func TestDetectLeavesUnassigned(t *testing.T) {
	m := model(t)
	f := func(text string) {
		t.Helper()
		if got, confidence := m.Detect(text); got != "" || confidence != 0 {
			t.Errorf("%q: got %q with %.2f, want nothing", text, got, confidence)
		}
	}
	f("")
	f("ok")
	f("😂😂😂 !!! 12345")
	f("@someone @another https://example.com/the/quick/brown/fox")
	f("\x00\xff\xfe")
	f("Σ")
	f("আমি বাংলায় গান গাই")                              // Bengali, a script without a detected language
	f("Сьогодні дуже холодно, я не хочу виходити з дому") // Ukrainian
	f("Ég er mjög glaður í dag og veðrið er gott")        // Icelandic
	f("Hôm nay trời rất lạnh")                            // Vietnamese
	f("Денес е многу студено и не сакам да излегувам")    // Macedonian, not Bulgarian
	f("Ek wil vandag nie uitgaan nie, want dit is koud")  // Afrikaans, not Dutch
}

func TestDetectIgnoresLinksMentionsAndEmoji(t *testing.T) {
	m := model(t)
	plain, _ := m.Detect("Heute ist ein schöner Tag zum Wandern")
	dressed, _ := m.Detect("RT @the_hiking_club: Heute ist ein schöööööner Tag &amp; zum Wandern 🥾 pic.twitter.com/AbCdEf #outdoorlife www.example.com/where-to-go-today")
	if plain != "de" || dressed != "de" {
		t.Errorf("got %q and %q, want de for both", plain, dressed)
	}
}

func TestConfidenceGrowsWithTextLength(t *testing.T) {
	m := model(t)
	_, short := m.Detect("la casa")
	code, long := m.Detect("la casa donde vivimos desde hace muchos años está cerca del mar")
	if code != "es" || long <= short || long < 0.99 || long > 1 {
		t.Errorf("got %q with %.3f after %.3f, want es with a higher confidence of almost 1", code, long, short)
	}
}

func TestCodes(t *testing.T) {
	codes := Codes()
	if len(codes) != 40 || !slices.IsSorted(codes) || !slices.Contains(codes, "no") {
		t.Errorf("got %v, want 40 codes in order", codes)
	}
}

func TestEveryCodeIsDetectable(t *testing.T) {
	m := model(t)
	detectable := map[string]bool{}
	for _, trait := range traits {
		detectable[trait.only] = true
	}
	for _, b := range m.tables {
		if b == nil {
			continue
		}
		for _, language := range b.languages {
			detectable[language] = true
		}
	}
	for _, code := range Codes() {
		if !detectable[code] {
			t.Errorf("%q is never detected", code)
		}
	}
}

func TestDetectDoesNotAllocate(t *testing.T) {
	m := model(t)
	for _, text := range []string{tweet, strings.Repeat("#tag ", 50), strings.Repeat("ж", 5000)} {
		if n := testing.AllocsPerRun(100, func() { m.Detect(text) }); n != 0 {
			t.Errorf("%.20q: got %v allocations, want 0", text, n)
		}
	}
}

func FuzzDetect(f *testing.F) {
	m := model(f)
	codes := append(Codes(), "")
	f.Add(tweet)
	f.Add("\xf0\x9f&#x; @ # RT @")
	f.Add(strings.Repeat("aB", 9000))
	f.Add(strings.Repeat("a.a-", 4000) + "/")
	f.Add(strings.Repeat("日", 6000))
	f.Fuzz(func(t *testing.T, text string) {
		code, confidence := m.Detect(text)
		if !slices.Contains(codes, code) || !(confidence >= 0 && confidence <= 1) || (code == "") != (confidence == 0) {
			t.Errorf("%q: got %q with %v", text, code, confidence)
		}
	})
}

// tweet has more than 140 characters.
const tweet = "Just watched the season finale with my sister and we are both crying, who wrote this and why would they do that to us, I need the next one now"

func BenchmarkDetect(b *testing.B) {
	m := model(b)
	for _, c := range []struct{ name, text string }{
		{"tweet", tweet[:140]},
		{"close languages", "Jeg har ikke tid til at læse alle de bøger som jeg gerne ville, men i morgen begynder ferien, og så skal jeg ligge i solen og læse en hel bog"},
		{"cyrillic", "Сегодня очень холодно, и я не хочу выходить из дома, но завтра начинаются каникулы, и мы наконец поедем к бабушке в деревню на две недели"},
		{"japanese", "今日はとても寒いので家から出たくないですが、明日から休みが始まるので、やっとおばあちゃんの家に二週間遊びに行けます"},
		{"two words", "good morning"},
		{"16 KB of signs", strings.Repeat("🎉!", 3300)},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				m.Detect(c.text)
			}
		})
	}
}

func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		model(b)
	}
}
