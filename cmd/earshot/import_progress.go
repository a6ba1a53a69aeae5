package main

import (
	"fmt"
	"io"
	"strings"
)

// A progress tells how an import gets on: a bar on a terminal, a line after each
// chunk elsewhere. It writes to standard error, so that what the command prints
// stays clean.
type progress struct {
	out io.Writer
	in  *input
	bar bool
}

func (p *program) newProgress(in *input) *progress {
	_, isTerminal := terminal(p.err)
	return &progress{out: p.err, in: in, bar: isTerminal}
}

// step shows what is done after a chunk.
func (g *progress) step(s *summary) {
	if !g.bar {
		fmt.Fprintf(g.out, "%s: %d lines, %d accepted, %d rejected\n", clean(s.File), s.lines, s.Accepted, s.Rejected)
		return
	}
	fmt.Fprintf(g.out, "\r%s %s %d lines\x1b[K", clean(s.File), drawBar(g.in.counter.n, g.in.size), s.lines)
}

// end leaves the cursor on a fresh line.
func (g *progress) end() {
	if g.bar {
		fmt.Fprint(g.out, "\r\x1b[K")
	}
}

// drawBar shows how much of a file is read; of one without a known size, only
// that something is.
func drawBar(done, size int64) string {
	const width = 30
	if size <= 0 {
		return "[" + strings.Repeat("~", width) + "]"
	}
	full := int(min(done, size) * width / size)
	return fmt.Sprintf("[%s%s] %3d%%", strings.Repeat("#", full), strings.Repeat(".", width-full), min(done, size)*100/size)
}
