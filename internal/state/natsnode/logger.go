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
