package picture

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"
	"time"

	"earshot"
	"earshot/internal/fetch"
	"earshot/internal/test/testenv"
)

// direct returns a Service without a journal, for requests of people.
func direct(t *testing.T, get func(context.Context, string) ([]byte, string, error)) *Service {
	t.Helper()
	cache, err := OpenCache(CacheOptions{Dir: t.TempDir(), MaxBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	return New(Options{Cache: cache, Get: get, Now: time.Now, Log: slog.New(slog.DiscardHandler), Model: Model{Version: "1"}})
}

// samples returns a picture in several formats.
func samples(t *testing.T) [][]byte {
	t.Helper()
	img := image.NewPaletted(image.Rect(0, 0, 40, 30), color.Palette{color.White, color.Black, color.Gray{90}})
	for i := range img.Pix {
		img.Pix[i] = uint8(i*i/7) % 3
	}
	var asJPEG, asPNG, asGIF bytes.Buffer
	if err := errors.Join(jpeg.Encode(&asJPEG, img, nil), png.Encode(&asPNG, img), gif.Encode(&asGIF, img, nil)); err != nil {
		t.Fatal(err)
	}
	webp := []byte("RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00/\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00")
	return [][]byte{asJPEG.Bytes(), asPNG.Bytes(), asGIF.Bytes(), webp}
}

// TestMutatedFiles looks at 10,000 damaged files. Each must give a result or an error, soon.
func TestMutatedFiles(t *testing.T) {
	testenv.SkipUnderRace(t)
	s, files, rng := direct(t, nil), samples(t), rand.New(rand.NewPCG(1, 2))
	began, readable := time.Now(), 0
	for i := range 10_000 {
		body := bytes.Clone(files[i%len(files)])
		for range 1 + rng.IntN(8) {
			body[rng.IntN(len(body))] = byte(rng.Uint32())
		}
		if rng.IntN(4) == 0 {
			body = body[:rng.IntN(len(body))]
		}
		if i%len(files) == 1 { // checksums must not protect the decoder of PNG
			fixChecksums(body)
		}
		one := time.Now()
		if _, err := s.look(t.Context(), body); err == nil {
			readable++
		}
		if took := time.Since(one); took > time.Minute {
			t.Fatalf("file %d took %v: %x", i, took, body)
		}
	}
	t.Logf("%d of 10,000 were readable; %v", readable, time.Since(began))
	if readable == 0 || readable == 10_000 {
		t.Errorf("%d were readable, want some", readable)
	}
}

// fixChecksums corrects the checksums of a PNG as far as its chunks can be read.
func fixChecksums(body []byte) {
	for at := 8; at+12 <= len(body); {
		n := int(binary.BigEndian.Uint32(body[at:]))
		if n < 0 || n > len(body)-at-12 {
			return
		}
		binary.BigEndian.PutUint32(body[at+8+n:], crc32.ChecksumIEEE(body[at+4:at+8+n]))
		at += 12 + n
	}
}

// TestHugePictures checks that pictures of 100 million pixels are rejected by their headers.
func TestHugePictures(t *testing.T) {
	s := direct(t, nil)
	side := func(bigEndian bool) []byte {
		if bigEndian {
			return []byte{0x27, 0x10}
		}
		return []byte{0x10, 0x27}
	}
	header := append([]byte("IHDR\x00\x00"), side(true)...)
	header = append(append(append(header, 0, 0), side(true)...), 8, 6, 0, 0, 0)
	file := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"), header...)
	huge := map[string][]byte{
		"png":  binary.BigEndian.AppendUint32(file, crc32.ChecksumIEEE(header)),
		"gif":  append(append(append([]byte("GIF89a"), side(false)...), side(false)...), 0, 0, 0),
		"jpeg": append(append(append([]byte("\xff\xd8\xff\xc0\x00\x11\x08"), side(true)...), side(true)...), "\x03\x01\x11\x00\x02\x11\x00\x03\x11\x00\xff\xda\x00\x0c"...),
		"webp": []byte("RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00/\x0f\xe7\xc3\x09\x07\x10\x11\x11\x88\x88\xfe\x07\x00"),
	}
	for name, body := range huge {
		began := time.Now()
		if _, err := s.look(t.Context(), body); !errors.Is(err, fetch.ErrTooLarge) {
			t.Errorf("%s: got %v, want ErrTooLarge", name, err)
		}
		if took := time.Since(began); took > time.Second {
			t.Errorf("%s took %v", name, took)
		}
		if _, _, err := s.Add(t.Context(), body); !earshot.IsKind(err, earshot.TooLarge) {
			t.Errorf("%s, uploaded: got %v, want TooLarge", name, err)
		}
	}
}

// TestHostileServers looks at pictures of servers that are slow, endless, or redirect to addresses
// inside the network. Only the server's own address is allowed.
func TestHostileServers(t *testing.T) {
	stop := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/metadata":
			http.Redirect(w, r, "http://169.254.169.254/latest/meta-data/", http.StatusFound)
		case "/private":
			http.Redirect(w, r, "http://10.0.0.1/a.png", http.StatusFound)
		case "/loopback":
			http.Redirect(w, r, "http://localhost:1/a.png", http.StatusFound)
		case "/circle":
			http.Redirect(w, r, "/circle", http.StatusFound)
		case "/slow":
			w.(http.Flusher).Flush()
			<-stop
		case "/endless":
			for err := error(nil); err == nil; {
				_, err = w.Write(make([]byte, 64<<10))
			}
		case "/good":
			_, _ = w.Write(file(9))
		}
	}))
	defer server.Close()
	defer close(stop)
	own := netip.MustParseAddrPort(server.Listener.Addr().String())
	client := fetch.New(fetch.Options{MaxBytes: 1 << 20, Timeout: 200 * time.Millisecond, Allow: func(to netip.AddrPort) bool { return to == own }})
	s := direct(t, client.Get)
	f := func(path string, kind earshot.Kind, want string) {
		t.Helper()
		_, err := s.Show(t.Context(), server.URL+path)
		var e *earshot.Error
		if !errors.As(err, &e) || e.Kind != kind || e.Message != want {
			t.Errorf("%s: got %v, want %s", path, err, want)
		}
	}
	const public = "': an http or https URL of a public address, at port 80 or 443"
	f("/metadata", earshot.Invalid, "Invalid value '"+server.URL+"/metadata' for parameter 'url"+public)
	f("/private", earshot.Invalid, "Invalid value '"+server.URL+"/private' for parameter 'url"+public)
	f("/loopback", earshot.Invalid, "Invalid value '"+server.URL+"/loopback' for parameter 'url"+public)
	f("/circle", earshot.Unprocessable, "The picture could not be fetched: the server did not respond")
	f("/slow", earshot.Unprocessable, "The picture could not be fetched: the server did not respond")
	f("/endless", earshot.Unprocessable, "The picture is too large: at most 10 MB and 24 million pixels are allowed")
	f("/empty", earshot.Unprocessable, "The file is not a picture that can be read: it must be a JPEG, PNG, GIF or WebP")
	if p, err := s.Show(t.Context(), server.URL+"/good"); err != nil || p.Width != 4 {
		t.Errorf("got %+v, %v, want a picture", p, err)
	}
	if _, err := direct(t, nil).Show(t.Context(), server.URL+"/good"); !errors.Is(err, ErrOff) {
		t.Errorf("got %v, want ErrOff", err)
	}
}
