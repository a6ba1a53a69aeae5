// Package zdict contains the zstd dictionary of Jetstream's first protocol. Events are small and
// similar, so with a dictionary trained on events they compress to less than half their size.
package zdict

import (
	_ "embed"
	"encoding/binary"
)

// ID is the ID of the dictionary, which is also in each compressed event.
const ID = 1612007021

// Dictionary is the dictionary. It must not be changed.
//
//go:embed jetstream.zdict
var Dictionary []byte

// magic starts a zstd dictionary. The ID of the dictionary follows.
const magic = 0xEC30A437

// IDOf returns the ID of a zstd dictionary, or false if b is not one.
func IDOf(b []byte) (id uint32, ok bool) {
	if len(b) < 8 || binary.LittleEndian.Uint32(b) != magic {
		return 0, false
	}
	id = binary.LittleEndian.Uint32(b[4:])
	return id, id != 0
}
