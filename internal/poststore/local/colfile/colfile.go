// Package colfile is a write-once file of columns. A [Writer] streams sections into it one
// after another and commits the complete file or nothing; a [File] reads it through a memory
// mapping, without parsing and without allocating per row.
//
//	offset 0   ┌──────────────────────────────────────┐
//	           │ header   magic, format version       │
//	           ├──────────────────────────────────────┤ ┐
//	           │ "time"      uint  ▪▪▪▪▪▪▪▪           │ │
//	           ├──────────────────────────────────────┤ │ sections, each aligned to
//	           │ "terms"     strs  coffee co+ld tea … │ │ 8 bytes, named by the caller
//	           ├──────────────────────────────────────┤ │
//	           │ "postings"  sets  {0} {0} {1,2} …    │ │
//	           ├──────────────────────────────────────┤ ┘
//	           │ footer   rows, metadata, and for     │
//	           │          each section: name, kind,   │
//	           │          offset, length, checksum    │
//	           ├──────────────────────────────────────┤
//	           │ trailer  footer length, CRC, magic   │
//	           └──────────────────────────────────────┘
//
// A section has one of five kinds:
//
//	Uints    a number per row, as wide as the largest needs  uints.go
//	Strings  a sorted dictionary, prefix-compressed          strings.go
//	Lists    a list of numbers per row, in order             lists*.go
//	Sets     a set of rows per key: posting lists, flags     sets*.go, bitmap.go
//	Blobs    a byte record per row, compressed in blocks     blobs*.go
//
// The one idea: a section is checked once per open file, when it is first used, in a single
// pass over its bytes: its checksum, and that no byte of it can lead a reader astray. After
// that, reading a value cannot fail and returns no error. Only [Blobs] return errors later,
// because each of their blocks is checked when it is read.
//
// The package knows nothing about posts. What the columns mean is up to package segment;
// which files exist and which rows are deleted is up to the store. docs/segment-format.md
// describes every byte.
//
// Truncating a file while it is mapped ends the process with SIGBUS, as with any mapping. Only
// the owner of the data directory can do that, so the package does not guard against it.
package colfile

import (
	"errors"
	"fmt"
)

// Kind is the kind of a section, as spelled in the file.
type Kind string

const (
	KindUints   Kind = "uint"
	KindStrings Kind = "strs"
	KindLists   Kind = "list"
	KindSets    Kind = "sets"
	KindBlobs   Kind = "blob"
)

// TempSuffix ends the names of uncommitted files. One that no [Writer] is writing is left over
// from a crash and may be removed.
const TempSuffix = ".tmp"

var (
	// ErrNoSection is returned when the file has no section of that name and kind.
	ErrNoSection = errors.New("no such section")

	// ErrVersion is returned for an intact file of another format version.
	ErrVersion = errors.New("another format version")
)

// A CorruptError reports that a file differs from what was written. Its other sections may
// still be good.
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
