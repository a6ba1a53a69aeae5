package colfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"maps"
	"os"
	"sync"
	"sync/atomic"

	"github.com/edsrzf/mmap-go"
)

// A File is a column file open for reading. It and everything it returns are safe for
// concurrent use unless stated otherwise.
//
// What it returns lies in the mapping and must not be used after the file is unmapped: code
// that uses a File while others may close it calls Retain before and Release afterwards.
type File struct {
	path     string
	data     []byte
	unmap    func() error
	footer   *footer
	sections map[string]*section
	refs     atomic.Int64 // one of the opener until Close, and one per Retain
	closed   atomic.Bool
}

// A section is loaded on first use.
type section struct {
	rawSection
	codec  codec
	once   sync.Once
	reader reader
	err    error
}

// Open maps a file and checks its header and footer, but no section, so it takes the same
// time for small and large files. The error is a *CorruptError if the file is not what a
// Writer committed.
func Open(path string) (*File, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open segment: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("open segment: %w", err)
	}
	if info.Size() < headerSize+trailerSize { // an empty file cannot be mapped
		return nil, &CorruptError{path, "header", "the file is too short"}
	}
	data, err := mmap.Map(file, mmap.RDONLY, 0)
	if err != nil {
		return nil, fmt.Errorf("open segment %s: map it: %w", path, err)
	}
	f, err := newFile(path, data, data.Unmap)
	if err != nil {
		data.Unmap()
		return nil, err
	}
	return f, nil
}

// newFile reads a file that lies in memory.
func newFile(path string, data []byte, unmap func() error) (*File, error) {
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		return nil, errors.New("segments can only be read on little-endian machines")
	}
	foot, err := readFooter(path, data)
	if err != nil {
		return nil, err
	}
	f := &File{path: path, data: data, unmap: unmap, footer: foot, sections: map[string]*section{}}
	for _, e := range foot.sections {
		c, err := codecFor(e.kind)
		if err != nil {
			return nil, &CorruptError{path, "footer", err.Error()}
		}
		src := rawSection{e, path, foot.rows, data[e.offset : e.offset+e.length]}
		f.sections[e.name] = &section{rawSection: src, codec: c}
	}
	f.refs.Store(1)
	return f, nil
}

// readFooter checks everything except the sections.
func readFooter(path string, data []byte) (*footer, error) {
	size := uint64(len(data))
	if size < headerSize+trailerSize {
		return nil, &CorruptError{path, "header", "the file is too short"}
	}
	head, trailer := data[:headerSize], data[size-trailerSize:]
	if string(head[:8]) != magic || le.Uint32(head[12:]) != 0 {
		return nil, &CorruptError{path, "header", "this is not a segment"}
	}
	length := uint64(le.Uint32(trailer))
	if string(trailer[8:]) != magic || length > maxFooter || length > size-headerSize-trailerSize || length < 4 {
		return nil, &CorruptError{path, "footer", "the file does not end as a segment does"}
	}
	end := size - trailerSize - length
	foot := data[end : end+length]
	if crc32.Checksum(foot, castagnoli) != le.Uint32(trailer[4:]) {
		return nil, &CorruptError{path, "footer", "wrong checksum"}
	}
	if v := le.Uint32(foot); v != le.Uint32(head[8:]) {
		return nil, &CorruptError{path, "header", "it names another version than the footer"}
	} else if v != version {
		return nil, fmt.Errorf("open segment %s: version %d, not %d: %w", path, v, version, ErrVersion)
	}
	f, err := decodeFooter(foot[4:])
	if err == nil {
		err = f.check(end)
	}
	if err != nil {
		return nil, &CorruptError{path, "footer", err.Error()}
	}
	return f, nil
}

// Path returns the name that the file was opened under.
func (f *File) Path() string { return f.path }

// Rows returns the number of rows.
func (f *File) Rows() int { return int(f.footer.rows) }

// Size returns the bytes of the file.
func (f *File) Size() int64 { return int64(len(f.data)) }

// Meta returns a copy of what was given to Create.
func (f *File) Meta() map[string]string { return maps.Clone(f.footer.meta) }

// Sections lists the sections in the order they were written.
func (f *File) Sections() []Section {
	list := make([]Section, 0, len(f.footer.sections))
	for _, e := range f.footer.sections {
		list = append(list, Section{e.name, e.kind, int64(e.length), int(e.count)})
	}
	return list
}

// Retain prevents unmapping until Release is called. It reports false if the file is closed;
// then the caller must neither use nor release it.
func (f *File) Retain() bool {
	for {
		n := f.refs.Load()
		if n == 0 || f.closed.Load() {
			return false
		}
		if f.refs.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// Release undoes one Retain. The last one after Close unmaps the file.
func (f *File) Release() error {
	switch n := f.refs.Add(-1); {
	case n == 0:
		return f.unmap()
	case n < 0:
		panic("colfile: " + f.path + " was released more often than retained")
	}
	return nil
}

// Close makes Retain fail from now on, and unmaps the file as soon as everyone who retained it
// has released it. A second Close does nothing and returns fs.ErrClosed.
func (f *File) Close() error {
	if f.closed.Swap(true) {
		return fmt.Errorf("close segment %s: %w", f.path, fs.ErrClosed)
	}
	return f.Release()
}

// Uints returns a column of numbers. Like the other methods for sections, it checks the
// section on the first call and always returns the same result: the reader or a
// *CorruptError. It returns ErrNoSection if no section has that name and kind, and
// fs.ErrClosed after the last reference is released.
func (f *File) Uints(name string) (*Uints, error) { return open[*Uints](f, name, KindUints) }

// Strings returns a dictionary.
func (f *File) Strings(name string) (*Strings, error) { return open[*Strings](f, name, KindStrings) }

// Lists returns a column of lists.
func (f *File) Lists(name string) (*Lists, error) { return open[*Lists](f, name, KindLists) }

// Sets returns sets of rows.
func (f *File) Sets(name string) (*Sets, error) { return open[*Sets](f, name, KindSets) }

// Blobs returns a column of byte records.
func (f *File) Blobs(name string) (*Blobs, error) { return open[*Blobs](f, name, KindBlobs) }

// Has reports whether there is a section of that name.
func (f *File) Has(name string) bool { return f.sections[name] != nil }

func open[R reader](f *File, name string, kind Kind) (R, error) {
	var none R
	if f.refs.Load() <= 0 {
		return none, fmt.Errorf("segment %s: %w", f.path, fs.ErrClosed)
	}
	s := f.sections[name]
	if s == nil || s.kind != kind {
		return none, fmt.Errorf("segment %s: %s section %q: %w", f.path, kind, name, ErrNoSection)
	}
	s.once.Do(func() {
		s.err = &CorruptError{s.path, s.name, "cannot be read"} // in case a disk error panics
		s.reader, s.err = s.load()
	})
	if s.err != nil {
		return none, s.err
	}
	return s.reader.(R), nil
}

// load checks a section and returns its reader.
func (s *section) load() (reader, error) {
	if crc32.Checksum(s.codec.checksummed(&s.rawSection), castagnoli) != s.crc {
		return nil, &CorruptError{s.path, s.name, "wrong checksum"}
	}
	r, err := s.codec.load(&s.rawSection)
	if err != nil {
		return nil, &CorruptError{s.path, s.name, err.Error()}
	}
	return r, nil
}

// Verify reads and checks every byte of the file, including what was checked before. The
// error joins a *CorruptError for each corrupt section.
func (f *File) Verify() error {
	if f.refs.Load() <= 0 {
		return fmt.Errorf("segment %s: %w", f.path, fs.ErrClosed)
	}
	var errs []error
	if _, err := readFooter(f.path, f.data); err != nil {
		errs = append(errs, err)
	}
	end := uint64(headerSize)
	for _, e := range f.footer.sections {
		errs = append(errs, f.verifyPadding(end, e.offset), f.sections[e.name].verify())
		end = e.offset + e.length
	}
	errs = append(errs, f.verifyPadding(end, align(end)))
	return errors.Join(errs...)
}

func (s *section) verify() error {
	r, err := s.load()
	if err != nil {
		return err
	}
	if err := r.verify(); err != nil {
		return &CorruptError{s.path, s.name, err.Error()}
	}
	return nil
}

// verifyPadding checks that the bytes between two sections are zero.
func (f *File) verifyPadding(from, to uint64) error {
	for _, b := range f.data[from:to] {
		if b != 0 {
			return &CorruptError{f.path, "padding", fmt.Sprintf("bytes %d to %d are not zero", from, to)}
		}
	}
	return nil
}
