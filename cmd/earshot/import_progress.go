package main

import (
	"fmt"
	"io"
	"strings"
)

// A progress shows the progress of an import: as a bar on a terminal, otherwise as a line per
// chunk. It writes to standard error, so standard output contains only results.
type progress struct {
	out io.Writer
	in  *input
	bar bool
}

func (p *program) newProgress(in *input) *progress {
	_, isTerminal := terminal(p.err)
	return &progress{out: p.err, in: in, bar: isTerminal}
}

// step shows the progress after a chunk.
func (g *progress) step(s *summary) {
	if !g.bar {
		fmt.Fprintf(g.out, "%s: %d lines, %d accepted, %d rejected\n", clean(s.File), s.lines, s.Accepted, s.Rejected)
		return
	}
	fmt.Fprintf(g.out, "\r%s %s %d lines\x1b[K", clean(s.File), drawBar(g.in.counter.n, g.in.size), s.lines)
}

// end moves the cursor to a new line.
func (g *progress) end() {
	if g.bar {
		fmt.Fprint(g.out, "\r\x1b[K")
	}
}

// drawBar returns a bar of the bytes read. If the size is unknown, the bar only shows activity.
func drawBar(done, size int64) string {
	const width = 30
	if size <= 0 {
		return "[" + strings.Repeat("~", width) + "]"
	}
	full := int(min(done, size) * width / size)
	return fmt.Sprintf("[%s%s] %3d%%", strings.Repeat("#", full), strings.Repeat(".", width-full), min(done, size)*100/size)
}
