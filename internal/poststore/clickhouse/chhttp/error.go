package chhttp

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// maxMessage is the maximum length of an error's text in bytes. The server's texts may contain whole
// statements.
const maxMessage = 2000

// Codes of errors that callers distinguish.
const (
	CodeUnknownTable    = 60
	CodeUnknownDatabase = 81
	CodeTimeout         = 159
	CodeMemoryLimit     = 241
	CodeTooManyBytes    = 307
	CodeTooManyRows     = 158
	CodeNotEnoughGrants = 497
	CodeAuthentication  = 516
)

// An Error is an error that the server reports.
type Error struct {
	Code    int    // 0 if the response has none, for example from a proxy
	Name    string // for example "UNKNOWN_TABLE"; may be empty
	Message string // the server's text, shortened
	Status  int    // of the response; 200 if the statement failed after its first output
}

// Error returns the message with the code.
func (e *Error) Error() string {
	if e.Code == 0 {
		return fmt.Sprintf("clickhouse: status %d: %s", e.Status, e.Message)
	}
	return fmt.Sprintf("clickhouse: error %d %s: %s", e.Code, e.Name, e.Message)
}

// IsCode reports whether the server failed with one of the given codes.
func IsCode(err error, codes ...int) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && slices.Contains(codes, e.Code)
}

var (
	// errorCode finds the code in an error's text: "Code: 60. DB::Exception: ...".
	errorCode = regexp.MustCompile(`^(?:Poco::Exception\. )?Code: (\d+)[.,] ?(?:DB::Exception: )?`)
	// errorName finds the name at the end: "... (UNKNOWN_TABLE) (version 26.7.2.1)".
	errorName = regexp.MustCompile(`\s*\(([A-Z][A-Z0-9_]+)\)(?:\s*\(version [^()]*(?:\([^()]*\))?[^()]*\))?\s*$`)
)

// newError reads an error from the text of the server.
func newError(status int, header http.Header, text string) *Error {
	e := &Error{Status: status}
	text = strings.TrimSpace(strings.ToValidUTF8(text, "\uFFFD"))
	if m := errorCode.FindStringSubmatch(text); m != nil {
		e.Code, _ = strconv.Atoi(m[1])
		text = text[len(m[0]):]
	}
	if m := errorName.FindStringSubmatchIndex(text); m != nil {
		e.Name = text[m[2]:m[3]]
		text = text[:m[0]]
	}
	if code, err := strconv.Atoi(header.Get("X-ClickHouse-Exception-Code")); err == nil {
		e.Code = code
	}
	if len(text) > maxMessage {
		text = strings.ToValidUTF8(text[:maxMessage], "") + "..."
	}
	e.Message = text
	return e
}

// retryCodes are the codes of errors after which an insert is repeated: it is unknown whether the rows
// were written, or the server asks to try again. Repeating is harmless, because the server recognizes
// the token.
var retryCodes = []int{
	159, // TIMEOUT_EXCEEDED
	202, // TOO_MANY_SIMULTANEOUS_QUERIES
	203, // NO_FREE_CONNECTION
	209, // SOCKET_TIMEOUT
	210, // NETWORK_ERROR
	225, // NO_ZOOKEEPER
	236, // ABORTED, for example by a restart
	241, // MEMORY_LIMIT_EXCEEDED
	242, // TABLE_IS_READ_ONLY, while a replica reconnects to Keeper
	252, // TOO_MANY_PARTS
	254, // NO_ACTIVE_REPLICAS
	279, // ALL_CONNECTION_TRIES_FAILED
	285, // TOO_FEW_LIVE_REPLICAS
	286, // UNSATISFIED_QUORUM_FOR_PREVIOUS_WRITE
	319, // UNKNOWN_STATUS_OF_INSERT
	394, // QUERY_WAS_CANCELLED
	439, // CANNOT_SCHEDULE_TASK
	999, // KEEPER_EXCEPTION
}

// retryable reports whether an insert that failed with err is repeated.
func retryable(err error) bool {
	e, ok := errors.AsType[*Error](err)
	switch {
	case !ok:
		_, network := errors.AsType[*networkError](err)
		return network || errors.Is(err, errTimeout)
	case e.Code != 0:
		return slices.Contains(retryCodes, e.Code)
	default: // a proxy
		return e.Status == http.StatusBadGateway || e.Status == http.StatusServiceUnavailable ||
			e.Status == http.StatusGatewayTimeout || e.Status == http.StatusTooManyRequests
	}
}

// A networkError means that there was no response, or only a part of one.
type networkError struct{ err error }

func (e *networkError) Error() string { return "clickhouse: " + e.err.Error() }
func (e *networkError) Unwrap() error { return e.err }
