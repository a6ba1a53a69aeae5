package limit

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"slices"
	"time"
)

const (
	probeGrace   = 25 * time.Millisecond
	probeTimeout = time.Second
	probeBytes   = 4 << 10
)

// healthRequests are how the requests start that are answered beyond the limits.
var healthRequests = [][]byte{[]byte("GET /healthz "), []byte("GET /readyz "), []byte("HEAD /healthz "), []byte("HEAD /readyz ")}

// probe serves a connection beyond the limits: a health check is accepted, anything else gets 503.
// The number of such connections is bounded. A new one replaces the oldest, but only after
// probeGrace, in which a health check has arrived; until then, no connection is accepted.
func (l *Listener) probe(conn net.Conn) {
	if l.limits.Probes == 0 {
		conn.Close()
		return
	}
	c := &Conn{Conn: conn, listener: l, idleSince: time.Now()}
	l.mu.Lock()
	for l.probes.Len() >= l.limits.Probes {
		oldest := l.probes.Front().Value.(*Conn)
		if age := time.Since(oldest.idleSince); age < probeGrace {
			l.mu.Unlock()
			time.Sleep(probeGrace - age)
			l.mu.Lock()
			continue
		}
		l.probes.Remove(oldest.probe)
		oldest.Conn.Close() // ends its goroutine
	}
	c.probe = l.probes.PushBack(c)
	l.mu.Unlock()
	go func() {
		head, healthy := readProbe(conn)
		if healthy && l.beginCheck(c) {
			c.prefix = head
			l.deliver(c, nil)
			return
		}
		if len(head) > 0 {
			refuse(conn, "503 Service Unavailable", "Retry-After: 1\r\n", "Too many connections. Please close some and try again")
		}
		c.Close()
	}()
}

// beginCheck moves a connection from the probes to the health checks that are being answered. It
// returns false if there are too many or the connection was replaced.
func (l *Listener) beginCheck(c *Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	before := l.probes.Len()
	if l.probes.Remove(c.probe); l.probes.Len() == before || l.checks >= l.limits.Probes {
		return false
	}
	l.checks++
	c.check = true
	return true
}

// readProbe reads the head of a request and reports whether it is a health check.
func readProbe(conn net.Conn) (head []byte, healthy bool) {
	_ = conn.SetReadDeadline(time.Now().Add(probeTimeout))
	head = make([]byte, 0, probeBytes)
	for len(head) < cap(head) {
		n, err := conn.Read(head[len(head):cap(head)])
		head = head[:len(head)+n]
		if !slices.ContainsFunc(healthRequests, func(start []byte) bool { return bytes.HasPrefix(head, start[:min(len(start), len(head))]) }) {
			return head, false
		}
		if bytes.Contains(head, []byte("\r\n\r\n")) {
			return head, conn.SetReadDeadline(time.Time{}) == nil
		}
		if err != nil {
			break
		}
	}
	return head, false
}

// refuse sends an error response, without waiting for a client that does not read.
func refuse(conn net.Conn, status, header, message string) {
	_ = conn.SetWriteDeadline(time.Now().Add(probeTimeout))
	body := fmt.Sprintf(`{"message":%q,"status":"error"}`, message)
	_, _ = io.WriteString(conn, fmt.Sprintf("HTTP/1.1 %s\r\nContent-Type: application/json;charset=UTF-8\r\n%sConnection: close\r\nContent-Length: %d\r\n\r\n%s",
		status, header, len(body), body))
}
