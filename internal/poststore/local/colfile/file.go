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

// A File is a column file that is open for reading. It is safe for concurrent use, and so is
// everything it returns unless stated otherwise.
//
// The values it returns refer to the mapped memory and must not be used after the file is unmapped.
// Code that uses a File while others may close it must call [File.Retain] first and [File.Release]
// afterward.
type File struct {
	path     string
	data     []byte
	unmap    func() error
	footer   *footer
	checksum uint32 // of the footer; the mapped one may become unreadable
	sections map[string]*section
	refs     atomic.Int64 // one until Close, plus one per Retain
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

// Open maps a file and checks its header and footer, but not its sections, so the time does not
// depend on the size of the file. If the file is not what a [Writer] committed, it returns a
// *CorruptError.
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
		return nil, &CorruptError{path, "header", "file is too short"}
	}
	data, err := mmap.Map(file, mmap.RDONLY, 0)
	if err != nil {
		return nil, fmt.Errorf("open segment %s: map file: %w", path, err)
	}
	f, err := newFile(path, data, data.Unmap)
	if err != nil {
		data.Unmap()
		return nil, err
	}
	return f, nil
}

// newFile reads a file that is in memory.
func newFile(path string, data []byte, unmap func() error) (*File, error) {
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		return nil, errors.New("segments can only be read on little-endian machines")
	}
	foot, err := readFooter(path, data)
	if err != nil {
		return nil, err
	}
	f := &File{path: path, data: data, unmap: unmap, footer: foot, sections: map[string]*section{}}
	f.checksum = le.Uint32(data[len(data)-trailerSize+4:])
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
		return nil, &CorruptError{path, "header", "file is too short"}
	}
	head, trailer := data[:headerSize], data[size-trailerSize:]
	if string(head[:8]) != magic || le.Uint32(head[12:]) != 0 {
		return nil, &CorruptError{path, "header", "not a segment file"}
	}
	length := uint64(le.Uint32(trailer))
	if string(trailer[8:]) != magic || length > maxFooter || length > size-headerSize-trailerSize || length < 4 {
		return nil, &CorruptError{path, "footer", "trailer is missing or malformed"}
	}
	end := size - trailerSize - length
	foot := data[end : end+length]
	if crc32.Checksum(foot, castagnoli) != le.Uint32(trailer[4:]) {
		return nil, &CorruptError{path, "footer", "checksum mismatch"}
	}
	if v := le.Uint32(foot); v != le.Uint32(head[8:]) {
		return nil, &CorruptError{path, "header", "version differs from the one in the footer"}
	} else if v != version {
		return nil, fmt.Errorf("open segment %s: got format version %d, want %d: %w", path, v, version, ErrVersion)
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

// Path returns the path that the file was opened with.
func (f *File) Path() string { return f.path }

// Rows returns the number of rows.
func (f *File) Rows() int { return int(f.footer.rows) }

// Size returns the size of the file in bytes.
func (f *File) Size() int64 { return int64(len(f.data)) }

// Checksum returns the checksum of the footer, which contains the checksums of all sections. It
// identifies the file.
func (f *File) Checksum() uint32 { return f.checksum }

// Meta returns a copy of the metadata passed to [Create].
func (f *File) Meta() map[string]string { return maps.Clone(f.footer.meta) }

// Sections lists the sections in the order in which they were written.
func (f *File) Sections() []Section {
	list := make([]Section, 0, len(f.footer.sections))
	for _, e := range f.footer.sections {
		list = append(list, Section{e.name, e.kind, int64(e.length), int(e.count)})
	}
	return list
}

// Retain prevents the file from being unmapped until Release is called. It returns false if the
// file is closed, in which case the caller must neither use nor release it.
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

// Release undoes one Retain. The last Release after Close unmaps the file.
func (f *File) Release() error {
	switch n := f.refs.Add(-1); {
	case n == 0:
		return f.unmap()
	case n < 0:
		panic("colfile: " + f.path + " was released more often than retained")
	}
	return nil
}

// Close makes further calls to Retain fail and unmaps the file once all users have released it. A
// second Close has no effect and returns [fs.ErrClosed].
func (f *File) Close() error {
	if f.closed.Swap(true) {
		return fmt.Errorf("close segment %s: %w", f.path, fs.ErrClosed)
	}
	return f.Release()
}

// Uints returns a column of numbers. Like the other methods for sections, it checks the section on
// the first call and then always returns the same result: a reader or a *CorruptError. It returns
// ErrNoSection if no section has that name and kind, and [fs.ErrClosed] after the last reference is
// released.
func (f *File) Uints(name string) (*Uints, error) { return open[*Uints](f, name, KindUints) }

// Strings returns a dictionary.
func (f *File) Strings(name string) (*Strings, error) { return open[*Strings](f, name, KindStrings) }

// Lists returns a column of lists.
func (f *File) Lists(name string) (*Lists, error) { return open[*Lists](f, name, KindLists) }

// Sets returns sets of rows.
func (f *File) Sets(name string) (*Sets, error) { return open[*Sets](f, name, KindSets) }

// Blobs returns a column of byte records.
func (f *File) Blobs(name string) (*Blobs, error) { return open[*Blobs](f, name, KindBlobs) }

// Has reports whether the file has a section with the given name.
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
		s.err = &CorruptError{s.path, s.name, "cannot be read"} // in case load panics because of a disk error
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
		return nil, &CorruptError{s.path, s.name, "checksum mismatch"}
	}
	r, err := s.codec.load(&s.rawSection)
	if err != nil {
		return nil, &CorruptError{s.path, s.name, err.Error()}
	}
	return r, nil
}

// Verify reads and checks every byte of the file, including sections that were checked before. The
// error joins one *CorruptError per corrupt section.
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
