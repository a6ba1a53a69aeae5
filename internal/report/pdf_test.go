package report

import (
	"bytes"
	"compress/zlib"
	"encoding/hex"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
)

// readPDF returns the text of each page. It knows as much about the format as is needed to read what
// viewers see: objects by the table at the end, page content, and fonts with their ToUnicode tables.
func readPDF(t testing.TB, file []byte) (pages []string) {
	t.Helper()
	r := pdfReader{t: t, file: file}
	r.readTable()
	for _, kid := range references(r.object(r.one(r.object(r.root), "/Pages")), "/Kids") {
		page := r.object(kid)
		fonts := map[string]map[string]string{}
		for name, number := range r.fonts(r.object(r.one(page, "/Resources"))) {
			fonts[name] = r.toUnicode(number)
		}
		pages = append(pages, showText(r.stream(r.one(page, "/Contents")), fonts))
	}
	return pages
}

type pdfReader struct {
	t       testing.TB
	file    []byte
	offsets []int
	root    int
}

func (r *pdfReader) readTable() {
	r.t.Helper()
	at := regexp.MustCompile(`startxref\n(\d+)\n%%EOF\n$`).FindSubmatch(r.file)
	if at == nil {
		r.t.Fatal("no startxref at the end of the file")
	}
	table := string(r.file[atoi(at[1]):])
	if !strings.HasPrefix(table, "xref\n0 ") {
		r.t.Fatalf("startxref does not point at the table, but at %.20q", table)
	}
	for _, entry := range regexp.MustCompile(`(?m)^(\d{10}) \d{5} ([nf]) $`).FindAllStringSubmatch(table, -1) {
		r.offsets = append(r.offsets, atoi([]byte(entry[1])))
	}
	r.root = r.one(table, "/Root")
}

func atoi(digits []byte) int {
	n, _ := strconv.Atoi(string(digits))
	return n
}

// object returns the text of an object, without the data of a stream.
func (r *pdfReader) object(number int) string {
	r.t.Helper()
	text := string(r.file[r.offsets[number]:])
	if !strings.HasPrefix(text, fmt.Sprintf("%d 0 obj\n", number)) {
		r.t.Fatalf("object %d is not where the table says: %.20q", number, text)
	}
	text, _, _ = strings.Cut(text, "endobj")
	text, _, _ = strings.Cut(text, "stream\n")
	return text
}

// references returns the numbers of the objects that an entry refers to.
func references(object, key string) (numbers []int) {
	_, value, _ := strings.Cut(object, key)
	list := regexp.MustCompile(`^\s*(\[[^\]]*\]|\d+ 0 R)`).FindString(value)
	for _, m := range regexp.MustCompile(`(\d+) 0 R`).FindAllStringSubmatch(list, -1) {
		numbers = append(numbers, atoi([]byte(m[1])))
	}
	return numbers
}

func (r *pdfReader) one(object, key string) int {
	r.t.Helper()
	numbers := references(object, key)
	if len(numbers) != 1 {
		r.t.Fatalf("%q has %d references of %s, want 1", object, len(numbers), key)
	}
	return numbers[0]
}

func (r *pdfReader) stream(number int) string {
	r.t.Helper()
	length := regexp.MustCompile(`/Length (\d+)`).FindStringSubmatch(r.object(number))
	_, data, _ := bytes.Cut(r.file[r.offsets[number]:], []byte("stream\n"))
	z, err := zlib.NewReader(bytes.NewReader(data[:atoi([]byte(length[1]))]))
	if err != nil {
		r.t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		r.t.Fatal(err)
	}
	return string(text)
}

func (r *pdfReader) fonts(resources string) map[string]int {
	found := map[string]int{}
	for _, m := range regexp.MustCompile(`/(F\d+) (\d+) 0 R`).FindAllStringSubmatch(resources, -1) {
		found[m[1]] = atoi([]byte(m[2]))
	}
	return found
}

// toUnicode returns the text of each glyph of a font, by its number in hexadecimal.
func (r *pdfReader) toUnicode(font int) map[string]string {
	r.t.Helper()
	table := map[string]string{}
	for _, m := range regexp.MustCompile(`<([0-9A-F]{4})> <([0-9A-F]+)>`).FindAllStringSubmatch(r.stream(r.one(r.object(font), "/ToUnicode")), -1) {
		if m[1] != "0000" || m[2] != "FFFF" { // the range of codes
			table[m[1]] = utf16Text(m[2])
		}
	}
	return table
}

func utf16Text(digits string) string {
	data, _ := hex.DecodeString(digits)
	var units []uint16
	for ; len(data) >= 2; data = data[2:] {
		units = append(units, uint16(data[0])<<8|uint16(data[1]))
	}
	return string(utf16.Decode(units))
}

var (
	textOperator = regexp.MustCompile(`/Span<</ActualText <FEFF([0-9A-F]*)>>>BDC|EMC|/(F\d+) [\d.]+ Tf|1 0 0 1 ([\d.-]+) ([\d.-]+) Tm|\[([^\]]*)\] TJ`)
	hexString    = regexp.MustCompile(`<([0-9A-F]*)>`)
)

// showText returns the text of a page in the order in which it is drawn, a line for each baseline.
func showText(content string, fonts map[string]map[string]string) string {
	var b strings.Builder
	font, baseline, replaced := "", "", false
	for _, m := range textOperator.FindAllStringSubmatch(content, -1) {
		switch {
		case m[0] == "EMC":
			replaced = false
		case strings.HasPrefix(m[0], "/Span"):
			b.WriteString(utf16Text(m[1]))
			replaced = true
		case m[2] != "":
			font = m[2]
		case m[4] != "":
			if m[4] != baseline && baseline != "" {
				b.WriteByte('\n')
			} else if baseline != "" {
				b.WriteRune('\u200b') // another text on the same baseline, or another font
			}
			baseline = m[4]
		case !replaced:
			for _, part := range hexString.FindAllStringSubmatch(m[5], -1) {
				for digits := part[1]; len(digits) >= 4; digits = digits[4:] {
					b.WriteString(fonts[font][digits[:4]])
				}
			}
		}
	}
	return b.String()
}
