package digest

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/report"
	"earshot/internal/report/pdftext"
)

func picture(width, height int) image.Image {
	p := image.NewNRGBA(image.Rect(0, 0, width, height))
	for i := range p.Pix {
		p.Pix[i] = byte(i * i >> 4)
	}
	return p
}

func pngOf(t *testing.T, p image.Image) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := png.Encode(&out, p); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// hugePNG returns a small file that says it has many pixels.
func hugePNG(t *testing.T) []byte {
	file := pngOf(t, image.NewGray(image.Rect(0, 0, 2, 2)))
	binary.BigEndian.PutUint32(file[16:], 60_000)
	binary.BigEndian.PutUint32(file[20:], 60_000)
	binary.BigEndian.PutUint32(file[29:], crc32.ChecksumIEEE(file[12:29]))
	return file
}

func TestLogos(t *testing.T) {
	var photo bytes.Buffer
	if err := jpeg.Encode(&photo, picture(1500, 500), nil); err != nil {
		t.Fatal(err)
	}
	f := func(name string, file []byte, wantWidth, wantHeight int) {
		t.Helper()
		logo, err := newLogo(file)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		c, err := png.DecodeConfig(bytes.NewReader(logo))
		if err != nil || c.Width != wantWidth || c.Height != wantHeight || len(logo) > 600<<10 {
			t.Errorf("%s: got %d × %d and %d bytes, %v, want %d × %d", name, c.Width, c.Height, len(logo), err, wantWidth, wantHeight)
		}
	}
	f("small", pngOf(t, picture(40, 20)), 40, 20)
	f("photo", photo.Bytes(), 600, 200)
	f("tall", pngOf(t, image.NewGray(image.Rect(0, 0, 1, 2000))), 1, 240)
	f("no color", pngOf(t, image.NewGray16(image.Rect(0, 0, 30, 10))), 30, 10)

	bad := func(name string, file []byte, want string) {
		t.Helper()
		if _, err := newLogo(file); !earshot.IsKind(err, earshot.Invalid) || err.Error() != "Invalid request body: "+want {
			t.Errorf("%s: got %v, want %s", name, err, want)
		}
	}
	const damaged = "logo cannot be read: the file is incomplete or damaged"
	whole := pngOf(t, picture(40, 20))
	bad("huge", hugePNG(t), "logo has too many pixels: at most 2,000 × 2,000")
	bad("truncated PNG", whole[:len(whole)/2], damaged)
	bad("truncated JPEG", photo.Bytes()[:1000], damaged)
	bad("only a header", whole[:8], damaged)
	bad("SVG", []byte(`<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>`), "logo must be a PNG or JPEG picture")
	bad("GIF", []byte("GIF89a"), "logo must be a PNG or JPEG picture")
	bad("large", append(whole, make([]byte, maxLogo)...), "logo must have at most 512 KB")
}

func TestClients(t *testing.T) {
	w := newWorld(t)
	s := w.service()
	add := func(name string, isDefault bool) *earshot.Client {
		t.Helper()
		c, err := s.AddClient(t.Context(), ann, acme, ClientChanges{Name: &name, Default: &isDefault})
		w.check(err)
		return c
	}
	if id := s.DefaultClient(acme); id != 0 {
		t.Errorf("got default client %d of a team without clients", id)
	}
	first, second := add(" Acme ", true), add("Bolt", true)
	if first.Name != "Acme" || s.DefaultClient(acme) != second.ID || s.DefaultClient(other) != 0 {
		t.Errorf("got %+v, default %d, want the second client", first, s.DefaultClient(acme))
	}
	_, err := s.EditClient(t.Context(), ann, second.ID, ClientChanges{Edits: new(int64), Default: new(bool)})
	w.check(err)
	if id := s.DefaultClient(acme); id != 0 {
		t.Errorf("got default client %d, want none", id)
	}
	if _, err = s.EditClient(t.Context(), ann, second.ID, ClientChanges{Edits: new(int64)}); !earshot.IsKind(err, earshot.Conflict) {
		t.Errorf("an outdated edit: got %v, want a conflict", err)
	}
	if _, err = s.AddClient(t.Context(), ann, other, ClientChanges{Name: &first.Name}); !earshot.IsKind(err, earshot.NotFound) {
		t.Errorf("a client of another team: got %v, want NotFound", err)
	}

	r := w.report(s, "0 8 * * 1")
	edit := func(ch Changes, want string) {
		t.Helper()
		if _, err := s.Edit(t.Context(), ann, r.ID, ch); err == nil && want != "" || err != nil && err.Error() != want {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	unknown, none := earshot.ClientID(99), []earshot.MonitorID{}
	edit(Changes{Client: &first.ID}, "")
	edit(Changes{Client: &unknown}, "Client 99 does not exist")
	edit(Changes{Compare: &[]earshot.MonitorID{11}}, "")
	edit(Changes{Compare: &[]earshot.MonitorID{10}}, "Invalid request body: compare contains 10 twice")
	edit(Changes{Compare: &[]earshot.MonitorID{12}}, "Monitor 12 does not exist")
	edit(Changes{Monitors: &none, Dashboards: &[]earshot.DashboardID{30}}, "Invalid request body: compare needs monitors to compare")
	w.check(s.RemoveClient(t.Context(), ann, first.ID))
	edit(Changes{Name: new("Still edited")}, "")
	if shown := s.reportInfo(r); shown.Client != 0 {
		t.Errorf("the report names the removed client %d", shown.Client)
	}
}

// TestCover reads the cover of a report back, from the PDF file and from the mail.
func TestCover(t *testing.T) {
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	d := &report.Document{
		Title: "Weekly", Subtitle: []string{"Nov 9 – 15, 2026 · Mondays", "Filter: language:en"}, Created: start.In(zone), Footer: "Weekly",
		Client: "Acme & Söhne", Logo: picture(40, 20), PreparedBy: "Insights", Dates: "Nov 9 – 15, 2026",
		Sections: []report.Section{{Title: "What happened", Blocks: []report.Block{report.Text("Nothing.")}}},
	}
	fonts := report.NewFonts("", func(string, error) {})
	var out bytes.Buffer
	if err := d.WritePDF(t.Context(), &out, fonts); err != nil {
		t.Fatal(err)
	}
	pages, err := pdftext.Pages(out.Bytes())
	if err != nil || len(pages) != 2 {
		t.Fatalf("got %d pages, %v, want a cover and a page", len(pages), err)
	}
	const cover = "Acme & Söhne\nWeekly\nDates\nNov 9 – 15, 2026\nTime zone\nAmerica/New_York\nPrepared by\nInsights\nFilter: language:en\nPage 1 of 2\nWeekly"
	if pages[0] != cover || !strings.HasPrefix(pages[1], "What happened\n") {
		t.Errorf("got pages %q, want the first %q", pages, cover)
	}
	if !bytes.Contains(out.Bytes(), []byte("/Subtype/Image/Width 40/Height 20/BitsPerComponent 8")) {
		t.Error("the file does not contain the logo")
	}
	mail, err := d.Mail(t.Context(), report.MailOptions{Fonts: fonts})
	if err != nil {
		t.Fatal(err)
	}
	if len(mail.Images) != 1 || !strings.Contains(mail.HTML, `<img src="cid:logo@earshot" width="40" height="20" alt="Acme &amp; Söhne"`) || !strings.HasPrefix(mail.Text, "Acme & Söhne\nWeekly\n") {
		t.Errorf("the mail has %d images and this text:\n%s", len(mail.Images), mail.Text)
	}
}
