package rest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"

	"earshot"
)

// Limits of JSON bodies. They are far above what valid requests need, and bound the time and memory
// that it takes to decode a body that consists of many small values.
const (
	maxDepth    = 100     // lists and objects inside each other
	maxValues   = 200_000 // values of all kinds
	maxElements = 10_000  // elements of a list whose type is known and is not Bounded
	maxText     = 4 << 20 // bytes of a text or a key, as sent; the longest query takes 1.2 MB if it is escaped
	maxScalar   = 65_536  // bytes of a number, and of a value whose type unmarshals itself, like an ID
)

// A Bounded list has a maximum length. CheckLength is called on the zero value, while the list
// arrives. A Bounded list that unmarshals itself may also be a single element.
type Bounded interface{ CheckLength(n int) error }

// A Variant is a type that unmarshals itself from values of several forms. Form returns a value of
// the type that fits JSON that starts with this byte.
type Variant interface{ Form(first byte) any }

// errSyntax ends a check: the data is not JSON. Decoding it returns a better error.
var errSyntax = errors.New("not JSON")

// A checker checks JSON against a type in one pass, while it arrives. It finds every value that does
// not fit, and everything that exceeds a limit. What it accepts can be decoded, unless it is malformed
// within a string or a number.
//
// encoding/json needs five times as long for a pass and does not report where it fails. It also
// allocates memory for values before it looks at the next one.
type checker struct {
	from   io.Reader // nil: data is complete
	size   int64     // how much from probably has; at most 0 if unknown
	err    error     // the last error of from
	data   []byte    // what was read
	pos    int       // where the next value is
	depth  int
	values int
	strict bool // unknown fields are errors
}

// check reads the data to its end. It returns an error unless the data is a value that fits type t.
func (c *checker) check(t reflect.Type) error {
	for len(c.data) < len(byteOrderMark) && c.fill() == nil {
	}
	if bytes.HasPrefix(c.data, byteOrderMark) {
		c.pos = len(byteOrderMark)
	}
	err := c.value(targetOf(t))
	for err == nil || errors.Is(err, errSyntax) {
		err = c.fill()
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// fill reads more data. It returns io.EOF at the end.
func (c *checker) fill() error {
	if c.from == nil {
		return io.EOF
	}
	if c.err != nil {
		return c.err
	}
	if n := len(c.data); n == cap(c.data) {
		more := max(n, 4<<10) // double it
		if left := int(c.size) - n; 0 <= left && left < more {
			more = left + bytes.MinRead // some, to find the end
		}
		c.data = slices.Grow(c.data, more)
	}
	for {
		n, err := c.from.Read(c.data[len(c.data):cap(c.data)])
		c.data, c.err = c.data[:len(c.data)+n], err
		if n > 0 {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// next returns the next byte that is not a space, without reading beyond it.
func (c *checker) next() (byte, error) {
	for {
		for c.pos < len(c.data) {
			switch b := c.data[c.pos]; b {
			case ' ', '\t', '\r', '\n':
				c.pos++
			default:
				return b, nil
			}
		}
		if err := c.more(); err != nil {
			return 0, err
		}
	}
}

// more is like fill, but the data must not end.
func (c *checker) more() error {
	if err := c.fill(); !errors.Is(err, io.EOF) {
		return err
	}
	return errSyntax
}

// value checks a value. If n is nil, any value fits.
func (c *checker) value(n *target) error {
	first, err := c.next()
	if err != nil {
		return err
	}
	if c.values++; c.values > maxValues {
		return earshot.InvalidBody("it has more than %d values", maxValues)
	}
	kind := kindOf(first)
	if n != nil && n.variant != nil {
		n = targetOf(reflect.TypeOf(n.variant.Form(first)))
	}
	if n != nil && n.single && kind == "object" {
		n = n.elem
	}
	switch {
	case kind == "":
		return errSyntax
	case n != nil && n.kind != "" && n.kind != kind && kind != "null":
		return &misfit{want: n.name, got: jsonKinds[kind]}
	case n != nil && n.own:
		start := c.pos
		if err := c.skip(kind); err != nil {
			return err
		}
		return n.try(c.data[start:c.pos])
	case kind == "object":
		return c.object(n)
	case kind == "array":
		return c.list(n)
	}
	return c.skip(kind)
}

// skip reads a value.
func (c *checker) skip(kind string) error {
	switch kind {
	case "object":
		return c.object(nil)
	case "array":
		return c.list(nil)
	case "string":
		return c.text()
	}
	start := c.pos
	for {
		for ; c.pos < len(c.data); c.pos++ {
			if b := c.data[c.pos]; b != '+' && b != '-' && b != '.' && !('0' <= b && b <= '9') && !('a' <= b && b <= 'z') && b != 'E' {
				return nil
			}
		}
		if c.pos-start > maxScalar {
			return earshot.InvalidBody("the number at byte %d has more than %d digits", start+1, maxScalar)
		}
		if err := c.fill(); errors.Is(err, io.EOF) {
			return nil // a number may end the data
		} else if err != nil {
			return err
		}
	}
}

// text reads a string.
func (c *checker) text() error {
	for i := c.pos + 1; ; {
		for i < len(c.data) && c.data[i] != '"' && c.data[i] != '\\' {
			i++
		}
		switch {
		case i-c.pos > maxText:
			return earshot.InvalidBody("the text at byte %d is longer than %d bytes", c.pos+1, maxText)
		case i >= len(c.data):
			if err := c.more(); err != nil {
				return err
			}
		case c.data[i] == '\\':
			i += 2
		default:
			c.pos = i + 1
			return nil
		}
	}
}

// enter begins a list or an object.
func (c *checker) enter() error {
	c.pos++
	if c.depth++; c.depth > maxDepth {
		return earshot.InvalidBody("lists and objects are nested more than %d levels deep at byte %d", maxDepth, c.pos)
	}
	return nil
}

// proceed reads what is between two elements or after the last one.
func (c *checker) proceed(closing byte) (done bool, err error) {
	b, err := c.next()
	switch {
	case err != nil:
		return false, err
	case b == closing:
		c.depth--
	case b != ',':
		return false, errSyntax
	}
	c.pos++
	return b == closing, nil
}

// isEmpty reports whether the list or object ends at once.
func (c *checker) isEmpty(closing byte) (bool, error) {
	if b, err := c.next(); err != nil || b != closing {
		return false, err
	}
	return c.proceed(closing)
}

func (c *checker) object(n *target) error {
	if err := c.enter(); err != nil {
		return err
	}
	for done, err := c.isEmpty('}'); !done; done, err = c.proceed('}') {
		if err != nil {
			return err
		}
		if err := c.expect('"'); err != nil {
			return err
		}
		start := c.pos
		if err := c.text(); err != nil {
			return err
		}
		key := c.data[start:c.pos]
		if err := c.expect(':'); err != nil {
			return err
		}
		c.pos++
		member, known := n.member(key)
		if !known && c.strict && !n.lenient {
			return n.unknown(string(unquote(key)))
		}
		if err := c.value(member); err != nil {
			return within(err, "."+earshot.Clip(string(unquote(key)), 60))
		}
	}
	return nil
}

// expect returns an error unless b is the next byte.
func (c *checker) expect(b byte) error {
	got, err := c.next()
	if err == nil && got != b {
		err = errSyntax
	}
	return err
}

func (c *checker) list(n *target) error {
	if err := c.enter(); err != nil {
		return err
	}
	var elem *target
	if n != nil {
		elem = n.elem
	}
	done, err := c.isEmpty(']')
	for i := 0; !done; i++ {
		if err != nil {
			return err
		}
		if n != nil && n.bound.CheckLength(i+1) != nil {
			total, err := c.count(i + 1)
			if err != nil {
				return err
			}
			return n.bound.CheckLength(total)
		}
		if err := c.value(elem); err != nil {
			return within(err, fmt.Sprintf("[%d]", i))
		}
		done, err = c.proceed(']')
	}
	return nil
}

// count returns the length of the list whose element n comes next. It drops what it reads, so that a
// list that is too long takes no memory.
func (c *checker) count(n int) (int, error) {
	for depth := 1; depth > 0; {
		if c.from != nil && c.pos > len(c.data)/2 {
			c.data, c.pos = append(c.data[:0], c.data[c.pos:]...), 0
		}
		if c.pos == len(c.data) {
			if err := c.fill(); errors.Is(err, io.EOF) {
				return n, nil
			} else if err != nil {
				return 0, err
			}
		}
		switch c.data[c.pos] {
		case '"':
			if err := c.text(); errors.Is(err, errSyntax) {
				return n, nil
			} else if err != nil {
				return 0, err
			}
			continue
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		case ',':
			if depth == 1 {
				n++
			}
		}
		c.pos++
	}
	return n, nil
}
