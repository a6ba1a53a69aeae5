package earshot

import "testing"

func TestEveryLanguageHasAName(t *testing.T) {
	if got, want := len(languageNames), len(Languages); got != want {
		t.Errorf("got %d names, want %d", got, want)
	}
	for _, code := range Languages {
		if LanguageName(code) == code {
			t.Errorf("%s has no name", code)
		}
	}
}

func TestLanguageName(t *testing.T) {
	f := func(code, want string) {
		t.Helper()
		if got := LanguageName(code); got != want {
			t.Errorf("LanguageName(%q) = %q, want %q", code, got, want)
		}
	}
	f("en", "English")
	f("EN", "English")
	f("la", "la")
	f("", "")
}
