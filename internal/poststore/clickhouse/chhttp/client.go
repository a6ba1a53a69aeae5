// Package chhttp is a small client of ClickHouse's HTTP interface. Rows travel in the Native format,
// whose columns are those of the package [proto]. Values are always bound as parameters.
//
// All settings of a statement are part of its SQL, and no statement needs a session, so consecutive
// statements may reach different servers behind a load balancer.
package chhttp

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/ClickHouse/ch-go/proto"
)

// Options configure a client.
type Options struct {
	URL            string // for example "https://clickhouse:8443"
	User, Password string
	Database       string
	TLS            *tls.Config
	Timeout        time.Duration     // of a query, or of an attempt to insert; 0 means none
	Settings       map[string]string // of every statement
	Log            *slog.Logger      // may be nil
	Observe        func(Observation) // is called after every request, if not nil

	// RetryWaits is how long to wait after each failed attempt of an insert. The attempt after the
	// last wait is final. Nil means some default.
	RetryWaits []time.Duration
}

// An Observation describes a request that has ended, for metrics.
type Observation struct {
	Kind     string // "exec", "query" or "insert"
	Code     int    // of an [Error]; 0: success; -1: another error, for example of the network
	Duration time.Duration
	Rows     int // that were received or sent
}

// A Client runs statements. Several goroutines may use it at once.
type Client struct {
	url     *url.URL
	options Options
	timed   map[string]string // settings of statements with a timeout
	http    *http.Client
	health  *health
	log     *slog.Logger
	waits   []time.Duration
	wait    func(ctx context.Context, d time.Duration) error // before an insert is repeated
}

// A Statement is SQL with its values and settings.
type Statement struct {
	SQL      string // without SETTINGS and FORMAT clauses
	Args     *Args  // may be nil
	Settings map[string]string
}

// New returns a client. It does not connect.
func New(o Options) (*Client, error) {
	u, err := url.Parse(o.URL)
	switch {
	case err != nil:
		return nil, errors.New("the URL of ClickHouse is invalid") // the error would quote it with its password
	case u.Scheme != "http" && u.Scheme != "https", u.Host == "":
		return nil, errors.New("the URL of ClickHouse must look like https://host:8443")
	case u.User != nil, u.RawQuery != "", u.Fragment != "":
		return nil, errors.New("the URL of ClickHouse must contain neither a user nor parameters")
	}
	if u.Path == "" {
		u.Path = "/"
	}
	if err := checkSettings(o.Settings); err != nil {
		return nil, err
	}
	o.Settings = maps.Clone(o.Settings)
	timed := map[string]string{}
	if o.Timeout > 0 {
		// The server does not notice that a client has given up.
		timed["max_execution_time"] = strconv.Itoa(int(math.Ceil(o.Timeout.Seconds())))
	}
	maps.Copy(timed, o.Settings)
	log := o.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	waits := o.RetryWaits
	if waits == nil {
		waits = defaultWaits
	}
	return &Client{
		url:     u,
		options: o,
		timed:   timed,
		log:     log,
		waits:   waits,
		wait:    wait,
		health:  newHealth(),
		http: &http.Client{
			Transport: &http.Transport{
				DialContext:         (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 15 * time.Second}).DialContext,
				TLSClientConfig:     o.TLS,
				TLSHandshakeTimeout: 10 * time.Second,
				MaxIdleConnsPerHost: 32,
				IdleConnTimeout:     3 * time.Second, // shorter than the server's keep_alive_timeout
				DisableCompression:  true,            // gzip is slower than networks within a data center
			},
			// A redirect would send the password to another server.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

// Database returns the database of the client.
func (c *Client) Database() string { return c.options.Database }

// Close closes idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Exec runs a statement and ignores its output. It may take as long as it needs: it may be a change of
// many rows.
func (c *Client) Exec(ctx context.Context, s Statement) error {
	sql, err := c.sql(s, "", c.options.Settings)
	if err != nil {
		return err
	}
	return c.run(ctx, request{kind: "exec", sql: sql, args: s.Args}, discard)
}

// Query runs a SELECT statement. It decodes each block of rows into out and then calls each with the
// number of rows. The columns of out are valid until each returns. An error of each ends the query and
// is returned. If the server cannot be reached, the error is an [earshot.Error].
func (c *Client) Query(ctx context.Context, s Statement, out proto.Results, each func(rows int) error) error {
	sql, err := c.sql(s, "Native", c.timed)
	if err != nil {
		return err
	}
	ctx, cancel := c.deadline(ctx)
	defer cancel()
	ctx, stop := c.WhileUp(ctx)
	defer stop()
	return unavailable(c.run(ctx, request{kind: "query", sql: sql, args: s.Args}, func(r *response) error {
		return r.blocks(out, each)
	}))
}

// defaultWaits are the default of [Options.RetryWaits].
var defaultWaits = []time.Duration{200 * time.Millisecond, time.Second, 3 * time.Second, 10 * time.Second}

// Insert inserts rows. The server ignores an insert with a token that it has seen, so a caller that
// does not know whether an insert succeeded may repeat it with the same rows and token. Insert itself
// repeats after network errors, and after errors that do not tell whether the rows were written. The
// columns must not change until Insert returns.
func (c *Client) Insert(ctx context.Context, table, token string, in proto.Input) error {
	if len(in) == 0 || in[0].Data.Rows() == 0 {
		return nil
	}
	sql, err := c.insertSQL(table, token, in)
	if err != nil {
		return err
	}
	rows, err := newBody(in)
	if err != nil {
		return fmt.Errorf("encode rows of %s: %w", table, err)
	}
	defer rows.release()
	r := request{kind: "insert", sql: sql, body: rows, rows: in[0].Data.Rows()}
	for attempt := 0; ; attempt++ {
		err := c.insertOnce(ctx, r)
		if err == nil || !retryable(err) || attempt == len(c.waits) || ctx.Err() != nil {
			return err
		}
		c.log.Warn("inserting again", "table", table, "attempt", attempt+1, "error", err)
		if err := c.wait(ctx, c.waits[attempt]); err != nil {
			return err
		}
	}
}

func (c *Client) insertOnce(ctx context.Context, r request) error {
	ctx, cancel := c.deadline(ctx)
	defer cancel()
	ctx, stop := c.WhileUp(ctx)
	defer stop()
	return c.run(ctx, r, discard)
}

// deadline applies the timeout.
func (c *Client) deadline(ctx context.Context) (context.Context, context.CancelFunc) {
	if c.options.Timeout <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, c.options.Timeout, errTimeout)
}

// wait waits until d has passed or ctx is canceled.
func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
