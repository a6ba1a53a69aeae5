package report

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"
)

var testFonts = NewFonts("", func(string, error) {})

func writePDF(t testing.TB, d *Document) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := d.WritePDF(t.Context(), &b, testFonts); err != nil {
		t.Fatal(err)
	}
	if name := os.Getenv("EARSHOT_REPORT_PDF"); name != "" {
		if err := os.WriteFile(name+"-"+strings.ReplaceAll(t.Name(), "/", "-")+".pdf", b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

// scripts are texts in every script that the embedded fonts have.
var scripts = []struct{ name, text string }{
	{"Latin", "Größe, naïve, Łódź, İstanbul, Việt Nam, ﬁne office"},
	{"Cyrillic", "Доброе утро, ґанок, Ђорђе"},
	{"Greek", "Καλημέρα κόσμε, ἀρχή"},
	{"Arabic", "صباح الخير يا عالم 123، كيف الحال؟"},
	{"Hebrew", "בוקר טוב עולם 2026, מה שלומך?"},
	{"Devanagari", "नमस्ते दुनिया, क्षेत्र की प्रगति"},
	{"Chinese", "你好，世界。繁體字也可以"},
	{"Japanese", "おはようございます、コーヒー東京"},
	{"Korean", "안녕하세요 세계 커피"},
	{"Emoji", "Great ☕ 😀 👍🏽 👩‍👩‍👧 🇩🇪 ❤️"},
	{"Mixed", "Coffee קפה (חם) and قهوة 50% off!"},
	{"Missing", "Thai กาแฟ has no font"},
}

func TestScriptsAreReadBack(t *testing.T) {
	d := &Document{Title: "Scripts", Created: time.Date(2026, 11, 16, 9, 0, 0, 0, time.UTC)}
	for _, s := range scripts {
		d.Sections = append(d.Sections, Section{Title: s.name, Blocks: []Block{Text(s.text)}})
	}
	text := strings.Join(readPDF(t, writePDF(t, d)), "\n")
	for _, s := range scripts {
		if s.name == "Mixed" || s.name == "Arabic" || s.name == "Hebrew" {
			continue // see TestRightToLeft
		}
		if got := strings.ReplaceAll(text, "\u200b", ""); !strings.Contains(got, s.text) {
			t.Errorf("%s: %q is not in the PDF:\n%s", s.name, s.text, got)
		}
	}
}
