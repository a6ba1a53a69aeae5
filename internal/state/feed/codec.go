package feed

import (
	"encoding/binary"
	"errors"
	"fmt"

	"earshot"
	"earshot/internal/state/compress"
)

// An encoded message consists of a version byte, the numbers of its header as varints, and its
// items, compressed with zstd. The header can be read without the items.
const formatVersion = 1

// maxItems is the maximum number of items that a reader accepts in a message, so a damaged message
// cannot exhaust memory.
const maxItems = 1000

// A Message is a list of consecutive items of a queue that are stored together.
type Message struct {
	Header
	Items []Item
}

// A Header locates a message in its queue.
type Header struct {
	Epoch    uint64           // increases with each new journal; see Feed.Reconcile
	UpTo     earshot.Position // argument of the Append that wrote the message
	Complete earshot.Position // journal position up to which the queue is complete, including this message
	Before   int64            // number of items in the queue before it
	Count    int              // number of items in this message
}

// End returns the number of items in the queue up to and including the message.
func (h Header) End() int64 { return h.Before + int64(h.Count) }

// Encode returns the stored form of m. It fails with a TooLarge error if m is too large.
func Encode(m Message) ([]byte, error) {
	size := 0
	for _, item := range m.Items {
		size += len(item.Post) + 2*binary.MaxVarintLen64
	}
	if size > compress.MaxDecoded || len(m.Items) > maxItems {
		return nil, earshot.Errorf(earshot.TooLarge, "A post is too large for a stream")
	}
	items := make([]byte, 0, size)
	for _, item := range m.Items {
		items = binary.AppendVarint(items, int64(item.Monitor))
		items = binary.AppendUvarint(items, uint64(len(item.Post)))
		items = append(items, item.Post...)
	}
	data := append(make([]byte, 0, 64+len(items)/3), formatVersion)
	for _, n := range []uint64{m.Epoch, uint64(m.UpTo), uint64(m.Complete), uint64(m.Before), uint64(len(m.Items))} {
		data = binary.AppendUvarint(data, n)
	}
	return compress.Append(data, items), nil
}

// DecodeHeader decodes the header of an encoded message.
func DecodeHeader(data []byte) (Header, error) {
	h, _, err := decodeHeader(data)
	return h, err
}

// Decode decodes the result of [Encode]. Its memory use is bounded even for malformed data.
func Decode(data []byte) (Message, error) {
	h, rest, err := decodeHeader(data)
	if err != nil {
		return Message{}, err
	}
	items, err := compress.Decode(rest)
	if err != nil {
		return Message{}, fmt.Errorf("decode stream message: %w", err)
	}
	m := Message{Header: h, Items: make([]Item, h.Count)}
	r := reader{data: string(items)} // the posts are substrings
	for i := range m.Items {
		m.Items[i] = r.item()
	}
	if r.invalid || r.data != "" {
		return Message{}, errDamaged
	}
	return m, nil
}

var errDamaged = errors.New("decode stream message: it is damaged")

func decodeHeader(data []byte) (h Header, rest []byte, err error) {
	if len(data) == 0 {
		return h, nil, errDamaged
	}
	if data[0] != formatVersion {
		return h, nil, fmt.Errorf("decode stream message: unknown format version %d", data[0])
	}
	var n [5]uint64
	rest = data[1:]
	for i := range n {
		var length int
		if n[i], length = binary.Uvarint(rest); length <= 0 {
			return h, nil, errDamaged
		}
		rest = rest[length:]
	}
	if n[3] > 1<<62 || n[4] > maxItems {
		return h, nil, errDamaged
	}
	return Header{n[0], earshot.Position(n[1]), earshot.Position(n[2]), int64(n[3]), int(n[4])}, rest, nil
}

// A reader consumes items from the front of data. Errors are sticky.
type reader struct {
	data    string
	invalid bool
}

func (r *reader) item() Item {
	n := r.number()
	size := r.number()
	if r.invalid || size > uint64(len(r.data)) {
		r.invalid = true
		return Item{}
	}
	post := r.data[:size]
	r.data = r.data[size:]
	return Item{Monitor: earshot.MonitorID(n>>1) ^ -earshot.MonitorID(n&1), Post: post}
}

func (r *reader) number() (n uint64) {
	for i := range min(len(r.data), binary.MaxVarintLen64) {
		b := r.data[i]
		n |= uint64(b&0x7f) << (7 * i)
		if b < 0x80 {
			r.data = r.data[i+1:]
			return n
		}
	}
	r.invalid = true
	return 0
}
