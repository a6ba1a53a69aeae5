package natsnode

import (
	"fmt"
	"log/slog"
	"sync/atomic"
)

// A logger hands the server's lines to slog. Its notices are debug lines here:
// nobody who runs Earshot asked for a NATS server.
type logger struct {
	log   *slog.Logger
	fatal atomic.Pointer[string] // tells why the server could not start
}

func (l *logger) Noticef(format string, v ...any) { l.log.Debug("nats: " + fmt.Sprintf(format, v...)) }
func (l *logger) Debugf(format string, v ...any)  { l.log.Debug("nats: " + fmt.Sprintf(format, v...)) }
func (l *logger) Tracef(format string, v ...any)  {}
func (l *logger) Warnf(format string, v ...any)   { l.log.Warn("nats: " + fmt.Sprintf(format, v...)) }
func (l *logger) Errorf(format string, v ...any)  { l.log.Error("nats: " + fmt.Sprintf(format, v...)) }

// Fatalf does not end the process: Open reports what happened.
func (l *logger) Fatalf(format string, v ...any) {
	reason := fmt.Sprintf(format, v...)
	l.fatal.Store(&reason)
	l.log.Error("nats: " + reason)
}
