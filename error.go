package earshot

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// A Kind classifies an [Error]. internal/http/rest maps each kind to an HTTP status.
type Kind int

const (
	Invalid         Kind = iota + 1 // the request is malformed or not allowed
	Unauthenticated                 // the caller did not prove who they are
	Forbidden                       // the caller lacks a permission
	NotFound                        // does not exist, or is hidden from the caller
	TooLarge                        // exceeds what one request may contain
	OverLimit                       // a rate limit or quota is exhausted
	Unavailable                     // overloaded or shutting down; retry later
	StorageFull                     // no free disk space
	Conflict                        // changed by someone else at the same time, or the name is taken
	Failed                          // failed for a reason that only an administrator can fix
	Unprocessable                   // well-formed, but what it refers to does not work, such as another server
)

// An Error is a failure that callers are meant to read. Message is shown verbatim.
type Error struct {
	Kind       Kind
	Message    string
	Err        error         // the cause, only logged
	RetryAfter time.Duration // how long to wait before retrying; 0 if unknown
}

// Error returns the message followed by the cause, if any.
func (e *Error) Error() string {
	if e.Err != nil {
		return e.Message + ": " + e.Err.Error()
	}
	return e.Message
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// IsKind reports whether err is or wraps an [Error] of kind k.
func IsKind(err error, k Kind) bool {
	var e *Error
	return errors.As(err, &e) && e.Kind == k
}

// Errorf returns an [Error] with a formatted message and no cause.
func Errorf(k Kind, format string, args ...any) *Error {
	return &Error{Kind: k, Message: fmt.Sprintf(format, args...)}
}

// InvalidParameter returns the error for a parameter value that is malformed or not allowed. The
// parameter allowed describes valid values, for example "a positive whole number". The value is
// clipped to 100 characters.
func InvalidParameter(name, value, allowed string) *Error {
	return Errorf(Invalid, "Invalid value '%s' for parameter '%s': %s", Clip(value, 100), name, allowed)
}

// InvalidBody returns an error that says what is wrong with a request body, and where.
func InvalidBody(format string, args ...any) *Error {
	return Errorf(Invalid, "Invalid request body: "+format, args...)
}

// CheckText returns an error unless text, a field of a request body, has minLength to maxLength
// characters and no control characters.
func CheckText(field, text string, minLength, maxLength int) error {
	if n := utf8.RuneCountInString(text); n < minLength || n > maxLength {
		return InvalidBody("%s must have %d to %d characters", field, minLength, maxLength)
	}
	if strings.ContainsFunc(text, unicode.IsControl) {
		return InvalidBody("%s must not contain control characters", field)
	}
	return nil
}

// ErrAccessDenied is the error for a caller who lacks the permission or is not on the team.
var ErrAccessDenied = &Error{Kind: Forbidden, Message: "Access is denied"}

// ErrNotAuthenticated is the error for a call without a valid token.
var ErrNotAuthenticated = &Error{Kind: Unauthenticated, Message: "Full authentication is required to access this resource"}

// Clip returns the first n characters of s, followed by an ellipsis if s is longer. It keeps error
// messages short no matter what a caller sends.
func Clip(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i] + "…"
		}
		n--
	}
	return s
}

// OneLine returns a text that others wrote as part of a line: without control characters, without
// invisible ones that change the direction of text, and at most n characters long.
func OneLine(s string, n int) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == unicode.ReplacementChar:
			return -1
		}
		return r
	}, s)
	return Clip(strings.Join(strings.Fields(s), " "), n)
}
