package limit

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"time"
)

const (
	probeTimeout = time.Second
	probeBytes   = 4 << 10
)

// healthRequests are how the requests start that are answered beyond the limits.
var healthRequests = [][]byte{[]byte("GET /healthz "), []byte("GET /readyz "), []byte("HEAD /healthz "), []byte("HEAD /readyz ")}

// probe serves a connection beyond the limits: a health check is accepted, anything else gets 503.
// The number of such connections is bounded; a new one replaces the oldest, because a health check
// arrives together with its connection.
func (l *Listener) probe(conn net.Conn) {
	if l.limits.Probes == 0 {
		conn.Close()
		return
	}
	c := &Conn{Conn: conn, listener: l}
	l.mu.Lock()
	if l.probes.Len() >= l.limits.Probes {
		oldest := l.probes.Remove(l.probes.Front()).(*Conn)
		oldest.Conn.Close() // ends its goroutine
	}
	c.probe = l.probes.PushBack(c)
	l.mu.Unlock()
	go func() {
		start, healthy := readProbe(conn)
		if healthy {
			c.prefix = start
			l.deliver(c, nil)
			return
		}
		if len(start) > 0 {
			refuse(conn, "503 Service Unavailable", "Retry-After: 1\r\n", "Too many connections. Please close some and try again")
		}
		c.Close()
	}()
}

// readProbe reads the start of a request and reports whether it is a health check.
func readProbe(conn net.Conn) (start []byte, healthy bool) {
	_ = conn.SetReadDeadline(time.Now().Add(probeTimeout))
	start = make([]byte, 0, probeBytes)
	for len(start) < cap(start) {
		n, err := conn.Read(start[len(start):cap(start)])
		start = start[:len(start)+n]
		possible := false
		for _, request := range healthRequests {
			if bytes.HasPrefix(start, request) {
				return start, conn.SetReadDeadline(time.Time{}) == nil
			}
			possible = possible || bytes.HasPrefix(request, start)
		}
		if err != nil || !possible {
			break
		}
	}
	return start, false
}

// refuse sends an error response, without waiting for a client that does not read.
func refuse(conn net.Conn, status, header, message string) {
	_ = conn.SetWriteDeadline(time.Now().Add(probeTimeout))
	body := fmt.Sprintf(`{"message":%q,"status":"error"}`, message)
	_, _ = io.WriteString(conn, fmt.Sprintf("HTTP/1.1 %s\r\nContent-Type: application/json;charset=UTF-8\r\n%sConnection: close\r\nContent-Length: %d\r\n\r\n%s",
		status, header, len(body), body))
}
