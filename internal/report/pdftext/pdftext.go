// Package pdftext reads the text of PDF files that package report writes, for tests. It shares no code
// with that package, and reads a file as viewers do: objects by the table at the end of the file, the
// content of pages, and the fonts with their tables from glyphs to text.
package pdftext

import (
	"bytes"
	"compress/zlib"
	"encoding/hex"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"
)

// Pages returns the text of each page, in the order in which it is drawn, a line for each text. Text
// from right to left is drawn from left to right, that is, backward.
func Pages(file []byte) (pages []string, err error) {
	r := &reader{file: file}
	if err := r.readTable(); err != nil {
		return nil, err
	}
	root, err := r.follow(r.root, "/Pages")
	if err != nil {
		return nil, err
	}
	for _, kid := range references(root, "/Kids") {
		text, err := r.page(kid)
		if err != nil {
			return nil, fmt.Errorf("page %d: %w", len(pages)+1, err)
		}
		pages = append(pages, text)
	}
	return pages, nil
}

type reader struct {
	file    []byte
	offsets []int
	root    int
}

var (
	endPattern   = regexp.MustCompile(`startxref\n(\d+)\n%%EOF\n$`)
	entryPattern = regexp.MustCompile(`(?m)^(\d{10}) \d{5} [nf] $`)
	valuePattern = regexp.MustCompile(`^\s*(\[[^\]]*\]|\d+ 0 R)`)
	refPattern   = regexp.MustCompile(`(\d+) 0 R`)
	sizePattern  = regexp.MustCompile(`/Length (\d+)`)
	fontPattern  = regexp.MustCompile(`/(F\d+) (\d+) 0 R`)
	charPattern  = regexp.MustCompile(`<([0-9A-F]{4})> <([0-9A-F]+)>`)
	hexPattern   = regexp.MustCompile(`<([0-9A-F]*)>`)
	operators    = regexp.MustCompile(`/Span<</ActualText <FEFF([0-9A-F]*)>>>BDC|EMC|/(F\d+) [\d.]+ Tf|1 0 0 1 [\d.-]+ [\d.-]+ Tm|\[([^\]]*)\] TJ`)
)

func (r *reader) readTable() error {
	end := endPattern.FindSubmatch(r.file)
	if end == nil {
		return fmt.Errorf("the file does not end with startxref")
	}
	at := number(string(end[1]))
	if at >= len(r.file) || !bytes.HasPrefix(r.file[at:], []byte("xref\n0 ")) {
		return fmt.Errorf("startxref does not point at a table")
	}
	table := string(r.file[at:])
	for _, entry := range entryPattern.FindAllStringSubmatch(table, -1) {
		r.offsets = append(r.offsets, number(entry[1]))
	}
	roots := references(table, "/Root")
	if len(roots) != 1 {
		return fmt.Errorf("the trailer has no root")
	}
	r.root = roots[0]
	return nil
}

func number(digits string) int {
	n, _ := strconv.Atoi(digits)
	return n
}

// object returns an object, without the data of a stream.
func (r *reader) object(n int) (string, error) {
	if n >= len(r.offsets) || r.offsets[n] >= len(r.file) {
		return "", fmt.Errorf("object %d does not exist", n)
	}
	text, _, _ := strings.Cut(string(r.file[r.offsets[n]:]), "endobj")
	if !strings.HasPrefix(text, fmt.Sprintf("%d 0 obj\n", n)) {
		return "", fmt.Errorf("object %d is not where the table says", n)
	}
	text, _, _ = strings.Cut(text, "stream\n")
	return text, nil
}

// references returns the objects that an entry of a dictionary refers to.
func references(object, key string) (numbers []int) {
	_, value, _ := strings.Cut(object, key)
	for _, ref := range refPattern.FindAllStringSubmatch(valuePattern.FindString(value), -1) {
		numbers = append(numbers, number(ref[1]))
	}
	return numbers
}

// follow returns the object that an entry of another one refers to.
func (r *reader) follow(n int, key string) (string, error) {
	object, err := r.object(n)
	if err != nil {
		return "", err
	}
	list := references(object, key)
	if len(list) != 1 {
		return "", fmt.Errorf("object %d has %d references %s, want 1", n, len(list), key)
	}
	return r.object(list[0])
}

// stream returns the data of the stream that an entry of an object refers to.
func (r *reader) stream(n int, key string) (string, error) {
	header, err := r.follow(n, key)
	if err != nil {
		return "", err
	}
	size := sizePattern.FindStringSubmatch(header)
	if size == nil {
		return "", fmt.Errorf("object %d: %s has no length", n, key)
	}
	object, _ := r.object(n)
	at := r.offsets[references(object, key)[0]] + len(header) + len("stream\n")
	z, err := zlib.NewReader(bytes.NewReader(r.file[at : at+number(size[1])]))
	if err != nil {
		return "", err
	}
	data, err := io.ReadAll(z)
	return string(data), err
}

func (r *reader) page(n int) (string, error) {
	resources, err := r.follow(n, "/Resources")
	if err != nil {
		return "", err
	}
	fonts := map[string]map[string]string{}
	for _, font := range fontPattern.FindAllStringSubmatch(resources, -1) {
		table, err := r.stream(number(font[2]), "/ToUnicode")
		if err != nil {
			return "", err
		}
		fonts[font[1]] = map[string]string{}
		for _, char := range charPattern.FindAllStringSubmatch(table, -1) {
			fonts[font[1]][char[1]] = utf16Text(char[2])
		}
	}
	content, err := r.stream(n, "/Contents")
	return showText(content, fonts), err
}

func utf16Text(digits string) string {
	data, _ := hex.DecodeString(digits)
	var units []uint16
	for ; len(data) >= 2; data = data[2:] {
		units = append(units, uint16(data[0])<<8|uint16(data[1]))
	}
	return string(utf16.Decode(units))
}

// showText interprets the text operators of a page.
func showText(content string, fonts map[string]map[string]string) string {
	var b strings.Builder
	font, replaced := "", false
	for _, op := range operators.FindAllStringSubmatch(content, -1) {
		switch {
		case op[0] == "EMC":
			replaced = false
		case strings.HasPrefix(op[0], "/Span"):
			b.WriteString(utf16Text(op[1]))
			replaced = true
		case op[2] != "":
			font = op[2]
		case strings.HasSuffix(op[0], "Tm"):
			b.WriteByte('\n')
		case !replaced:
			for _, part := range hexPattern.FindAllStringSubmatch(op[3], -1) {
				for digits := part[1]; len(digits) >= 4; digits = digits[4:] {
					b.WriteString(fonts[font][digits[:4]])
				}
			}
		}
	}
	return strings.TrimPrefix(b.String(), "\n")
}
