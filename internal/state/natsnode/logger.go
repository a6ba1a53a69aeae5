package natsnode

import (
	"fmt"
	"log/slog"
	"sync/atomic"
)

// A logger passes the server's log to slog. Notices become debug messages, because they are not
// relevant to Earshot's users.
type logger struct {
	log   *slog.Logger
	fatal atomic.Pointer[string] // reason why the server could not start
}

func (l *logger) Noticef(format string, v ...any) { l.log.Debug("nats: " + fmt.Sprintf(format, v...)) }
func (l *logger) Debugf(format string, v ...any)  { l.log.Debug("nats: " + fmt.Sprintf(format, v...)) }
func (l *logger) Tracef(format string, v ...any)  {}
func (l *logger) Warnf(format string, v ...any)   { l.log.Warn("nats: " + fmt.Sprintf(format, v...)) }
func (l *logger) Errorf(format string, v ...any)  { l.log.Error("nats: " + fmt.Sprintf(format, v...)) }

// Fatalf does not exit; Open returns the reason instead.
func (l *logger) Fatalf(format string, v ...any) {
	reason := fmt.Sprintf(format, v...)
	l.fatal.Store(&reason)
	l.log.Error("nats: " + reason)
}
