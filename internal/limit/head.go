package limit

import "sync/atomic"

// A head counts the header fields of a request while it arrives. net/http limits their total size
// but not their number, and parses all of them before a handler runs: a field of three bytes then
// takes fifty times as much memory.
//
// The zero value waits for the first request of a connection.
type head struct {
	done  atomic.Bool // the rest, up to the next request, is not a head
	lines int
	empty bool // the current line is empty so far; not the first one
}

// begin starts to count: a new request may arrive.
func (h *head) begin() {
	h.lines, h.empty = 0, false
	h.done.Store(false)
}

// end stops counting: the server has read the head.
func (h *head) end() { h.done.Store(true) }

// scan counts the lines in what was read and returns false if there are too many.
func (h *head) scan(p []byte) bool {
	if h.done.Load() {
		return true
	}
	for _, c := range p {
		switch {
		case c == '\n' && h.empty:
			h.done.Store(true)
			return true
		case c == '\n':
			if h.lines++; h.lines > MaxFields+1 { // and the request line
				return false
			}
			h.empty = true
		case c != '\r':
			h.empty = false
		}
	}
	return true
}
