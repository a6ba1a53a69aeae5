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

// connectExternal connects to an external server. A wrong address is an error at the start; once
// connected, the client reconnects indefinitely.
func (n *Node) connectExternal(ctx context.Context, o Options) error {
	shown, valid := redact(o.URL)
	if !valid {
		// The client library's error would repeat the address.
		return fmt.Errorf("connect to NATS at %s: %w", shown, errInvalidURL)
	}
	opts := append(n.connectOptions(), nats.Timeout(remaining(ctx, connectTimeout)))
	if o.Credentials != "" {
		opts = append(opts, nats.UserCredentials(o.Credentials))
	}
	conn, err := nats.Connect(o.URL, opts...)
	if err != nil {
		return fmt.Errorf("connect to NATS at %s: %w", shown, err)
	}
	n.conn = conn
	n.js, err = jetstream.New(conn)
	return err
}

// remaining returns the time until the deadline of ctx, at most d.
func remaining(ctx context.Context, d time.Duration) time.Duration {
	if deadline, ok := ctx.Deadline(); ok {
		return min(d, time.Until(deadline))
	}
	return d
}

var errInvalidURL = errors.New("invalid address: must look like nats://name:password@host:4222, with special characters in the password percent-encoded (%40 for @)")

// redact reduces a list of addresses to schemes and hosts, which may be logged, and reports whether
// all of them are valid.
func redact(urls string) (shown string, valid bool) {
	list := strings.Split(urls, ",")
	valid = true
	for i, s := range list {
		host, ok := hostOf(strings.TrimSpace(s))
		if !ok {
			host, valid = "(unreadable address)", false // the address may contain a password
		}
		list[i] = host
	}
	return strings.Join(list, ","), valid
}

// hostOf returns the scheme and host of an address. Like the client library, it defaults to
// nats://.
func hostOf(address string) (string, bool) {
	if !strings.Contains(address, "://") {
		address = "nats://" + address
	}
	u, err := url.Parse(address)
	// If there is an @ but no user name, the password contains a slash or a similar character, and
	// the apparent host is the start of the password.
	if err != nil || u.User == nil && strings.Contains(address, "@") {
		return "", false
	}
	return u.Scheme + "://" + u.Host, true
}
