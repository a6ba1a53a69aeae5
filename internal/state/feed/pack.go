package feed

import "earshot"

const (
	maxMessageItems = 100
	maxMessageBytes = 128 << 10 // of posts, before they are compressed
)

// A Tail is what one has to know of the end of a queue to add to it. That of an empty queue
// is the zero Tail.
type Tail struct {
	Complete earshot.Position // everything of the queue up to there is in
	Total    int64            // how many items the queue has had since its numbering began
}

// Tail returns the end of a queue whose last message this is, in the given epoch.
func (h Header) Tail(epoch uint64) Tail {
	t := Tail{Total: h.End()}
	if h.Epoch == epoch {
		t.Complete = h.Complete
	}
	return t
}

// Pack divides the runs of a queue, those that are new, into messages. A message that ends
// in the middle of a run leaves the run incomplete, so that it comes again when the next
// message gets lost.
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

// A QueueRuns is what an Append adds to one queue.
type QueueRuns struct {
	Stream earshot.StreamID
	Runs   []Run
}

// GroupByQueue sorts runs by their queues, which come in the order of their first runs.
func GroupByQueue(runs []Run) []QueueRuns {
	var batches []QueueRuns
	at := map[earshot.StreamID]int{}
	for _, r := range runs {
		i, ok := at[r.Stream]
		if !ok {
			i = len(batches)
			at[r.Stream] = i
			batches = append(batches, QueueRuns{Stream: r.Stream})
		}
		batches[i].Runs = append(batches[i].Runs, r)
	}
	return batches
}
