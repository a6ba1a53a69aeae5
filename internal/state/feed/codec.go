package feed

import (
	"encoding/binary"
	"errors"
	"fmt"

	"earshot"
	"earshot/internal/state/compress"
)

// An encoded message is a version byte, the numbers of its head, and its items, compressed
// with zstd. Numbers are varints, so that the head is read without the items.
const formatVersion = 1

// maxItems is the most items that a reader accepts in a message, so that a damaged one cannot
// exhaust memory.
const maxItems = 1000

// A Message is a piece of a queue as it is stored.
type Message struct {
	Header
	Items []Item
}

// A Header tells where a message is in its queue.
type Header struct {
	Epoch    uint64           // counts the journals that there were, see Begin
	UpTo     earshot.Position // of the Append that it came with
	Complete earshot.Position // everything of the queue up to there is in this message or before it
	Before   int64            // how many items the queue had before it
	Count    int              // how many it has itself
}

// End returns how many items the queue has with the message.
func (h Header) End() int64 { return h.Before + int64(h.Count) }

// Encode returns the durable form of m. It fails with a TooLarge error when there is too
// much in it.
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

// DecodeHeader reads the head of what Encode wrote.
func DecodeHeader(data []byte) (Header, error) {
	h, _, err := decodeHeader(data)
	return h, err
}

// Decode reads what Encode wrote. It uses no more than a fixed amount of memory whatever
// data is.
func Decode(data []byte) (Message, error) {
	h, rest, err := decodeHeader(data)
	if err != nil {
		return Message{}, err
	}
	items, err := compress.Decode(rest)
	if err != nil {
		return Message{}, fmt.Errorf("decode a message of a stream: %w", err)
	}
	m := Message{Header: h, Items: make([]Item, h.Count)}
	r := reader{data: string(items)} // the posts are parts of it
	for i := range m.Items {
		m.Items[i] = r.item()
	}
	if r.invalid || r.data != "" {
		return Message{}, errDamaged
	}
	return m, nil
}

var errDamaged = errors.New("decode a message of a stream: it is damaged")

func decodeHeader(data []byte) (h Header, rest []byte, err error) {
	if len(data) == 0 {
		return h, nil, errDamaged
	}
	if data[0] != formatVersion {
		return h, nil, fmt.Errorf("decode a message of a stream: unknown format version %d", data[0])
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

// A reader takes items from the beginning of data. When that fails it is bad for good.
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
