// Package limit owns the budgets of the process, so that no client can exhaust it: memory,
// connections, file descriptors, password hashing and requests per client.
//
// Its one idea: each resource that a client can occupy has exactly one budget with a fixed size,
// and a client that asks for more than its share is rejected instead of slowing everyone down.
// [New] sizes the budgets from the settings and from what the system grants the process. [Table]
// lists them all; docs/limits.md is checked against it.
//
// The package knows nothing about HTTP routes or services. Those decide what a request costs and
// how to reject it.
package limit

import (
	"cmp"
	"log/slog"
	"net/netip"
	"runtime"
	"time"

	"earshot"
)

// Sizes of a request. A head is the request line with all header fields.
const (
	MaxHead   = 32 << 10 // bytes; a query in the URL counts
	MaxFields = 200      // header fields

	MaxBody       = 32 << 20 // of requests that carry many documents
	MaxSmallBody  = 1 << 20  // of all others
	MaxPublicBody = 16 << 10 // of requests that anyone can send
	MaxIngestBody = 10 << 20 // of requests to a webhook, whose connector checks the sender
)

// How long a client may keep the service waiting.
const (
	HeadTimeout = 10 * time.Second // to send the head of a request
	ReadTimeout = 60 * time.Second // to send a request, and between two parts of an import
	IdleTimeout = 2 * time.Minute  // between two requests on a connection

	// StallTimeout is how long a client may take to read one part of a response. A part has at
	// most 256 KB, so slow connections have enough time.
	StallTimeout = time.Minute
)

// Options are the settings of the budgets.
type Options struct {
	Memory      int64 // bytes for all requests in flight; 0: a share of the available memory
	Connections int   // open at the same time; 0: as many as the file descriptors allow
	PerAddress  int   // open connections of an address; 0: half of all connections
	API, Other  int   // requests per minute per client, under /api/ and elsewhere; 0: no limit

	System System // zero: the actual limits of the process
	Log    *slog.Logger
}

// Limits are the budgets of a process.
type Limits struct {
	Memory      *Budget // bytes that requests in flight occupy
	Compute     *Budget // long responses that are computed at the same time, one unit each
	Exports     *Budget // open exports, one unit each
	ExportSlots *Budget // exports that are computed at the same time, one unit each
	Connections Connections
	Hashing     *Queue
	API, Other  *Rate // requests under /api/ and elsewhere
}

// New returns budgets for the settings.
func New(o Options) *Limits {
	if o.System == (System{}) {
		o.System = ReadSystem()
	}
	l := &Limits{
		Memory:      NewBudget(cmp.Or(o.Memory, defaultMemory(o.System)), MemoryWait),
		Compute:     NewBudget(int64(computePerCore*runtime.GOMAXPROCS(0)), ComputeWait),
		Exports:     NewBudget(maxExports, ComputeWait),
		ExportSlots: NewBudget(int64(max(2, runtime.GOMAXPROCS(0))), ComputeWait),
		Connections: newConnections(o),
		Hashing:     NewQueue(runtime.GOMAXPROCS(0)),
		API:         NewRate(o.API),
		Other:       NewRate(o.Other),
	}
	if o.Log != nil {
		o.Log.Info("limits", "memory", l.Memory.Total(), "connections", l.Connections.Max,
			"connections per address", l.Connections.PerAddress, "descriptors", o.System.Files)
	}
	return l
}

// A Client is whose requests share a budget: a user or, without a valid token or session, a network.
// Sessions are separate from tokens, so that a program that sends too many requests does not stop
// its user from using the web app.
type Client struct {
	User    earshot.UserID
	Session bool
	Network netip.Prefix // set only if User is 0
}

// Network returns the network that an address belongs to: the address itself, or the /64 network of
// an IPv6 address, because that is what one customer gets.
func Network(addr netip.Addr) netip.Prefix {
	bits := 32
	if addr = addr.Unmap().WithZone(""); addr.Is6() {
		bits = 64
	}
	prefix, _ := addr.Prefix(bits) // the zero Prefix for the zero Addr
	return prefix
}
