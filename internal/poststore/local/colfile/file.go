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

// A File is a segment that is open for reading. It and everything it returns are safe
// for parallel use, unless said otherwise.
//
// What it returns lies in the mapping of the file and must not be used after the mapping
// is gone: those who use a File while others may close it call Retain before and Release
// afterwards.
type File struct {
	path     string
	data     []byte
	unmap    func() error
	footer   *footer
	sections map[string]*section
	refs     atomic.Int64 // the opener until Close, and those who retained it
	closed   atomic.Bool
}

// A section is loaded when it is first asked for.
type section struct {
	rawSection
	codec  codec
	once   sync.Once
	reader reader
	err    error
}

// Open maps a file and checks its header and its footer, but none of the sections: that
// takes as long for large files as for small ones. The error is a *CorruptError when the
// file is not what a Writer committed.
func Open(path string) (*File, error) {
	data, err := mapFile(path)
	if err != nil {
		return nil, err
	}
	f, err := newFile(path, data, data.Unmap)
	if err != nil {
		data.Unmap()
		return nil, err
	}
	return f, nil
}

func mapFile(path string) (mmap.MMap, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open segment: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("open segment: %w", err)
	}
	if info.Size() < headerSize+trailerSize { // nothing at all cannot be mapped
		return nil, &CorruptError{path, "header", "the file is too short"}
	}
	data, err := mmap.Map(file, mmap.RDONLY, 0)
	if err != nil {
		return nil, fmt.Errorf("open segment %s: map it: %w", path, err)
	}
	return data, nil
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
		form, err := codecFor(e.kind)
		if err != nil {
			return nil, &CorruptError{path, "footer", err.Error()}
		}
		src := rawSection{e, path, foot.rows, data[e.offset : e.offset+e.length]}
		f.sections[e.name] = &section{rawSection: src, codec: form}
	}
	f.refs.Store(1)
	return f, nil
}

// readFooter checks everything but the sections.
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

// Retain keeps the mapping until Release is called. It reports false when the file was
// closed; then it must not be used, and not be released.
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

// Release takes back one Retain. The last one after Close unmaps the file.
func (f *File) Release() error {
	switch n := f.refs.Add(-1); {
	case n == 0:
		return f.unmap()
	case n < 0:
		panic("segment: " + f.path + " was released more often than retained")
	}
	return nil
}

// Close gives the file up: nobody can retain it any more, and when those who did have
// released it, it is unmapped. A second Close does nothing and returns fs.ErrClosed.
func (f *File) Close() error {
	if f.closed.Swap(true) {
		return fmt.Errorf("close segment %s: %w", f.path, fs.ErrClosed)
	}
	return f.Release()
}
