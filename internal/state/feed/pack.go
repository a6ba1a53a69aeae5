package feed

import (
	"slices"

	"earshot"
)

const (
	maxMessageItems = 100
	maxMessageBytes = 128 << 10 // total size of posts before compression
)

// A Tail describes the end of a queue, as needed to append to it. The zero Tail is that of an empty
// queue.
type Tail struct {
	Complete earshot.Position // journal position up to which the queue is complete
	Total    int64            // number of items since the numbering of the queue started
}

// Tail returns the tail of a queue whose last message has this header, in the given epoch.
func (h Header) Tail(epoch uint64) Tail {
	t := Tail{Total: h.End()}
	if h.Epoch == epoch {
		t.Complete = h.Complete
	}
	return t
}

// Pack divides the new runs of a queue into messages. If a message ends in the middle of a run, the
// run counts as incomplete and is replayed if the next message is lost.
func (t Tail) Pack(epoch uint64, upTo earshot.Position, runs []Run) []Message {
	p := packer{tail: t, epoch: epoch, upTo: upTo}
	for _, r := range runs {
		if r.Position <= p.tail.Complete {
			continue
		}
		for _, item := range r.Items {
			p.add(item)
		}
		if !r.More {
			p.tail.Complete = r.Position
		}
	}
	p.flush()
	return p.messages
}

// SkipItems returns the runs after a tail without their first n items, which an earlier attempt has
// stored although its response was lost.
func (t Tail) SkipItems(runs []Run, n int64) []Run {
	if n == 0 {
		return runs
	}
	left := slices.Clone(runs)
	for i := range left {
		if left[i].Position > t.Complete {
			skip := min(n, int64(len(left[i].Items)))
			left[i].Items = left[i].Items[skip:]
			n -= skip
		}
	}
	return left
}

// A packer collects messages.
type packer struct {
	tail     Tail
	epoch    uint64
	upTo     earshot.Position
	items    []Item
	bytes    int
	messages []Message
}

func (p *packer) add(item Item) {
	if len(p.items) == maxMessageItems || len(p.items) > 0 && p.bytes+len(item.Post) > maxMessageBytes {
		p.flush()
	}
	p.items = append(p.items, item)
	p.bytes += len(item.Post)
}

func (p *packer) flush() {
	if len(p.items) == 0 {
		return
	}
	h := Header{Epoch: p.epoch, UpTo: p.upTo, Complete: p.tail.Complete, Before: p.tail.Total, Count: len(p.items)}
	p.messages = append(p.messages, Message{h, p.items})
	p.tail.Total += int64(len(p.items))
	p.items, p.bytes = nil, 0
}

// QueueRuns are the runs that an Append adds to one queue.
type QueueRuns struct {
	Stream earshot.StreamID
	Runs   []Run
}

// GroupByQueue groups runs by queue, in the order in which queues first appear.
func GroupByQueue(runs []Run) []QueueRuns {
	var groups []QueueRuns
	index := map[earshot.StreamID]int{}
	for _, r := range runs {
		i, ok := index[r.Stream]
		if !ok {
			i = len(groups)
			index[r.Stream] = i
			groups = append(groups, QueueRuns{Stream: r.Stream})
		}
		groups[i].Runs = append(groups[i].Runs, r)
	}
	return groups
}
