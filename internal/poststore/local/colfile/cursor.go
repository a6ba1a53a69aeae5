package colfile

// A Cursor goes through strings in ascending order. It is for one goroutine.
type Cursor struct {
	strings *Strings
	next    uint64
	rest    []byte
	text    []byte
	shared  int // with the string before
}

// Cursor returns a cursor in front of the string with that id, or at the end:
//
//	for c := s.Cursor(from); c.Next() && c.ID() < to; {
func (s *Strings) Cursor(id uint32) *Cursor {
	c := &Cursor{strings: s, next: uint64(id) / stringsPerBlock * stringsPerBlock}
	for c.next < uint64(id) && c.Next() {
	}
	return c
}

// Next goes to the next string and reports whether there is one.
func (c *Cursor) Next() bool {
	if c.next >= c.strings.n {
		return false
	}
	var shared, length uint64
	if c.next%stringsPerBlock == 0 {
		length, c.rest, _ = uvarint(c.strings.stream[c.strings.offsets[c.next/stringsPerBlock]:])
	} else {
		shared, length, c.rest = nextString(c.rest)
	}
	c.shared = int(shared)
	c.text = append(c.text[:shared], c.rest[:length]...)
	c.rest = c.rest[length:]
	c.next++
	return true
}

// ID returns the id of the string.
func (c *Cursor) ID() uint32 { return uint32(c.next - 1) }

// Text returns the string. It is overwritten by Next.
func (c *Cursor) Text() []byte { return c.text }
