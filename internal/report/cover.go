package report

import (
	"bytes"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"strings"
)

// hasCover reports whether the document is for somebody.
func (d *Document) hasCover() bool { return d.Client != "" || d.Logo != nil }

// cover returns the first page.
func (d *Document) cover(t *typesetter, paper Paper) *pdfPage {
	page, width, y := newPDFPage(paper.Height), paper.Width-2*margin, margin+24
	if d.Logo != nil {
		const maxWidth, maxHeight = 220.0, 88.0
		size := d.Logo.Bounds().Size()
		scale := min(maxWidth/float64(size.X), maxHeight/float64(size.Y), 1)
		page.image(margin, y, float64(size.X)*scale, float64(size.Y)*scale)
	}
	y = paper.Height * 0.34
	write := func(text string, s style, below float64) {
		lines := t.layout(text, s, width, 4)
		drawLines(page, lines, margin, y, width)
		y += heightOf(lines) + below
	}
	if d.Client != "" {
		write(d.Client, style{size: 14, color: muted}, 6)
	}
	write(d.Title, style{size: 30, bold: true, color: ink}, 12)
	page.fill(rectangle(margin, y, 64, 3), accent)
	y += 28
	for _, fact := range d.facts() {
		drawLines(page, t.layout(fact[0], style{size: 10.5, color: muted}, 100, 1), margin, y, 100)
		value := t.layout(fact[1], style{size: 10.5, color: ink}, width-110, 3)
		drawLines(page, value, margin+110, y, width-110)
		y += heightOf(value) + 5
	}
	y += 10
	for _, text := range d.Subtitle[min(1, len(d.Subtitle)):min(len(d.Subtitle), maxSubtitle)] {
		write(text, subtitleStyle, 2)
	}
	return page
}

// facts are what the cover says about the report, by name.
func (d *Document) facts() (list [][2]string) {
	for _, fact := range [][2]string{{"Dates", d.Dates}, {"Time zone", d.Created.Location().String()}, {"Prepared by", d.PreparedBy}} {
		if fact[1] != "" {
			list = append(list, fact)
		}
	}
	return list
}

// image draws the logo, which all pages know by this name.
func (p *pdfPage) image(x, y, width, height float64) {
	p.op("q %s 0 0 %s %s %s cm /Logo Do Q", num(width), num(height), num(x), num(p.height-y-height))
}

// writeLogo writes the logo and returns its entry in the resources.
func (f *pdfFile) writeLogo(logo image.Image) (string, error) {
	if logo == nil {
		return "", nil
	}
	size := logo.Bounds().Size()
	pixels := image.NewNRGBA(image.Rect(0, 0, size.X, size.Y))
	draw.Draw(pixels, pixels.Bounds(), logo, logo.Bounds().Min, draw.Src)
	var colors, opacity []byte
	for i := 0; i < len(pixels.Pix); i += 4 {
		colors, opacity = append(colors, pixels.Pix[i:i+3]...), append(opacity, pixels.Pix[i+3])
	}
	number, mask := f.reserve(), f.reserve()
	head := fmt.Sprintf("/Type/XObject/Subtype/Image/Width %d/Height %d/BitsPerComponent 8", size.X, size.Y)
	if err := f.stream(number, head+fmt.Sprintf("/ColorSpace/DeviceRGB/SMask %d 0 R", mask), colors); err != nil {
		return "", err
	}
	return fmt.Sprintf("/XObject<</Logo %d 0 R>>", number), f.stream(mask, head+"/ColorSpace/DeviceGray", opacity)
}

// logo shows the logo and the client of a mail.
func (m *mailWriter) logo(d *Document) error {
	if d.Logo != nil {
		var out bytes.Buffer
		if err := png.Encode(&out, d.Logo); err != nil {
			return err
		}
		size := d.Logo.Bounds().Size()
		scale := min(1, 200/float64(size.X), 64/float64(size.Y))
		m.tag(`<img src="%s" width="%d" height="%d" alt="%s" style="display:block;margin:0 0 14px;border:0;background:#ffffff">`,
			m.embed("logo@earshot", out.Bytes()), max(1, int(float64(size.X)*scale)), max(1, int(float64(size.Y)*scale)), esc(d.Client))
	}
	if d.Client != "" {
		m.tag(`<p class="muted" style="margin:0 0 4px;font-size:14px;line-height:20px;color:#586174;word-break:break-word">%s</p>`, esc(d.Client))
		m.line("%s", strings.TrimSpace(plain(d.Client)))
	}
	return nil
}
