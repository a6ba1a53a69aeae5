package rest

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
)

// Programs that speak this interface spell ids and booleans in bodies now as
// numbers and booleans, now as strings. The types below take both. They are for
// reading only.

// Presence tells how a field of a body arrived.
type Presence int

const (
	Absent Presence = iota // not there at all
	Null                   // there, as null
	Given                  // there, with a value
)

// An Int is a whole number, or a string that spells one.
type Int struct {
	Value    int64
	Presence Presence
}

func (i *Int) UnmarshalJSON(data []byte) error {
	text, presence := scalar(data)
	*i = Int{Presence: presence}
	if presence == Null {
		return nil
	}
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil {
		return errors.New("a whole number")
	}
	i.Value = n
	return nil
}

// A Bool is true or false, or a string that spells it in any case.
type Bool struct {
	Value    bool
	Presence Presence
}

func (b *Bool) UnmarshalJSON(data []byte) (err error) {
	text, presence := scalar(data)
	*b = Bool{Presence: presence}
	if presence == Null {
		return nil
	}
	b.Value, err = parseBool(strings.TrimSpace(text))
	return err
}

// A Text is a string. A number is taken as the text that spells it, digit for
// digit: it is for ids that are strings, like guids, which some programs send
// as numbers. Other strings are better declared as string, which takes no
// numbers, or *string.
type Text struct {
	Value    string
	Presence Presence
}

func (t *Text) UnmarshalJSON(data []byte) error {
	text, presence := scalar(data)
	*t = Text{Value: text, Presence: presence}
	if c := data[0]; presence == Given && c != '"' && c != '-' && (c < '0' || c > '9') {
		return errors.New("a string")
	}
	return nil
}

// scalar returns what a string says, and other values as they are spelled.
func scalar(data []byte) (text string, p Presence) {
	switch {
	case string(data) == "null":
		return "", Null
	case json.Unmarshal(data, &text) == nil:
		return text, Given
	}
	return string(data), Given
}
