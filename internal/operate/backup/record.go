package backup

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"earshot"
)

// A file of the catalog, the journal and so on is a sequence of records. A record is a line of
// JSON, followed by data of the length that the line states, and a newline.
type header struct {
	Key        string           `json:"key,omitempty"` // in the catalog, streams and analyses
	Position   earshot.Position `json:"position,omitempty"`
	Time       time.Time        `json:"time,omitzero"`
	ID         string           `json:"id,omitempty"`
	RejectedAt time.Time        `json:"rejectedAt,omitzero"`
	SetAside   time.Time        `json:"setAside,omitzero"` // RejectedAt under its old name, for and from earlier versions
	Reason     string           `json:"reason,omitempty"`
	Size       int              `json:"size"`
}

// Limits for a record. A reader rejects more, so a damaged file cannot exhaust memory. A NATS
// server allows messages of at most 64 MB.
const (
	maxHeaderBytes = 64 << 10
	maxDataBytes   = 64 << 20
)

func appendRecord(b *bytes.Buffer, h header, data []byte) error {
	h.Size, h.SetAside = len(data), h.RejectedAt
	line, err := json.Marshal(h)
	if err != nil {
		return err
	}
	if len(line) >= maxHeaderBytes || len(data) > maxDataBytes {
		return fmt.Errorf("a record with %d + %d bytes is too large for a backup", len(line), len(data))
	}
	b.Write(line)
	b.WriteByte('\n')
	b.Write(data)
	b.WriteByte('\n')
	return nil
}

// A recordReader reads records written by appendRecord.
type recordReader struct{ r *bufio.Reader }

func newRecordReader(r io.Reader) recordReader {
	return recordReader{bufio.NewReaderSize(r, maxHeaderBytes)}
}

// next returns the next record, or io.EOF after the last one. The caller owns data.
func (r recordReader) next() (h header, data []byte, err error) {
	line, err := r.r.ReadSlice('\n')
	switch {
	case err == io.EOF && len(line) == 0:
		return header{}, nil, io.EOF
	case err == io.EOF:
		return header{}, nil, io.ErrUnexpectedEOF
	case err != nil:
		return header{}, nil, err
	}
	if err := json.Unmarshal(line, &h); err != nil {
		return header{}, nil, err
	}
	if h.RejectedAt.IsZero() {
		h.RejectedAt = h.SetAside
	}
	if h.Size < 0 || h.Size > maxDataBytes {
		return header{}, nil, fmt.Errorf("invalid record size %d", h.Size)
	}
	data = make([]byte, h.Size+1)
	if _, err := io.ReadFull(r.r, data); err != nil {
		return header{}, nil, errors.Join(io.ErrUnexpectedEOF, err)
	}
	if data[h.Size] != '\n' {
		return header{}, nil, errors.New("a record does not end with a newline")
	}
	return h, data[:h.Size:h.Size], nil
}
