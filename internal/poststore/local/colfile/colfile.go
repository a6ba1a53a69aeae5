// Package colfile implements a write-once file of columns. A [Writer] streams sections into a file,
// one after another, and commits either the complete file or nothing. A [File] reads the file
// through a memory mapping, without parsing it and without allocating per row.
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
// A section is one of five kinds:
//
//	Uints    a number per row, as wide as the largest one    uints.go
//	Strings  a sorted dictionary, prefix-compressed          strings.go
//	Lists    a list of numbers per row, in order             lists*.go
//	Sets     a set of rows per key: posting lists, flags     sets*.go, bitmap.go
//	Blobs    a byte record per row, compressed in blocks     blobs*.go
//
// The central idea is that a section is checked once per open file. On first use, a single pass
// over its bytes verifies the checksum and the encoding, so that no byte can mislead a reader.
// After that, reading a value cannot fail and returns no error. The exception is [Blobs], whose
// blocks are checked when they are read.
//
// The package knows nothing about posts. Package segment defines the meaning of the columns, and
// the store tracks which files exist and which rows are deleted. docs/segment-format.md describes
// every byte.
//
// Truncating a mapped file kills the process with SIGBUS, as with any memory mapping. Only the
// owner of the data directory can do that, so the package does not guard against it.
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

// TempSuffix is the suffix of uncommitted files. A file with this suffix that no [Writer] is
// writing is left over from a crash and can be removed.
const TempSuffix = ".tmp"

var (
	// ErrNoSection is returned if the file has no section with the requested name and kind.
	ErrNoSection = errors.New("no such section")

	// ErrVersion is returned for an intact file with a different format version.
	ErrVersion = errors.New("unsupported format version")
)

// A CorruptError reports that a file differs from what was written. Its other sections may still be
// intact.
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
	Count int // number of rows, strings or keys
}
