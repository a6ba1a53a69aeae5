// Package colfile is a write-once file of columns. A Writer streams sections into
// it one after another and commits it whole or not at all; a File reads it from a
// mapping of its pages, without parsing and without allocating for a row.
//
// The idea: a section is checked when it is first used, once for each open file, in one
// pass: its checksum, and that no byte of it can lead a reader astray. What passed
// cannot fail any more, so reading a value has no error to return. Only Blobs, whose
// blocks are checked one by one when they are read, return errors later.
//
// There are five kinds of sections, and the names are the caller's:
//
//	Uints    a number for each row
//	Strings  a sorted dictionary
//	Lists    a list of numbers for each row, in their order
//	Sets     for each key a set of rows: postings, and flags of rows
//	Blobs    a byte record for each row, compressed
//
// The package knows nothing of posts. What the columns mean, which files there are and
// what is deleted is left to the store. docs/segment-format.md has every byte.
//
// A file that is cut short while it is mapped ends the process with SIGBUS, as with any
// mapping; nobody but the owner of the data directory can do that, and the package does
// not guard against it.
package colfile

import (
	"errors"
	"fmt"
)

// Kind is the kind of a section, as it is spelled in the file.
type Kind string

const (
	KindUints   Kind = "uint"
	KindStrings Kind = "strs"
	KindLists   Kind = "list"
	KindSets    Kind = "sets"
	KindBlobs   Kind = "blob"
)

// TempSuffix ends the names of files that are not committed. One that no Writer is
// writing is debris of a crash and may be removed.
const TempSuffix = ".tmp"

var (
	// ErrNoSection is returned for a name that the file does not have, or not as
	// a section of that kind.
	ErrNoSection = errors.New("no such section")

	// ErrVersion is returned for a whole file of another format version.
	ErrVersion = errors.New("another format version")
)

// A CorruptError says that a file is not what was written. The other sections of the
// file may still be good.
type CorruptError struct {
	Path    string
	Section string // or "header", "footer", "padding"
	Reason  string
}

func (e *CorruptError) Error() string {
	return fmt.Sprintf("segment %s is damaged: %s: %s", e.Path, e.Section, e.Reason)
}

// Section describes a section of a file.
type Section struct {
	Name  string
	Kind  Kind
	Bytes int64
	Count int // rows, or strings, or keys
}
