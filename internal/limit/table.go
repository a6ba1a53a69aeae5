package limit

import (
	"fmt"
	"time"
)

// A Row is a limit as docs/limits.md lists it.
type Row struct {
	Limit   string // what is limited
	Default string
	Setting string // that changes it; empty: none
	Beyond  string // what a client gets beyond it
}

// Table lists all limits of this package, with the defaults of the settings for requests per minute
// under /api/ and elsewhere, and for the cost of monitors.
func Table(api, other, monitorCost int) []Row {
	const (
		tooLong  = "431, and the connection is closed"
		tooLarge = "413"
		closed   = "the connection is closed"
		busy     = "the connection that has waited longest for a request is closed; if there is none, 503 with `Retry-After`"
	)
	noMemory := fmt.Sprintf("503 with `Retry-After` after waiting for %s", seconds(MemoryWait))
	noSlot := fmt.Sprintf("503 with `Retry-After` after waiting for %s", seconds(ComputeWait))
	return []Row{
		{"request line and header fields together", size(MaxHead), "", tooLong},
		{"header fields of a request", number(MaxFields), "", tooLong},
		{"body of an upload, deletion, training post, monitor, filter, snapshot or query to check, before and after decompression", size(MaxBody), "", tooLarge},
		{"other bodies", size(MaxSmallBody), "", tooLarge},
		{"bodies that need no token", size(MaxPublicBody), "", tooLarge},
		{"body of a webhook request or an OPML file", size(MaxIngestBody), "", tooLarge},
		{"time to send the request line and header fields", seconds(HeadTimeout), "", closed},
		{"time to send a request, and between two parts of an import", seconds(ReadTimeout), "", "400"},
		{"time between two requests on a connection", seconds(IdleTimeout), "", closed},
		{"time to read 256 KB of a response", seconds(StallTimeout), "", closed},
		{"memory of all requests in flight", fmt.Sprintf("1/%d of the available memory, from %s to %s", memoryShare, size(minMemory), size(maxDefaultMemory)), "memory_limit", noMemory},
		{"memory of one user or address", "as much as is free, so at most half", "", noMemory},
		{"long responses that are computed at the same time", fmt.Sprintf("%d for each core, half of them for one user", computePerCore), "", noSlot},
		{"open exports", fmt.Sprintf("%d, half of them for one user", maxExports), "", noSlot},
		{"exports that are computed at the same time", "1 for each core, at least 2, half of them for one user", "", noSlot},
		{"open connections", fmt.Sprintf("%s, or as many as file descriptors allow", number(maxDefaultConnections)), "connection_limit", busy},
		{"open connections of an IPv4 address or IPv6 /64 network", "half of all", "address_connection_limit", busy},
		{"connections for `/healthz` and `/readyz` beyond these limits", fmt.Sprintf("%s, or as many as file descriptors allow", number(maxProbes)), "", "the oldest one is closed"},
		{"file descriptors reserved for storage", fmt.Sprintf("a quarter, at least %s", number(minStorageFiles)), "", "fewer connections"},
		{"requests per minute under `/api/`, per user or address", number(api), "rate_limit", "429 with `Retry-After`"},
		{"requests per minute elsewhere, per user or address, except `/healthz` and `/readyz`", number(other), "manage_rate_limit", "429 with `Retry-After`"},
		{"cost of the enabled monitors of a team", number(monitorCost), "monitor_cost_limit", "429"},
		{"sign-ins that wait for their password to be checked", number(maxHashingWaiters) + " with a good record, as many others", "", "503 with `Retry-After`"},
	}
}

// number formats n with commas.
func number(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", number(n/1000), n%1000)
}

// size formats a number of bytes.
func size(bytes int) string {
	switch {
	case bytes >= 1<<30:
		return fmt.Sprintf("%d GB", bytes>>30)
	case bytes >= 1<<20:
		return fmt.Sprintf("%d MB", bytes>>20)
	}
	return fmt.Sprintf("%d KB", bytes>>10)
}

func seconds(d time.Duration) string { return fmt.Sprintf("%d s", int(d.Seconds())) }
