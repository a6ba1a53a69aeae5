package chhttp

import (
	"encoding/binary"
	"iter"
	"math/bits"
	"strconv"
	"strings"

	"earshot/internal/poststore"
)

// maxValue is the maximum length of an encoded value in bytes. The server accepts 128 KiB by default
// (http_max_field_value_size); longer strings and arrays are sent as several parameters.
const maxValue = 100 << 10

// Args collects the values of a statement and returns their placeholders, for example {p1:Int64}. The
// placeholder of a long value is an expression. Values never become part of the SQL text. The zero
// value is ready to use.
type Args struct {
	values []string // in the text format of the server; the name of values[i] is p(i+1)
	size   int      // total length of the values
}

// Int returns the placeholder of a number.
func (a *Args) Int(v int64) string { return a.add("Int64", strconv.FormatInt(v, 10)) }

// Uint returns the placeholder of a number.
func (a *Args) Uint(v uint64) string { return a.add("UInt64", strconv.FormatUint(v, 10)) }

// String returns the placeholder of a string, which may contain any bytes.
func (a *Args) String(v string) string {
	if 2*len(v) <= maxValue {
		return a.add("String", escapeString(v))
	}
	var parts []string
	for len(v) > 0 {
		n := min(len(v), maxValue/2)
		parts = append(parts, a.add("String", escapeString(v[:n])))
		v = v[n:]
	}
	return "concat(" + strings.Join(parts, ", ") + ")"
}

// Strings returns the placeholder of an array of strings, which may contain any bytes.
func (a *Args) Strings(v []string) string { return a.strings(v).placeholder() }

// InStrings returns the condition that an expression is one of the strings. Unlike IN with Strings, it
// is quick for long lists: an array of more than 1 MiB that is computed from several parameters is not
// a constant for the server, which compares it with every row, element by element.
func (a *Args) InStrings(expr string, v []string) string { return a.strings(v).in(expr) }

func (a *Args) strings(v []string) *array {
	b := a.array("String")
	for _, s := range v {
		if 2*len(s)+4 > maxValue {
			b.expression("[" + a.String(s) + "]")
		} else {
			b.element(appendQuoted(b.scratch[:0], s))
		}
	}
	return b
}

// Ints returns the placeholder of an array of numbers.
func (a *Args) Ints(v []int64) string {
	b := a.array("Int64")
	for _, n := range v {
		b.element(strconv.AppendInt(b.scratch[:0], n, 10))
	}
	return b.placeholder()
}

// Uints returns the placeholder of an array of numbers.
func (a *Args) Uints(v []uint64) string {
	b := a.array("UInt64")
	for _, n := range v {
		b.element(strconv.AppendUint(b.scratch[:0], n, 10))
	}
	return b.placeholder()
}

// Keys returns the placeholder of an array of keys of posts: UInt128 numbers, whose big-endian bytes
// end with those of the sum.
func (a *Args) Keys(v iter.Seq[poststore.KeySum]) string { return a.keys(v).placeholder() }

// InKeys is InStrings for keys.
func (a *Args) InKeys(expr string, v iter.Seq[poststore.KeySum]) string { return a.keys(v).in(expr) }

func (a *Args) keys(v iter.Seq[poststore.KeySum]) *array {
	b := a.array("UInt128")
	for k := range v {
		b.element(appendKey(b.scratch[:0], k))
	}
	return b
}

// Key returns the placeholder of a key of a post, like those of Keys.
func (a *Args) Key(k poststore.KeySum) string { return a.add("UInt128", string(appendKey(nil, k))) }

// add adds an encoded value and returns its placeholder.
func (a *Args) add(typ, value string) string {
	a.values = append(a.values, value)
	a.size += len(value)
	return "{" + argName(len(a.values)-1) + ":" + typ + "}"
}

// argName returns the name of the i-th value.
func argName(i int) string { return "p" + strconv.Itoa(i+1) }

// array returns an empty array.
func (a *Args) array(typ string) *array {
	return &array{args: a, typ: typ, text: []byte{'['}}
}

// An array encodes an array as one parameter, or as several if it is long.
type array struct {
	args    *Args
	typ     string // of an element
	parts   []string
	text    []byte // the current part
	scratch []byte // for encoding an element
}

// element adds an encoded element.
func (b *array) element(text []byte) {
	b.scratch = text
	if len(b.text)+len(text)+2 > maxValue {
		b.flush()
	}
	if len(b.text) > 1 {
		b.text = append(b.text, ',')
	}
	b.text = append(b.text, text...)
}

// expression adds the elements of an expression.
func (b *array) expression(sql string) {
	if len(b.text) > 1 {
		b.flush()
	}
	b.parts = append(b.parts, sql)
}

// flush ends the current part.
func (b *array) flush() {
	b.parts = append(b.parts, b.args.add("Array("+b.typ+")", string(append(b.text, ']'))))
	b.text = append(b.text[:0], '[')
}

func (b *array) end() {
	if len(b.text) > 1 || len(b.parts) == 0 {
		b.flush()
	}
}

// in returns the condition that the array has an expression.
func (b *array) in(expr string) string {
	b.end()
	if len(b.parts) == 1 {
		return expr + " IN " + b.parts[0]
	}
	return "(" + expr + " IN " + strings.Join(b.parts, " OR "+expr+" IN ") + ")"
}

func (b *array) placeholder() string {
	b.end()
	if len(b.parts) == 1 {
		return b.parts[0]
	}
	return "arrayConcat(" + strings.Join(b.parts, ", ") + ")"
}

// stringEscapes are the bytes with a meaning in the server's escaped format. A tab or a line feed
// would end the value.
var stringEscapes = strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`, "\x00", `\0`)

// escapeString encodes a string as a whole parameter.
func escapeString(v string) string { return stringEscapes.Replace(v) }

// appendQuoted appends a string as an element of an array.
func appendQuoted(b []byte, v string) []byte {
	b = append(b, '\'')
	for i := range len(v) {
		switch c := v[i]; c {
		case '\\', '\'':
			b = append(b, '\\', c)
		case '\t':
			b = append(b, '\\', 't')
		case '\n':
			b = append(b, '\\', 'n')
		case '\r':
			b = append(b, '\\', 'r')
		case 0:
			b = append(b, '\\', '0')
		default:
			b = append(b, c)
		}
	}
	return append(b, '\'')
}

// appendKey appends a sum as a decimal number.
func appendKey(b []byte, k poststore.KeySum) []byte {
	const e19 = 10_000_000_000_000_000_000 // the largest power of ten in 64 bits
	hi, lo := uint64(binary.BigEndian.Uint32(k[:4])), binary.BigEndian.Uint64(k[4:])
	high, low := bits.Div64(hi, lo, e19) // hi has 32 bits, so the quotient fits
	if high == 0 {
		return strconv.AppendUint(b, low, 10)
	}
	b = strconv.AppendUint(b, high, 10)
	digits := strconv.AppendUint(nil, low, 10)
	for range 19 - len(digits) {
		b = append(b, '0')
	}
	return append(b, digits...)
}
