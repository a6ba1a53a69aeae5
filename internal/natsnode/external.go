package natsnode

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const connectTimeout = 10 * time.Second

// connect joins an external server. Once connected it reconnects for ever; at
// the start a wrong address is an error instead.
func (n *Node) connect(ctx context.Context, o Options) error {
	opts := append(n.options(o.Log), nats.Timeout(remaining(ctx, connectTimeout)))
	if o.Credentials != "" {
		opts = append(opts, nats.UserCredentials(o.Credentials))
	}
	conn, err := nats.Connect(o.URL, opts...)
	if err != nil {
		return fmt.Errorf("connect to NATS at %s: %w", redact(o.URL), err)
	}
	n.conn = conn
	n.js, err = jetstream.New(conn)
	return err
}

// redact drops user names and passwords from a list of addresses.
func redact(urls string) string {
	list := strings.Split(urls, ",")
	for i, s := range list {
		u, err := url.Parse(strings.TrimSpace(s))
		if err != nil {
			list[i] = "(unreadable address)" // it may hold a password
			continue
		}
		u.User = nil
		list[i] = u.String()
	}
	return strings.Join(list, ",")
}
