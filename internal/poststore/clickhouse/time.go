package clickhouse

import (
	"strconv"
	"time"

	"earshot/internal/poststore/clickhouse/chhttp"
)

// before returns the condition that a post is earlier than t.
func before(t time.Time, a *chhttp.Args) string {
	if t.Nanosecond() == 0 {
		return "sec < " + a.Int(t.Unix())
	}
	sec := a.Int(t.Unix())
	return "(sec < " + sec + " OR sec = " + sec + " AND nanos < " + strconv.Itoa(t.Nanosecond()) + ")"
}

// notBefore returns the condition that a post is at t or later.
func notBefore(t time.Time, a *chhttp.Args) string {
	if t.Nanosecond() == 0 {
		return "sec >= " + a.Int(t.Unix())
	}
	sec := a.Int(t.Unix())
	return "(sec > " + sec + " OR sec = " + sec + " AND nanos >= " + strconv.Itoa(t.Nanosecond()) + ")"
}
