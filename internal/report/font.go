package report

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/font/opentype"
	"github.com/klauspost/compress/zstd"
)

// fonts/README.md has their sources and licenses.
//
//go:embed fonts/*.zst
var embedded embed.FS

// The embedded fonts, in the order in which they are searched for a character. Fonts of the
// administrator come before the last two, which cover many characters plainly.
const (
	regularFont = "NotoSans-Regular"
	boldFont    = "NotoSans-Bold"
)

var (
	scriptFonts   = []string{"NotoSansArabic-Regular", "NotoSansHebrew-Regular"}
	fallbackFonts = []string{"DroidSansFallback", "NotoEmoji-Regular"}
)

// Fonts are the fonts of reports. They are loaded when the first report is drawn, and are safe for
// concurrent use.
type Fonts struct {
	dir  string
	warn func(file string, err error)
	load func() *fontSet
}

// NewFonts returns the embedded fonts and those in a directory, unless dir is empty. warn is called
// for files that cannot be used.
func NewFonts(dir string, warn func(file string, err error)) *Fonts {
	f := &Fonts{dir: dir, warn: warn}
	f.load = sync.OnceValue(f.open)
	return f
}

// A fontSet lists fonts in the order in which they are searched.
type fontSet struct {
	regular, bold *fontFile
	others        []*fontFile
}

// A fontFile is a TrueType font.
type fontFile struct {
	name   string
	font   *font.Font
	tables trueType // for subsets
}

func (f *Fonts) open() *fontSet {
	set := &fontSet{regular: openEmbedded(regularFont), bold: openEmbedded(boldFont)}
	for _, name := range scriptFonts {
		set.others = append(set.others, openEmbedded(name))
	}
	set.others = append(set.others, f.openDir()...)
	for _, name := range fallbackFonts {
		set.others = append(set.others, openEmbedded(name))
	}
	return set
}

// openEmbedded opens an embedded font. It panics if the font is not valid.
func openEmbedded(name string) *fontFile {
	compressed, err := embedded.ReadFile("fonts/" + name + ".ttf.zst")
	if err != nil {
		panic(err)
	}
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		panic(err)
	}
	defer decoder.Close()
	data, err := decoder.DecodeAll(compressed, nil)
	if err != nil {
		panic(err)
	}
	file, err := parseFont(name, data)
	if err != nil {
		panic(err)
	}
	return file
}

// Limits on the fonts of the administrator: all of them are in memory.
const (
	maxFontFiles = 50
	maxFontSize  = 40 << 20
)

// openDir opens the fonts of the administrator, in the order of their names.
func (f *Fonts) openDir() (files []*fontFile) {
	if f.dir == "" {
		return nil
	}
	entries, err := os.ReadDir(f.dir)
	if err != nil {
		f.warn(f.dir, err)
		return nil
	}
	for _, entry := range entries {
		if !slices.Contains([]string{".ttf", ".otf", ".ttc", ".otc"}, strings.ToLower(filepath.Ext(entry.Name()))) {
			continue
		}
		path := filepath.Join(f.dir, entry.Name())
		file, err := openFont(path)
		if err == nil && len(files) == maxFontFiles {
			err = fmt.Errorf("only %d fonts are used", maxFontFiles)
		}
		if err != nil {
			f.warn(path, err)
			continue
		}
		files = append(files, file)
	}
	return files
}

func openFont(path string) (*fontFile, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxFontSize {
		return nil, fmt.Errorf("larger than %d MB", maxFontSize>>20)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return parseFont(strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)), data)
}

// parseFont parses a font with TrueType outlines; of a collection, the first one.
func parseFont(name string, data []byte) (file *fontFile, err error) {
	defer func() {
		if p := recover(); p != nil {
			file, err = nil, fmt.Errorf("not a valid font: %v", p)
		}
	}()
	loaders, err := opentype.NewLoaders(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	if len(loaders) == 0 || !loaders[0].HasTable(opentype.MustNewTag("glyf")) {
		return nil, errors.New("only fonts with TrueType outlines can be used")
	}
	parsed, err := font.NewFont(loaders[0])
	if err != nil {
		return nil, err
	}
	tables, err := newTrueType(loaders[0])
	if err != nil {
		return nil, err
	}
	return &fontFile{name: name, font: parsed, tables: tables}, nil
}

// A face is a font while a document is drawn, with the glyphs that it uses.
type face struct {
	*font.Face
	file  *fontFile
	index int                 // among the fonts of the document
	ids   map[font.GID]uint16 // numbers of the glyphs in the subset
	used  []usedGlyph         // by these numbers; 0 is the box for missing characters
}

type usedGlyph struct {
	id    font.GID
	width float64 // in thousandths of the font size
	text  string  // that it stands for; empty: unknown
}

// use returns the number of a glyph in the subset.
func (f *face) use(g glyph) uint16 {
	if number, ok := f.ids[g.id]; ok {
		return number
	}
	number := uint16(len(f.used))
	f.ids[g.id] = number
	f.used = append(f.used, usedGlyph{id: g.id, width: f.width(g.id), text: g.text})
	return number
}

// width returns the width of a glyph, in thousandths of the font size.
func (f *face) width(id font.GID) float64 {
	return float64(f.HorizontalAdvance(id)) * 1000 / float64(f.Upem())
}
