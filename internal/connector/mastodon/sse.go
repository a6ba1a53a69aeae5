package mastodon

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// maxEvent limits the data of an event. Statuses have 5 KB on average, and 50 KB with many mentions.
const maxEvent = 256 << 10

// A message is a server-sent event:
//
//	event: update
//	data: {"id":"108914354907984653",…}
//
// Messages are separated by empty lines. Lines that start with a colon are heartbeats.
type message struct {
	name  string
	data  []byte
	bytes int64 // received since the previous message
	large bool  // the data was too large, and is missing
}

// A scanner reads messages. It needs memory for one of them.
type scanner struct {
	r     *bufio.Reader
	alive func() // called for every line
}

func newScanner(r io.Reader, alive func()) *scanner {
	return &scanner{bufio.NewReaderSize(r, 16<<10), alive}
}

// next returns the next message that has a name or data. An incomplete message at the end is
// dropped.
func (s *scanner) next() (m message, err error) {
	for {
		line, n, err := s.line()
		m.bytes += n
		if err != nil {
			return message{}, err
		}
		s.alive()
		if line == nil {
			m.large = true
			continue
		}
		if len(line) == 0 {
			if m.name == "" && m.data == nil && !m.large {
				continue
			}
			if m.large {
				m.data = nil
			}
			return m, nil
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(name) {
		case "event":
			m.name = string(value)
		case "data":
			if m.large = m.large || len(m.data)+len(value)+1 > maxEvent; m.large {
				m.data = nil
				continue
			}
			if m.data != nil {
				m.data = append(m.data, '\n')
			}
			m.data = append(m.data, value...)
			if m.data == nil {
				m.data = []byte{}
			}
		}
	}
}

// line returns the next line without its end, and how many bytes were read. A line that is too long
// is nil.
func (s *scanner) line() (line []byte, n int64, err error) {
	line = []byte{}
	for {
		part, err := s.r.ReadSlice('\n')
		n += int64(len(part))
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return nil, n, err
		}
		if line != nil && len(line)+len(part) <= maxEvent+16 {
			line = append(line, part...)
		} else {
			line = nil
		}
		if err == nil {
			break
		}
	}
	if line == nil {
		return nil, n, nil
	}
	line = bytes.TrimSuffix(line, []byte("\n"))
	return bytes.TrimSuffix(line, []byte("\r")), n, nil
}
