package natsnode

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"earshot/internal/operate/integrity"
	"earshot/internal/state/acklog"
	"earshot/internal/state/natsfile"
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
	if n.js, err = jetstream.New(conn); err != nil {
		return err
	}
	if o.Cluster != nil {
		return n.joinExternal(ctx, shown, o)
	}
	if n.installation, err = n.findInstallation(ctx); err != nil {
		return err
	}
	if n.installation == "" {
		n.installation = cmp.Or(o.Installation, acklog.NewInstallation())
	}
	if o.Peer == nil {
		return nil
	}
	return n.comparePeer(ctx, shown, o.Peer)
}

// joinExternal makes this node one of several that use an external cluster.
func (n *Node) joinExternal(ctx context.Context, address string, o Options) (err error) {
	if n.installation, err = n.agreeOnInstallation(ctx, o); err != nil || o.Peer == nil {
		return err
	}
	return n.comparePeer(ctx, address, o.Peer.joining())
}

// comparePeer compares the streams of an external server with what the peer knows about them.
func (n *Node) comparePeer(ctx context.Context, address string, peer *Peer) error {
	state := acklog.NewState(n.installation)
	for name := range peer.Positions {
		stream, err := n.findStream(ctx, name)
		if err != nil {
			return fmt.Errorf("read the state of stream %s: %w", name, err)
		}
		if stream == nil {
			continue
		}
		info := stream.CachedInfo()
		s := state.Stream(name)
		s.Last, s.Floor = info.State.LastSeq, max(info.State.FirstSeq, 1)-1
		s.Contiguous = info.Config.MaxMsgsPerSubject <= 0
	}
	return integrity.Stopping(peer.compare(state, address, func(stream string) string { return address + " " + stream }))
}

// findInstallation returns the ID that the streams of the server carry. It is empty without streams.
func (n *Node) findInstallation(ctx context.Context) (id string, err error) {
	var from string
	for _, name := range []string{installationStream, "JOURNAL", "KV_catalog"} {
		stream, err := n.findStream(ctx, name)
		if err != nil {
			return "", fmt.Errorf("find the installation of the streams: %w", err)
		}
		if stream == nil {
			continue
		}
		found := stream.CachedInfo().Config.Metadata[natsfile.InstallationKey]
		if id != "" && found != "" && found != id {
			return "", fmt.Errorf("the stream %s belongs to installation %s, but %s to %s: they must belong to the same one", from, id, name, found)
		}
		if found != "" {
			id, from = found, name
		}
	}
	return id, nil
}

// findStream returns a stream, or nil if there is none.
func (n *Node) findStream(ctx context.Context, name string) (stream jetstream.Stream, err error) {
	err = n.Retry(ctx, func(ctx context.Context) (err error) {
		stream, err = n.js.Stream(ctx, name)
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			return nil
		}
		return err
	})
	return stream, err
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
	// If there is an @ but no username, the password contains a slash or a similar character, and
	// the apparent host is the start of the password.
	if err != nil || u.User == nil && strings.Contains(address, "@") {
		return "", false
	}
	return u.Scheme + "://" + u.Host, true
}
