package geo

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestNormalize(t *testing.T) {
	f := func(want string, names ...string) {
		t.Helper()
		for _, name := range names {
			if got := Normalize(name); got != want {
				t.Errorf("Normalize(%q) = %q, want %q", name, got, want)
			}
		}
	}
	f("sao paulo", "São Paulo", "SAO PAULO", "Sa\u0303o  Paulo", " São-Paulo ")
	f("usa", "USA", "U.S.A.", "the USA")
	f("bronx", "The Bronx")
	f("st louis", "St. Louis", "St Louis")
	f("coeur dalene", "Coeur d'Alene", "Cœur d’Alene")
	f("strasse", "Straße", "STRASSE")
	f("lodz", "Łódź")
	f("istanbul", "İstanbul", "ISTANBUL", "ıstanbul")
	f("αθηνα", "Αθήνα", "ΑΘΗΝΑ")
	f("κυπροσ", "Κύπρος", "ΚΥΠΡΟΣ")
	f("ハ\u309aリ", "パリ", "ﾊﾟﾘ") // full and half width; must differ from ハリ
	f("trinidad and tobago", "Trinidad & Tobago")
	f("احمد", "أحمد", "اَحمد")
	f("", "", " ", "...", "\xff\xfe", "\u200d", "🌎")
}

func TestNormalizeIsIdempotent(t *testing.T) {
	for i := range All() {
		if once := Normalize(i.Name); Normalize(once) != once && !strings.HasPrefix(once, "the ") {
			t.Errorf("Normalize(%q) = %q, which normalizes to %q", i.Name, once, Normalize(once))
		}
	}
}

func FuzzNormalize(f *testing.F) {
	for _, seed := range []string{"São Paulo", "\xff", "ﷺ", "the the", "İ"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		got := Normalize(name)
		if !utf8.ValidString(got) || strings.TrimSpace(got) != got {
			t.Errorf("Normalize(%q) = %q", name, got)
		}
	})
}
