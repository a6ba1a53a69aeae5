package local

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"earshot"
	"earshot/internal/poststore/local/segment"
)

// checkRecords decodes every record in the database.
func checkRecords(ctx context.Context, db pebble.Reader) (err error) {
	it, err := db.NewIter(nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	for ok := it.First(); ok; ok = it.Next() {
		if err := ctx.Err(); err != nil {
			return err
		}
		value, err := it.ValueAndErr()
		if err != nil {
			return err
		}
		if err := checkRecord(it.Key(), value); err != nil {
			return fmt.Errorf("record %x: %w", it.Key(), err)
		}
	}
	return it.Error()
}

// checkRecord decodes a record. It accepts the records of earlier versions that are no longer read.
func checkRecord(key, value []byte) error {
	if len(key) == 0 {
		return errors.New("it has no key")
	}
	n, known := numbersInKey[key[0]]
	if known && len(key) < 1+8*n {
		return fmt.Errorf("its key has %d bytes", len(key))
	}
	switch key[0] {
	case recSnapshot:
		if _, err := earshot.ParseDate(string(key[9:])); err != nil {
			return err
		}
		return json.Unmarshal(value, new(snapshotRecord))
	case recSegment:
		return json.Unmarshal(value, new(segmentRecord))
	case recQuarantined:
		return json.Unmarshal(value, new(quarantinedRecord))
	case recState:
		return json.Unmarshal(value, new(stateRecord))
	case recDeletion:
		return json.Unmarshal(value, new(earshot.Deletion))
	case recDeleted, recEverMatched, recOverride:
		_, err := readRows(value)
		return err
	case recOverrideIndex:
		_, err := readIndex(value)
		return err
	case recChangeByTime, recChangeByPosted:
		_, err := decodeChange(value)
		return err
	case recCountersAt, recKey, recGeneration, recSetGen:
		if _, n := binary.Uvarint(value); n <= 0 {
			return errors.New("it is not a number")
		}
		if key[0] == recKey && len(key) != 1+len(segment.Key{}) {
			return fmt.Errorf("its key has %d bytes", len(key))
		}
	}
	return nil
}

// numbersInKey is the number of 8-byte numbers in the key of each kind of record.
var numbersInKey = map[byte]int{
	recSnapshot: 1, recEverMatched: 1, recSegment: 1, recInherited: 1, recOverrideIndex: 1, recDeletion: 1,
	recUnmatched: 2, recOverride: 3, recObsolete: 1, recGeneration: 1, recDeleted: 1, recModified: 1,
	recChangeByTime: 3, recChangeByPosted: 3, recQuarantined: 1, recSetGen: 1,
}
