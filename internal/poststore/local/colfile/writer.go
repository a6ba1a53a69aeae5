package colfile

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"maps"
)

// Options say what a file is about to hold.
type Options struct {
	// Rows is the number of rows of every section that has one thing for each row.
	Rows int

	// Meta is kept with the file, for the caller alone.
	Meta map[string]string

	// BlockSize is how many bytes of Blobs are compressed together. 0 is 64 KiB.
	// Smaller blocks are quicker to read at random, larger ones take less space: a
	// tweet takes 97 bytes and 96 µs with 64 KiB, 105 bytes and 30 µs with 16 KiB.
	BlockSize int

	// Compression is of Blobs.
	Compression Compression
}

// A Writer writes one file, a section at a time, in the order of the calls. It keeps
// little of a section in memory. It is for one goroutine.
//
// Sequences that are given to it may be ranged over twice and must yield the same both
// times. After an error every call returns that error, and Close commits nothing.
type Writer struct {
	path        string
	disk        disk
	file        diskFile
	sink        sink
	offset      uint64 // bytes of the file so far
	footer      footer
	names       map[string]bool
	blockSize   int
	compression Compression
	err         error
	done        bool
}

// errDone is returned when a Writer is used after Close or Abort.
var errDone = errors.New("the writer was closed or aborted")

// Create begins a file. It has a temporary name, path with TempSuffix, until Close; what
// a crash left under that name is overwritten. A file that exists at path is an error: a
// segment is written once.
func Create(path string, opts Options) (*Writer, error) {
	return create(osDisk{}, path, opts)
}

func create(disk disk, path string, opts Options) (*Writer, error) {
	fail := func(err error) (*Writer, error) { return nil, fmt.Errorf("create segment %s: %w", path, err) }
	if opts.Rows < 0 || uint64(opts.Rows) > maxRows {
		return fail(fmt.Errorf("%d rows: must be 0 to %d", opts.Rows, uint64(maxRows)))
	}
	if opts.BlockSize < 0 || opts.BlockSize > maxBlockSize {
		return fail(fmt.Errorf("block size %d: must be 0 to %d", opts.BlockSize, maxBlockSize))
	}
	switch there, err := disk.exists(path); {
	case err != nil:
		return fail(err)
	case there:
		return fail(fs.ErrExist)
	}
	file, err := disk.create(path + TempSuffix)
	if err != nil {
		return fail(err)
	}
	w := &Writer{
		path:        path,
		disk:        disk,
		file:        file,
		sink:        newSink(file),
		footer:      footer{rows: uint64(opts.Rows), meta: maps.Clone(opts.Meta)},
		names:       map[string]bool{},
		blockSize:   opts.BlockSize,
		compression: opts.Compression,
	}
	if w.blockSize == 0 {
		w.blockSize = defaultBlockSize
	}
	w.sink.Write(header())
	w.offset = headerSize
	return w, nil
}

func header() []byte {
	b := le.AppendUint32([]byte(magic), version)
	return append(b, 0, 0, 0, 0)
}

// section writes a section. body writes the bytes and fills in count and params.
func (w *Writer) section(name string, kind Kind, body func(e *entry, s *sink) error) error {
	if err := w.check(); err != nil {
		return err
	}
	if name == "" || len(name) > 255 || w.names[name] {
		return w.fail(name, errors.New("a name must be unique and 1 to 255 bytes long"))
	}
	w.names[name] = true
	w.pad()
	w.sink.begin()
	e := entry{name: name, kind: kind, offset: w.offset}
	if err := body(&e, &w.sink); err != nil {
		return w.fail(name, err)
	}
	if w.sink.err != nil {
		return w.fail(name, w.sink.err)
	}
	e.length, e.crc = w.sink.n, w.sink.checksum()
	w.offset += e.length
	w.footer.sections = append(w.footer.sections, e)
	return nil
}

// pad pads the file to where a section or the footer may begin.
func (w *Writer) pad() {
	var zeros [8]byte
	w.sink.Write(zeros[:align(w.offset)-w.offset])
	w.offset = align(w.offset)
}

func (w *Writer) check() error {
	if w.done && w.err == nil {
		return w.wrap(errDone)
	}
	return w.err
}

// fail remembers the first error of a section.
func (w *Writer) fail(name string, err error) error {
	w.err = w.wrap(fmt.Errorf("section %q: %w", name, err))
	return w.err
}

func (w *Writer) wrap(err error) error { return fmt.Errorf("write segment %s: %w", w.path, err) }

// Close commits the file: when it returns nil, the file is there under its name, whole
// and on disk. Otherwise there is no such file, and the temporary
// one is removed if that is possible.
func (w *Writer) Close() error {
	if err := w.check(); err != nil {
		w.Abort()
		return err
	}
	if err := w.commit(); err != nil {
		w.err = w.wrap(err)
		w.Abort()
		return w.err
	}
	w.done = true
	w.sink.close()
	return nil
}

func (w *Writer) commit() error {
	if err := w.finish(); err != nil {
		return err
	}
	err := w.file.Close()
	w.file = nil
	if err != nil {
		return err
	}
	if err := w.disk.rename(w.path+TempSuffix, w.path); err != nil {
		return err
	}
	if err := w.disk.syncDir(w.path); err != nil {
		w.disk.remove(w.path) // it would be there now and gone after a crash
		return err
	}
	return nil
}

// finish writes what follows the sections.
func (w *Writer) finish() error {
	w.pad()
	foot := w.footer.encode()
	if len(foot) > maxFooter {
		return fmt.Errorf("%d bytes of metadata and section names are too many", len(foot))
	}
	w.sink.Write(foot)
	trailer := le.AppendUint32(nil, uint32(len(foot)))
	trailer = le.AppendUint32(trailer, crc32.Checksum(foot, castagnoli))
	w.sink.Write(append(trailer, magic...))
	if err := w.sink.flush(); err != nil {
		return err
	}
	return w.file.Sync()
}

// Abort gives the file up and removes it. After Close it does nothing, so it can be
// deferred.
func (w *Writer) Abort() {
	if w.done {
		return
	}
	w.done = true
	w.sink.close()
	if w.file != nil {
		w.file.Close()
	}
	w.disk.remove(w.path + TempSuffix)
}
