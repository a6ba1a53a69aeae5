package enrich

import (
	"hash/crc32"

	"earshot"
)

// Second looks: a slower network reads some posts again after they are stored, and its result replaces
// their sentiment and emotion. InferredBy of such a post is that of its models plus 1, so Version is
// odd.

// TextHash returns a hash of the text of a post that models read.
func TextHash(p *earshot.Post) uint32 {
	return crc32.Checksum([]byte(postText(p)), crc32.MakeTable(crc32.Castagnoli))
}

// Looked returns the InferredBy value, after a second look, of a post that models processed.
func Looked(models uint32) uint32 { return models + 1 }

// IsLooked reports whether an InferredBy value is that of a post after a second look. Before version 7,
// there were none, and versions were even, too.
func IsLooked(models uint32) bool {
	version := uint16(models)
	return version > 7 && version%2 == 0
}
