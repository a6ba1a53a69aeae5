package rest

import (
	"crypto/rand"
	"net/http"
	"strings"
)

// requestID returns the id that the client gave, when it is fit for a header and
// a log line, and a new one otherwise.
func requestID(r *http.Request) string {
	if id := r.Header.Get("X-Request-Id"); isRequestID(id) {
		return id
	}
	return rand.Text()
}

func isRequestID(s string) bool {
	const allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"
	return 1 <= len(s) && len(s) <= 64 && strings.Trim(s, allowed) == ""
}
