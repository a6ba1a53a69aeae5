package natsnode

import (
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
)

// A logger passes the server's log to slog. Notices become debug messages, because they are not
// relevant to Earshot's users.
type logger struct {
	log   *slog.Logger
	fatal atomic.Pointer[string] // reason why the server could not start
	fail  func(reason string)    // called when the server can no longer write
}

// criticalError is in the message that the server logs once when it gives up writing to a stream. It
// has no other way to report this.
const criticalError = "Critical write error"

func (l *logger) Noticef(format string, v ...any) { l.log.Debug("nats: " + fmt.Sprintf(format, v...)) }
func (l *logger) Debugf(format string, v ...any)  { l.log.Debug("nats: " + fmt.Sprintf(format, v...)) }
func (l *logger) Tracef(format string, v ...any)  {}
func (l *logger) Warnf(format string, v ...any)   { l.log.Warn("nats: " + fmt.Sprintf(format, v...)) }

func (l *logger) Errorf(format string, v ...any) {
	message := fmt.Sprintf(format, v...)
	switch {
	case strings.HasPrefix(message, "Error trying to connect to route"): // the other node is down
		l.log.Warn("nats: " + message)
		return
	case isProbe(message):
		l.log.Debug("nats: " + message)
		return
	case isOtherSecret(message):
		l.log.Error("refused a connection between nodes: the other node has another secret; secret_file must be the same on all nodes", "nats", message)
		return
	}
	l.log.Error("nats: " + message)
	if strings.Contains(message, criticalError) {
		l.fail(message)
	}
}

// Fatalf does not exit; Open returns the reason instead.
func (l *logger) Fatalf(format string, v ...any) {
	reason := fmt.Sprintf(format, v...)
	l.fatal.Store(&reason)
	l.log.Error("nats: " + reason)
}

const handshakeError = "TLS route handshake error"

// isProbe reports whether a message is about a connection that was closed at once, such as that of a
// node that looks which others are running.
func isProbe(message string) bool {
	return strings.Contains(message, handshakeError) &&
		(strings.HasSuffix(message, ": EOF") || strings.Contains(message, "connection reset") || strings.Contains(message, "broken pipe"))
}

// isOtherSecret reports whether a message says that this node or the other one has refused a
// certificate.
func isOtherSecret(message string) bool {
	return strings.Contains(message, handshakeError) && (strings.Contains(message, "authority") || strings.Contains(message, "bad certificate"))
}
