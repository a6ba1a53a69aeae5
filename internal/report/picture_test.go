package report

import (
	"bytes"
	"encoding/xml"
	"image/png"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
)

var pictured = Section{Title: "Volume", Note: "Peak: 1,220 on Wed, Oct 21, 2026", Blocks: []Block{
	TimeChart{Labels: []string{"Oct 19", "Oct 20", "Oct 21"}, Series: []Series{{Name: "Posts", Color: "#2b55cf", Values: []float64{310, 420, 1220}, Marked: []bool{false, false, true}}}},
	TimeChart{Labels: []string{"Oct 19", "Oct 20", "Oct 21"}, Kind: TimeLines, Series: []Series{{Name: "שלום", Color: "#35a873", Values: []float64{1, 5, 2}, Low: []float64{0, 4, 1}, High: []float64{2, 6, 3}}, {Name: "Καφές ☕", Color: "#dc6257", Dashed: true, Values: []float64{3, 1, 4}}}},
	Bars{{Name: "قهوة & <tea>", Value: 3, Text: "3", Note: "60%"}, {Name: "咖啡", Value: 2, Text: "2", Note: "40%", Low: 1, High: 2.5}},
}}

func TestSVG(t *testing.T) {
	var out bytes.Buffer
	if err := pictured.WriteSVG(&out, testFonts); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), `fill="#35a873" fill-opacity="0.2"`) {
		t.Errorf("the picture has no band of the first line:\n%s", out.String())
	}
	var texts []string
	for d := xml.NewDecoder(&out); ; {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if text, ok := token.(xml.CharData); ok {
			texts = append(texts, string(text))
		}
	}
	for _, want := range []string{"Volume", "Peak: 1,220 on Wed, Oct 21, 2026", "Oct 21", "1,500", "שלום", "Καφές ☕", "قهوة & <tea>", "咖啡", "60%"} {
		if !slices.Contains(texts, want) {
			t.Errorf("the picture lacks %q: %q", want, texts)
		}
	}
}

func TestPNG(t *testing.T) {
	var out bytes.Buffer
	if err := pictured.WritePNG(&out, testFonts, 2); err != nil {
		t.Fatal(err)
	}
	if name := os.Getenv("EARSHOT_REPORT_PDF"); name != "" {
		if err := os.WriteFile(name+"-TestPNG.png", out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	picture, err := png.Decode(&out)
	if err != nil {
		t.Fatal(err)
	}
	colors, band := map[color]int{}, mix(white, parseColor("#35a873"), bandOpacity)
	for y := range picture.Bounds().Dy() {
		for x := range picture.Bounds().Dx() {
			r, g, b, _ := picture.At(x, y).RGBA()
			colors[color{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8)}]++
		}
	}
	if colors[band] < 1000 {
		t.Errorf("the picture has %d pixels of the band of a line, want more", colors[band])
	}
	if picture.Bounds().Dx() != 1280 || colors[accent] < 1000 || colors[unusual] < 1000 || colors[paleBar] < 1000 || colors[ink] < 100 {
		t.Errorf("the picture has a width of %d and %d, %d, %d and %d pixels of bars, unusual bars, horizontal bars and text", picture.Bounds().Dx(), colors[accent], colors[unusual], colors[paleBar], colors[ink])
	}
}
