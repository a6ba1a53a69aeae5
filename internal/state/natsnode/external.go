package natsnode

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const connectTimeout = 10 * time.Second

// connectExternal joins an external server. Once connected it reconnects for ever; at
// the start a wrong address is an error instead.
func (n *Node) connectExternal(ctx context.Context, o Options) error {
	at, readable := redact(o.URL)
	if !readable {
		// What the client library says of such an address repeats it.
		return fmt.Errorf("connect to NATS at %s: %w", at, errInvalidURL)
	}
	opts := append(n.connectOptions(), nats.Timeout(remaining(ctx, connectTimeout)))
	if o.Credentials != "" {
		opts = append(opts, nats.UserCredentials(o.Credentials))
	}
	conn, err := nats.Connect(o.URL, opts...)
	if err != nil {
		return fmt.Errorf("connect to NATS at %s: %w", at, err)
	}
	n.conn = conn
	n.js, err = jetstream.New(conn)
	return err
}

// remaining returns how long ctx leaves, at most d.
func remaining(ctx context.Context, d time.Duration) time.Duration {
	if deadline, ok := ctx.Deadline(); ok {
		return min(d, time.Until(deadline))
	}
	return d
}

var errInvalidURL = errors.New("an address looks like nats://name:password@host:4222, with %40 for an @ in the password and so on")

// redact reduces a list of addresses to what may be shown, schemes and hosts,
// and reports whether all of them could be read.
func redact(urls string) (shown string, readable bool) {
	list := strings.Split(urls, ",")
	readable = true
	for i, s := range list {
		host, ok := hostOf(strings.TrimSpace(s))
		if !ok {
			host, readable = "(unreadable address)", false // it may hold a password
		}
		list[i] = host
	}
	return strings.Join(list, ","), readable
}

// hostOf returns the scheme and the host of an address. Like the client library
// it takes nats:// for granted.
func hostOf(address string) (string, bool) {
	if !strings.Contains(address, "://") {
		address = "nats://" + address
	}
	u, err := url.Parse(address)
	// An @ that follows no user name stands behind a slash or the like in a
	// password, and what seems to be the host is the beginning of that.
	if err != nil || u.User == nil && strings.Contains(address, "@") {
		return "", false
	}
	return u.Scheme + "://" + u.Host, true
}
