package bluesky

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// The public Jetstream servers.
const (
	firstHosts  = "wss://jetstream1.us-east.bsky.network,wss://jetstream2.us-east.bsky.network,wss://jetstream1.us-west.bsky.network,wss://jetstream2.us-west.bsky.network"
	secondHosts = "wss://jetstream.us-east.bsky.network,wss://jetstream.us-west.bsky.network"
)

// The paths of the protocols.
const (
	firstPath      = "/subscribe"
	secondPath     = "/xrpc/network.bsky.jetstream.subscribeEvents"
	dictionaryPath = "/xrpc/network.bsky.jetstream.getZstdDictionary"
)

// parseHosts returns the servers in a list separated by commas. A server without a path gets the
// given one.
func parseHosts(list, path string) ([]*url.URL, error) {
	var hosts []*url.URL
	for address := range strings.SplitSeq(list, ",") {
		if address = strings.TrimSpace(address); address == "" {
			continue
		}
		u, err := parseAddress(address, "ws", "wss", "http", "https")
		if err != nil {
			return nil, err
		}
		switch u.Scheme {
		case "ws":
			u.Scheme = "http" // the upgrade to a WebSocket is an HTTP request
		case "wss":
			u.Scheme = "https"
		}
		if strings.Trim(u.Path, "/") == "" {
			u.Path = path
		}
		hosts = append(hosts, u)
	}
	if len(hosts) == 0 {
		return nil, errors.New("enter the address of a Jetstream server, such as wss://jetstream1.us-east.bsky.network")
	}
	return hosts, nil
}

// parseAddress parses an absolute URL with one of the given schemes.
func parseAddress(address string, schemes ...string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("'%s' is not the address of a server", address)
	}
	for _, s := range schemes {
		if u.Scheme == s {
			return u, nil
		}
	}
	return nil, fmt.Errorf("'%s' must start with %s://", address, strings.Join(schemes, ":// or "))
}

// A cursor is a position in the events of a server. As text it is the time, the number of the event
// if the protocol has one, and the server:
//
//	1783175888172335@jetstream1.us-east.bsky.network
//	1783175888172335.7216@jetstream.us-east.bsky.network
type cursor struct {
	micros int64  // time of the last event, in microseconds since 1970; 0: none
	seq    int64  // number of the last event; 0: unknown
	host   string // server that assigned both
}

func (c cursor) String() string {
	if c.micros == 0 {
		return ""
	}
	text := strconv.FormatInt(c.micros, 10)
	if c.seq > 0 {
		text += "." + strconv.FormatInt(c.seq, 10)
	}
	return text + "@" + c.host
}

func (c cursor) time() time.Time { return time.UnixMicro(c.micros).UTC() }

func parseCursor(text string) (cursor, error) {
	if text == "" {
		return cursor{}, nil
	}
	position, host, _ := strings.Cut(text, "@")
	micros, seq, numbered := strings.Cut(position, ".")
	c := cursor{micros: integer([]byte(micros)), host: host}
	if numbered {
		c.seq = integer([]byte(seq))
	}
	if !validMicros(c.micros) || c.seq < 0 || numbered && c.seq == 0 {
		return cursor{}, fmt.Errorf("the cursor %q is damaged", text)
	}
	return c, nil
}

// newcomer is how far back a new source starts, so that posts show up immediately and a source that
// fails in its first seconds misses nothing.
const newcomer = time.Minute

// startAt returns the cursor of a new source.
func startAt(now time.Time) cursor { return cursor{micros: now.Add(-newcomer).UnixMicro()} }

// Servers assign their own times and numbers to events, and may send simultaneous events in a
// different order. Reading starts a little before the cursor, so that none is missed; repeated events
// are harmless.
const (
	rewind      = 1 * time.Second  // on the same server
	rewindOther = 10 * time.Second // on another server
)

// at returns the value of the cursor parameter for a server, or 0 for none.
func (c cursor) at(host string, second bool) int64 {
	switch {
	case c.micros == 0:
		return 0
	case second && c.seq > 0 && c.host == host:
		return c.seq
	case c.host == "": // a new source
		return c.micros
	case c.host == host:
		return c.micros - rewind.Microseconds()
	}
	return c.micros - rewindOther.Microseconds()
}
