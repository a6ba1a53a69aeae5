package mastodon

import (
	"earshot/internal/test/testenv"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func scan(text string) (got []string) {
	for _, r := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text))} {
		got = nil
		s := newScanner(r, func() {})
		for {
			m, err := s.next()
			if err != nil {
				break
			}
			if m.large {
				m.data = []byte("too large")
			}
			got = append(got, fmt.Sprintf("%s=%s", m.name, m.data))
		}
	}
	return got
}

func TestScanner(t *testing.T) {
	f := func(text string, want ...string) {
		t.Helper()
		if got := scan(text); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%.100q: got %.200q, want %q", text, got, want)
		}
	}
	f("")
	f(":)\n:thump\n\n:thump\n")
	f("event: update\ndata: {}\n\n", "update={}")
	f("event:update\r\ndata:{}\r\n\r\nevent: delete\r\ndata: 5\r\n\r\n", "update={}", "delete=5")
	f("event: update\n:thump\ndata: a\ndata:  b\ndata\nid: 7\nretry: 5\nother: x\n\n", "update=a\n b\n")
	f("data: 5\n\n", "=5")
	f("event: update\n\n", "update=")
	f("event: update\ndata: {", []string{}...)      // incomplete
	f("event: update\ndata: {}\n", []string{}...)   // incomplete
	f("event: a\nevent: b\ndata: x\n\n\n\n", "b=x") // the last name counts
	long := strings.Repeat("x", maxEvent)
	f("event: update\ndata: "+long+"\n\nevent: delete\ndata: 5\n\n", "update=too large", "delete=5")
	f("event: update\ndata: "+long[:maxEvent-1]+"\n\nevent: delete\ndata: 5\n\n", "update="+long[:maxEvent-1], "delete=5")
	f("event: update\n"+strings.Repeat("data: "+long[:maxEvent/4]+"\n", 5)+"\nevent: delete\ndata: 5\n\n", "update=too large", "delete=5")
	f(strings.Repeat("y", 10*maxEvent)+"\n\nevent: delete\ndata: 5\n\n", "=too large", "delete=5")
}

// TestScannerMemory checks that a line without an end needs no memory.
func TestScannerMemory(t *testing.T) {
	testenv.SkipUnderRace(t)
	s := newScanner(io.LimitReader(endless{}, 1<<30), func() {})
	if n := testing.AllocsPerRun(1, func() { _, _ = s.next() }); n > 50 {
		t.Errorf("reading a line of 512 MB took %v allocations", n)
	}
}

type endless struct{}

func (endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'x'
	}
	return len(b), nil
}

func FuzzScanner(f *testing.F) {
	f.Add(string(readRecording(f, "public-stream.sse")[:3000]) + "\n\n:thump\n\n")
	f.Add("event: update\r\ndata: {}\ndata: {}\n\nevent: delete\ndata: 5\n\n")
	f.Fuzz(func(t *testing.T, text string) {
		s := newScanner(strings.NewReader(text), func() {})
		r := &reader{}
		var bytes int64
		for {
			m, err := s.next()
			if err != nil {
				break
			}
			if bytes += m.bytes; len(m.data) > maxEvent || strings.Contains(m.name, "\n") {
				t.Errorf("got a message of %d bytes with the name %q", len(m.data), m.name)
			}
			if c := r.change(event{message: m}); c.kind != skipped && !validID(c.id) {
				t.Errorf("got a change of %q", c.id)
			}
		}
		if bytes > int64(len(text)) {
			t.Errorf("counted %d of %d bytes", bytes, len(text))
		}
	})
}
