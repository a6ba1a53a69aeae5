package report

import (
	"bytes"
	"context"
	"image/png"
	"strings"
	"testing"

	"earshot"
)

func TestMail(t *testing.T) {
	d := &Document{Title: "Week <1>", Subtitle: []string{"Nov 9 – 15, 2026"}, Footer: "Earshot", Sections: []Section{
		{Title: "Coffee & tea", Heading: true, Link: "/monitors/7?start=2026-11-09&end=2026-11-16"},
		{Title: "Key figures", Blocks: []Block{Figures{{"Posts", "2,669", "+63% vs. previous 7 days"}, {"Authors", "1,847", ""}, {"Reach", "–", ""}}}},
		{Title: "Volume", Note: "Peak", Blocks: []Block{TimeChart{Labels: []string{"Nov 9", "Nov 10"}, Series: []Series{{Name: "Posts", Values: []float64{120, 2549}, Marked: []bool{false, true}}}}, Note("Unusual")}},
		{Title: "Sentiment", Blocks: []Block{TimeChart{Labels: []string{"Nov 9"}, Shares: true, Series: []Series{{Name: "Positive", Values: []float64{0.25}}}}, Bars{{Name: "Positive", Value: 3, Text: "3", Note: "25%"}}}},
		{Title: "Hours", Blocks: []Block{Heatmap{{1, 2}, {}, {}, {}, {}, {}, {5}}}},
		{Title: "Posts", Blocks: []Block{Posts{
			{Head: "News · ann", Title: "T", Text: "<script>x</script>\u202e" + strings.Repeat("long ", 200), Facts: "3 likes", URL: `https://example.com/?a="b"&c`},
			{Head: "News", Text: "t", URL: "javascript:alert(1)"},
		}}},
		{Title: "Table", Blocks: []Block{Table{Columns: []Column{{Name: "Day", Kind: DateColumn}, {Name: "Posts", Kind: NumberColumn}}, Rows: [][]any{{earshot.Date{Year: 2026, Month: 11, Day: 9}, int64(1220)}, {nil, nil}}}, Text("a\nb")}},
	}}
	mail, err := d.Mail(t.Context(), MailOptions{Fonts: NewFonts("", nil), Preheader: "2,669 posts", Base: "https://earshot.example", Manage: "/signals/reports"})
	if err != nil {
		t.Fatal(err)
	}
	const alt = "Volume. Posts: Nov 9 120, Nov 10 2,549 (unusual)."
	for _, want := range []string{
		"Week &lt;1&gt;", "Coffee &amp; tea", `href="https://earshot.example/monitors/7?start=2026-11-09&amp;end=2026-11-16"`, "2,669", "+63% vs. previous 7 days", `src="cid:chart1@earshot"`,
		`alt="` + alt + `"`, `alt="Sentiment. Positive: Nov 9 25%."`, `alt="Hours. Monday 3, Tuesday 0, Wednesday 0, Thursday 0, Friday 0, Saturday 0, Sunday 5."`,
		"&lt;script&gt;x&lt;/script&gt;long", `href="https://example.com/?a=&#34;b&#34;&amp;c"`, "Nov 9, 2026", "1,220", "a<br>b", `href="https://earshot.example/signals/reports"`, "2,669 posts",
	} {
		if !strings.Contains(mail.HTML, want) {
			t.Errorf("%q is not in the HTML", want)
		}
	}
	for _, want := range []string{"Week <1>\n", "Posts: 2,669 (+63% vs. previous 7 days)\n", "Authors: 1,847\n", alt + "\n", "- Positive: 3 25%\n", "Nov 9, 2026 | 1,220\n", "– | –\n", "https://earshot.example/signals/reports\n", "\na\nb\n"} {
		if !strings.Contains(mail.Text, want) {
			t.Errorf("%q is not in the text:\n%s", want, mail.Text)
		}
	}
	for _, bad := range []string{"<script", "javascript:", "\u202e", "data:"} {
		if strings.Contains(mail.HTML, bad) || bad == "\u202e" && strings.Contains(mail.Text, bad) {
			t.Errorf("the mail contains %q", bad)
		}
	}
	if len(mail.Images) != 3 || strings.Count(mail.HTML, "cid:") != 3 {
		t.Fatalf("got %d pictures", len(mail.Images))
	}
	for _, image := range mail.Images {
		c, err := png.DecodeConfig(bytes.NewReader(image.PNG))
		if err != nil || c.Width != int(mailChartWidth*mailChartScale) || c.Width < 2*mailInner*9/10 {
			t.Errorf("%s: got width %d, %v", image.ID, c.Width, err)
		}
	}

	inline, err := d.Mail(t.Context(), MailOptions{Fonts: NewFonts("", nil), Inline: true})
	if err != nil || strings.Contains(inline.HTML, "cid:") || strings.Count(inline.HTML, `src="data:image/png;base64,`) != 3 || strings.Contains(inline.HTML, "/signals/reports") {
		t.Errorf("pictures are not inside, or links without an address: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := d.Mail(ctx, MailOptions{Fonts: NewFonts("", nil)}); err == nil {
		t.Error("no error after the context has ended")
	}
}
