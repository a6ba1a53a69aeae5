package natsfile

import (
	"bufio"
	"encoding/binary"
	"errors"
	"hash"
	"os"
	"path/filepath"
	"strconv"
)

// maxBlockBytes is the size at which a new block begins. The server's own blocks have at most 8 MB.
const maxBlockBytes = 4 << 20

// A blockWriter writes records to new blocks of a stream.
type blockWriter struct {
	stream Stream
	number uint64 // of the current block; 0 before the first
	file   *os.File
	buf    *bufio.Writer
	size   int
	hash   hash.Hash64
	record []byte
}

// write appends a record.
func (w *blockWriter) write(sequence uint64, at int64, subject string, header, data []byte) error {
	if w.file == nil || w.size > maxBlockBytes {
		if err := w.next(); err != nil {
			return err
		}
	}
	b := append(w.record[:0], 0, 0, 0, 0)
	b = binary.LittleEndian.AppendUint64(b, sequence)
	b = binary.LittleEndian.AppendUint64(b, uint64(at))
	b = binary.LittleEndian.AppendUint16(b, uint16(len(subject)))
	b = append(b, subject...)
	var flags uint32
	if len(header) > 0 {
		flags = hasHeaders
		b = binary.LittleEndian.AppendUint32(b, uint32(len(header)))
		b = append(b, header...)
	}
	b = append(b, data...)
	w.hash.Reset()
	w.hash.Write(b[4:20])
	w.hash.Write([]byte(subject))
	w.hash.Write(header)
	w.hash.Write(data)
	b = w.hash.Sum(b)
	binary.LittleEndian.PutUint32(b, uint32(len(b))|flags)
	w.record = b
	w.size += len(b)
	_, err := w.buf.Write(b)
	return err
}

// writeLast records that a sequence number was in use, in a block of its own, where the server looks
// for it if the last messages are gone.
func (w *blockWriter) writeLast(sequence uint64, at int64) error {
	if err := w.next(); err != nil {
		return err
	}
	return w.write(sequence|tombstone, at, "", nil, nil)
}

// next starts a new block.
func (w *blockWriter) next() error {
	if err := w.close(); err != nil {
		return err
	}
	w.number++
	f, err := os.OpenFile(filepath.Join(w.stream.dir, blockDir, strconv.FormatUint(w.number, 10)+blockSuffix), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o640)
	if err != nil {
		return err
	}
	w.file, w.buf, w.size, w.hash = f, bufio.NewWriterSize(f, 1<<20), 0, w.stream.blockHash(w.number)
	return nil
}

// close syncs and closes the current block.
func (w *blockWriter) close() error {
	if w.file == nil {
		return nil
	}
	err := errors.Join(w.buf.Flush(), w.file.Sync(), w.file.Close())
	w.file = nil
	return err
}
