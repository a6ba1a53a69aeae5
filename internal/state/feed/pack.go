package feed

import (
	"slices"

	"earshot"
)

const (
	maxMessageItems = 100
	maxMessageBytes = 128 << 10 // of posts, before compression
)

// A Tail is the state of the end of a queue that is needed to append to it. The zero Tail is that
// of an empty queue.
type Tail struct {
	Complete earshot.Position // journal position up to which the queue is complete
	Total    int64            // items that the queue has had since its numbering began
}

// Tail returns the tail of a queue whose last message has this header, in the given epoch.
func (h Header) Tail(epoch uint64) Tail {
	t := Tail{Total: h.End()}
	if h.Epoch == epoch {
		t.Complete = h.Complete
	}
	return t
}

// Pack divides the new runs of a queue into messages. A message that ends in the middle of a run
// leaves the run incomplete, so that it is replayed if the next message gets lost.
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

// SkipItems returns the runs that follow a tail without their first n items. An attempt to append
// them whose response was lost has stored those items already.
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

// GroupByQueue groups runs by their queues, in the order of their first runs.
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
