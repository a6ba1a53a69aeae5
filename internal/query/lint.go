package query

import (
	"fmt"

	"earshot"
)

// A Mode says how a query is read.
type Mode int

const (
	// Lenient takes the language of two families of tools together.
	Lenient Mode = iota

	// Strict refuses what the stricter of them does: AND and OR mixed without
	// parentheses, NEAR after NEAR without parentheses, and AND in an operand of NEAR.
	Strict
)

// A Report is what Lint finds. Query is nil when there are errors.
type Report struct {
	Query    *Query
	Errors   []ParseError // in the order of their positions
	Warnings []Warning    // likewise
}

// A Warning says what a query may not have been meant to say, and where.
type Warning struct {
	Position int // in characters, from 1
	Message  string
}

// A ParseError says what is wrong with a query, and where.
type ParseError struct {
	Position int // in characters, from 1
	Message  string
}

func (e *ParseError) Error() string {
	return fmt.Sprintf("Invalid keywords at position %d: %s", e.Position, e.Message)
}

// Unwrap makes the error one that the caller of the interface is meant to read.
func (e *ParseError) Unwrap() error {
	return &earshot.Error{Kind: earshot.Invalid, Message: e.Error()}
}

func errorAt(position int, format string, args ...any) *ParseError {
	return &ParseError{Position: position, Message: fmt.Sprintf(format, args...)}
}
