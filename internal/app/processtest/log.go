package processtest

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A Log receives the log of a process.
type Log struct {
	ready chan string // receives the address once the service is ready

	mu     sync.Mutex
	lines  []string // guarded by mu; without those about requests
	broken []byte   // guarded by mu; incomplete last line
	errors []string // guarded by mu
}

func newLog() *Log { return &Log{ready: make(chan string, 1)} }

// shownLines is how many lines String returns at most.
const shownLines = 200

var readyLine = regexp.MustCompile(`msg=ready address=(\S+)`)

// Write implements io.Writer.
func (l *Log) Write(data []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.broken = append(l.broken, data...)
	for {
		line, rest, whole := bytes.Cut(l.broken, []byte("\n"))
		if !whole {
			return len(data), nil
		}
		l.add(string(line))
		l.broken = bytes.Clone(rest)
	}
}

// add adds a line. l.mu must be held.
func (l *Log) add(line string) {
	if strings.Contains(line, "msg=request ") {
		return
	}
	l.lines = append(l.lines, line)
	if strings.Contains(line, "level=ERROR") {
		l.errors = append(l.errors, line)
	}
	if found := readyLine.FindStringSubmatch(line); found != nil {
		select {
		case l.ready <- found[1]:
		default: // a node of a cluster that joins again is ready again
		}
	}
}

// Errors returns the lines that report a failure.
func (l *Log) Errors() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string{}, l.errors...)
}

// Lines returns all lines, without those about requests.
func (l *Log) Lines() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.lines)
}

// String returns the last lines.
func (l *Log) String() string {
	lines := l.Lines()
	return strings.Join(lines[max(0, len(lines)-shownLines):], "\n")
}
