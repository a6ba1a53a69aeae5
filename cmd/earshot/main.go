// Command earshot runs the service and is a client for a running one. main.go and root.go contain
// the command line. serve and demo run the service, restore fills its data directory, and query,
// eval, bench and version work without a server; all other commands call the API of a running
// service.
//
// The exit code is 0 for success, 1 for a failure, with a message on standard error, and 2 for an
// invalid command line.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
)

// gcPercent is the heap growth that triggers a garbage collection. Posts are not on the heap, so it
// is small, and doubling the default growth costs little memory.
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
