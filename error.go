package earshot

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// A Kind says what sort of failure an Error is. internal/http/rest maps each to a status.
type Kind int

const (
	Invalid         Kind = iota + 1 // the request is wrong
	Unauthenticated                 // the caller is unknown
	Forbidden                       // the caller lacks the permission
	NotFound                        // does not exist, or is hidden from the caller
	TooLarge                        // more than one request may carry
	OverLimit                       // a rate or a quota is used up
	Unavailable                     // overloaded or stopping; try again
	StorageFull                     // no free disk space
	Conflict                        // someone else changed it in the meantime
)

// An Error is a failure the caller is meant to read. Message is shown verbatim.
type Error struct {
	Kind       Kind
	Message    string
	Err        error         // cause, for the log only
	RetryAfter time.Duration // how long to wait before trying again, where that is known
}

func (e *Error) Error() string {
	if e.Err != nil {
		return e.Message + ": " + e.Err.Error()
	}
	return e.Message
}

func (e *Error) Unwrap() error { return e.Err }

// IsKind reports whether err is an Error of kind k.
func IsKind(err error, k Kind) bool {
	var e *Error
	return errors.As(err, &e) && e.Kind == k
}

// Errorf returns an Error whose message is the formatted text.
func Errorf(k Kind, format string, args ...any) *Error {
	return &Error{Kind: k, Message: fmt.Sprintf(format, args...)}
}

// InvalidParameter says that a parameter's value is unreadable or not allowed.
// allowed tells what would be.
func InvalidParameter(name, value, allowed string) *Error {
	return Errorf(Invalid, "Invalid value '%s' for parameter '%s': %s", Clip(value, 100), name, allowed)
}

// InvalidBody says what is wrong with a request body, and where.
func InvalidBody(format string, args ...any) *Error {
	return Errorf(Invalid, "Invalid request body: "+format, args...)
}

// CheckText returns an error unless a text of a body has minLength to maxLength characters,
// none of them a control character.
func CheckText(field, text string, minLength, maxLength int) error {
	if n := utf8.RuneCountInString(text); n < minLength || n > maxLength {
		return InvalidBody("%s must have %d to %d characters", field, minLength, maxLength)
	}
	if strings.ContainsFunc(text, unicode.IsControl) {
		return InvalidBody("%s must not contain control characters", field)
	}
	return nil
}

// ErrAccessDenied is the error for a caller without the permission or the team.
var ErrAccessDenied = &Error{Kind: Forbidden, Message: "Access is denied"}

// ErrNotAuthenticated is the error for a call without a valid token.
var ErrNotAuthenticated = &Error{Kind: Unauthenticated, Message: "Full authentication is required to access this resource"}

// Clip keeps the first n characters of s, so that an error cannot echo a megabyte.
func Clip(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i] + "…"
		}
		n--
	}
	return s
}
