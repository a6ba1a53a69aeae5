// Command earshot runs the service and talks to a running one. main and root
// hold the command line together; serve and demo run the service; query tries
// queries out by itself; every other command is a client of the management
// interface.
//
// It exits with 0 when all went well, with 1 and a message on standard error
// when something failed, and with 2 when the command line is wrong.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
)

// gcPercent is how much the heap may grow before it is collected. The posts are not in
// it, so it is small, and twice the usual growth costs little memory.
const gcPercent = 200

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	p := &program{
		in:       os.Stdin,
		out:      os.Stdout,
		err:      os.Stderr,
		environ:  os.Environ(),
		cacheDir: os.UserCacheDir,
	}
	code := p.run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}
