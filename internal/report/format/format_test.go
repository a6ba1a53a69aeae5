package format

import (
	"testing"

	"earshot"
)

func TestFormats(t *testing.T) {
	f := func(got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	f(Number(0), "0")
	f(Number(-1234567), "-1,234,567")
	f(Plural(1, "post", "posts"), "1 post")
	f(Plural(1220, "post", "posts"), "1,220 posts")
	f(Compact(9999), "9,999")
	f(Compact(12_345), "12.3K")
	f(Compact(999_950), "1M")
	f(Compact(24_400_000), "24.4M")
	f(Percent(0), "0%")
	f(Percent(0.0225), "2.3%")
	f(Percent(0.0994), "9.9%")
	f(Percent(0.0996), "10%")
	f(Percent(0.265), "27%")
	f(Percent(1), "100%")
	f(Change(128, 100), "+28%")
	f(Change(90, 100), "−10%")
	f(Change(105, 100), "+5.0%")
	f(Change(100, 100), "±0%")
	f(Change(5, 0), "new")
	f(Change(2500, 100), "25×")
	day := func(text string) earshot.Date {
		d, err := earshot.ParseDate(text)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	f(DateRange(earshot.Days{Start: day("2026-03-01"), End: day("2026-04-01")}), "Mar 1 – 31, 2026")
	f(DateRange(earshot.Days{Start: day("2026-03-01"), End: day("2026-03-02")}), "Mar 1, 2026")
	f(DateRange(earshot.Days{Start: day("2026-03-30"), End: day("2026-04-03")}), "Mar 30 – Apr 2, 2026")
	f(DateRange(earshot.Days{Start: day("2025-12-30"), End: day("2026-01-03")}), "Dec 30, 2025 – Jan 2, 2026")
}
