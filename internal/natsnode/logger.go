package natsnode

import (
	"cmp"
	"fmt"
	"log/slog"
	"sync/atomic"
)

// A logger hands the server's lines to slog. Its notices are debug lines here:
// nobody who runs Earshot asked for a NATS server.
type logger struct {
	log  *slog.Logger
	last atomic.Pointer[string] // last error, which tells why a start failed
}

func (l *logger) Noticef(format string, v ...any) { l.log.Debug("nats: " + fmt.Sprintf(format, v...)) }
func (l *logger) Debugf(format string, v ...any)  { l.log.Debug("nats: " + fmt.Sprintf(format, v...)) }
func (l *logger) Tracef(format string, v ...any)  {}
func (l *logger) Warnf(format string, v ...any)   { l.log.Warn("nats: " + fmt.Sprintf(format, v...)) }
func (l *logger) Errorf(format string, v ...any)  { l.fail(fmt.Sprintf(format, v...)) }

// Fatalf does not end the process: Open reports what happened.
func (l *logger) Fatalf(format string, v ...any) { l.fail(fmt.Sprintf(format, v...)) }

func (l *logger) fail(text string) {
	l.last.Store(&text)
	l.log.Error("nats: " + text)
}

// reason returns the last error, for when the server did not start.
func (l *logger) reason() string {
	var none string
	return cmp.Or(*cmp.Or(l.last.Load(), &none), "not ready in time")
}
