package app_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A fault is one change to one file or directory of a data directory.
type fault struct {
	Number int
	Part   string // of the stored data: a row of the campaign's table
	File   string // relative to the data directory
	Action string // what happened to it
}

func (f fault) String() string { return fmt.Sprintf("fault %d: %s: %s", f.Number, f.File, f.Action) }

// A damagePart is a kind of files.
type damagePart struct {
	name   string
	weight int // of 100 faults
	files  *regexp.Regexp
}

// damageParts lists the kinds of files; the first match applies. Files that match none, such as
// locks, contain no data.
var damageParts = []damagePart{
	{"journal", 16, regexp.MustCompile(`/JOURNAL/`)},
	{"catalog", 20, regexp.MustCompile(`/KV_catalog/`)},
	{"dead letters", 5, regexp.MustCompile(`/DEADLETTERS/`)},
	{"streams", 10, regexp.MustCompile(`/(REALTIME|KV_streams)/`)},
	{"analyses", 8, regexp.MustCompile(`/KV_ledger/`)},
	{"live sources", 4, regexp.MustCompile(`/KV_sources/`)},
	{"acknowledgments", 8, regexp.MustCompile(`^nats/acknowledged`)},
	{"Pebble", 16, regexp.MustCompile(`^posts/(committed|state/[^L])`)},
	{"segments", 11, regexp.MustCompile(`^posts/segments/`)},
	{"secret", 2, regexp.MustCompile(`^secret\.(key|sum)$`)},
}

var blockFile = regexp.MustCompile(`\.blk$`)

// newFault chooses the nth fault of a data directory and applies it. The same directory and number
// result in the same fault.
func newFault(t *testing.T, data string, n int) fault {
	t.Helper()
	r := rand.New(rand.NewPCG(21, uint64(n)))
	files := damageFiles(t, data)
	for {
		f := fault{Number: n, Part: choosePart(r, files)}
		f.File = chooseFile(r, files[f.Part])
		d := damager{T: t, Rand: r, path: filepath.Join(data, f.File), peers: files[f.Part], data: data}
		if f.Action = d.damage(); f.Action != "" {
			if f.Action == missingDirectory {
				f.File = filepath.Dir(f.File)
			}
			return f
		}
	}
}

// damageFiles lists the files of each part.
func damageFiles(t *testing.T, data string) map[string][]string {
	t.Helper()
	files := map[string][]string{}
	err := filepath.WalkDir(data, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(data, path)
		if i := slices.IndexFunc(damageParts, func(p damagePart) bool { return p.files.MatchString(filepath.ToSlash(name)) }); i >= 0 {
			files[damageParts[i].name] = append(files[damageParts[i].name], name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func choosePart(r *rand.Rand, files map[string][]string) string {
	for {
		n := r.IntN(100)
		for _, p := range damageParts {
			if n -= p.weight; n < 0 && len(files[p.name]) > 0 {
				return p.name
			}
		}
	}
}

// chooseFile prefers blocks to the other files of the NATS server, which derives most of them from
// the blocks.
func chooseFile(r *rand.Rand, files []string) string {
	blocks := slices.DeleteFunc(slices.Clone(files), func(f string) bool { return !blockFile.MatchString(f) })
	if len(blocks) > 0 && r.IntN(10) < 7 {
		files = blocks
	}
	return files[r.IntN(len(files))]
}

// A damager damages a file.
type damager struct {
	*testing.T
	*rand.Rand
	path  string
	data  string   // the data directory
	peers []string // files of the same part
}

const missingDirectory = "the directory is missing"

// damage returns what it did, or "" if the chosen action has no effect on this file.
func (d damager) damage() string {
	content, err := os.ReadFile(d.path)
	if err != nil {
		d.Fatal(err)
	}
	switch n := d.IntN(100); {
	case n < 35:
		return d.flip(content)
	case n < 60:
		return d.truncate(content)
	case n < 78:
		return d.zero(content)
	case n < 88:
		return d.remove()
	default:
		return d.duplicate(content)
	}
}

func (d damager) write(path string, content []byte) {
	if err := os.WriteFile(path, content, 0o600); err != nil {
		d.Fatal(err)
	}
}

// offset returns a position in a file. The end of a file is chosen more often, because torn writes
// look like damage there.
func (d damager) offset(size int) int {
	if d.IntN(4) == 0 {
		return max(0, size-1-d.IntN(min(size, 4096)))
	}
	return d.IntN(size)
}

func (d damager) flip(content []byte) string {
	if len(content) == 0 {
		return ""
	}
	at := d.offset(len(content))
	was := content[at]
	if d.IntN(2) == 0 {
		content[at] ^= 1 << d.IntN(8)
	} else {
		content[at] ^= byte(1 + d.IntN(255))
	}
	d.write(d.path, content)
	return fmt.Sprintf("byte %d changed from %02x to %02x", at, was, content[at])
}

func (d damager) truncate(content []byte) string {
	if len(content) == 0 {
		return ""
	}
	size := d.offset(len(content))
	switch d.IntN(5) {
	case 0:
		size = 0
	case 1:
		if ends := recordEnds(d.path, content); len(ends) > 0 {
			size = ends[d.IntN(len(ends))]
		}
	}
	d.write(d.path, content[:size])
	return fmt.Sprintf("truncated from %d to %d bytes", len(content), size)
}

// recordEnds returns the record boundaries of a block of NATS, without the end of the file.
func recordEnds(path string, content []byte) (ends []int) {
	if !blockFile.MatchString(path) {
		return nil
	}
	for at := 0; at+4 <= len(content); {
		length := int(binary.LittleEndian.Uint32(content[at:]) &^ (1 << 31))
		if length < 22 || at+length >= len(content) {
			break
		}
		at += length
		ends = append(ends, at)
	}
	return ends
}

func (d damager) zero(content []byte) string {
	if len(content) == 0 {
		return ""
	}
	length := []int{512, 4096}[d.IntN(2)]
	start := d.offset(len(content)) / length * length
	block := content[start:min(start+length, len(content))]
	if bytes.Count(block, []byte{0}) == len(block) {
		return ""
	}
	clear(block)
	d.write(d.path, content)
	return fmt.Sprintf("bytes %d to %d are zero", start, start+len(block)-1)
}

// remove removes the file, or sometimes its directory.
func (d damager) remove() string {
	if dir := filepath.Dir(d.path); dir != d.data && d.IntN(4) == 0 {
		if err := os.RemoveAll(dir); err != nil {
			d.Fatal(err)
		}
		return missingDirectory
	}
	if err := os.Remove(d.path); err != nil {
		d.Fatal(err)
	}
	return "missing"
}

var digits = regexp.MustCompile(`[0-9a-f]*[0-9][0-9a-f]*`)

// duplicate copies another file of the same part over the file, or the file to the next name.
func (d damager) duplicate(content []byte) string {
	if d.IntN(2) == 0 {
		return d.copyAsNext(content)
	}
	similar := slices.DeleteFunc(slices.Clone(d.peers), func(name string) bool {
		return filepath.Join(d.data, name) == d.path || filepath.Ext(name) != filepath.Ext(d.path)
	})
	if len(similar) == 0 {
		return ""
	}
	source := similar[d.IntN(len(similar))]
	other, err := os.ReadFile(filepath.Join(d.data, source))
	if err != nil {
		d.Fatal(err)
	}
	if bytes.Equal(content, other) {
		return ""
	}
	d.write(d.path, other)
	return "replaced with a copy of " + source
}

// copyAsNext copies the file to a name with the next free number.
func (d damager) copyAsNext(content []byte) string {
	dir, name := filepath.Split(d.path)
	base := 10
	if filepath.Ext(name) == ".seg" {
		base = 16
	}
	number := digits.FindString(name)
	n, err := strconv.ParseUint(number, base, 64)
	if err != nil {
		return "" // the name has no number
	}
	for {
		n++
		next := strconv.FormatUint(n, base)
		if len(next) < len(number) {
			next = strings.Repeat("0", len(number)-len(next)) + next
		}
		copied := strings.Replace(name, number, next, 1)
		if _, err := os.Lstat(dir + copied); errors.Is(err, fs.ErrNotExist) {
			d.write(dir+copied, content)
			return "also copied to " + copied
		}
	}
}
