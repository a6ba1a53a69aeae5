package colfile

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
)

// Uints returns a column of numbers. Like the other methods for sections, it checks the
// section at the first call and then always returns the same: the reader, or a
// *CorruptError. It returns ErrNoSection when there is none of that name and kind, and
// fs.ErrClosed after the last reference was given back.
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
		s.err = &CorruptError{s.path, s.name, "cannot be read"} // should the disk fail on the way
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

// Verify reads the whole file and checks every byte of it, whatever was checked before.
// The error joins a *CorruptError for each section that is damaged.
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

// verifyPadding checks that nothing stands between two sections.
func (f *File) verifyPadding(from, to uint64) error {
	for _, b := range f.data[from:to] {
		if b != 0 {
			return &CorruptError{f.path, "padding", fmt.Sprintf("bytes %d to %d are not zero", from, to)}
		}
	}
	return nil
}
