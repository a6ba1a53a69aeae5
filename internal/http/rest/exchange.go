package rest

import (
	"context"
	"crypto/rand"
	"hash"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"earshot"
	"earshot/internal/limit"
)

// An exchange is one request and its response while the server processes them.
type exchange struct {
	server *server
	w      *recorder
	r      *http.Request

	id       string
	start    time.Time
	address  string       // the client's IP address
	network  netip.Prefix // the client's network
	query    query
	segments []string // path segments
	route    *Route   // nil if unknown
	caller   *earshot.Caller
	session  string       // the session cookie that identified the caller; empty if a token did
	lease    *limit.Lease // memory that the request occupies; nil: none yet
	compute  *limit.Lease // held while a long response is computed; nil: it is not long
	bodyHash hash.Hash    // of a request that may be repeated; nil: of any other
}

func newExchange(s *server, w http.ResponseWriter, r *http.Request) *exchange {
	id := requestID(r)
	w.Header().Set("X-Request-Id", id)
	address, network := clientAddress(r)
	return &exchange{
		server:   s,
		w:        &recorder{ResponseWriter: w, head: r.Method == http.MethodHead},
		r:        r,
		id:       id,
		start:    s.Now(),
		address:  address,
		network:  network,
		query:    parseQuery(r.URL.RawQuery),
		segments: splitPath(r.URL.EscapedPath()),
	}
}

// LongResponse is the memory from which on the number of responses that are computed at the same time
// is limited, also for one user. Metrics of up to two years are below it. A response that takes long
// for other reasons states at least as much.
const LongResponse = 4 << 20

// reserveResponse reserves what a response needs that takes n bytes of memory. A short one needs
// nothing.
func (x *exchange) reserveResponse(n int64) error {
	if x.server.Limits == nil || n <= 0 {
		return nil
	}
	if err := x.reserve(n); err != nil || n < LongResponse {
		return err
	}
	x.compute = x.server.Limits.Compute.Lease(x.client())
	return x.compute.Grow(x.r.Context(), 1)
}

// write sends part of a response. While the client reads it, others can compute theirs.
func (x *exchange) write(b []byte) error {
	x.compute.Shrink(1)
	if _, err := x.w.Write(b); err != nil {
		return err
	}
	return x.compute.Grow(x.r.Context(), 1)
}

// token returns the token that the client sent, or "". The specification's query parameter takes
// precedence over the header.
func (x *exchange) token() string {
	if token := x.query.get("auth"); token != "" {
		return token
	}
	scheme, token, _ := strings.Cut(x.r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// client returns whose budgets the request draws from.
func (x *exchange) client() limit.Client {
	if x.caller != nil {
		return limit.Client{User: x.caller.User, Session: x.session != ""}
	}
	return limit.Client{Network: x.network}
}

// reserve adds n bytes to the memory that the request occupies until it is finished. The error can
// be sent to the client.
func (x *exchange) reserve(n int64) error { return x.reserveUntil(x.r.Context(), n) }

// reserveUntil is reserve that waits for memory only until ctx is done.
func (x *exchange) reserveUntil(ctx context.Context, n int64) error {
	if x.server.Limits == nil || n <= 0 {
		return nil
	}
	if x.lease == nil {
		x.lease = x.server.Limits.Memory.Lease(x.client())
	}
	return x.lease.Grow(ctx, n)
}

// path returns the request's path without secrets, clipped for messages and logs.
func (x *exchange) path() string {
	path := x.r.URL.Path
	if x.route != nil && strings.Contains(x.route.Path, "{token}") {
		for i, s := range parsePattern(x.route.Path) {
			if s.name == "token" {
				path = strings.ReplaceAll(path, x.segments[i], "…")
			}
		}
	}
	return earshot.Clip(hideSecrets(path), 200)
}

// hideSecrets replaces the token of a share link or a feed, which is part of its path: /share/…,
// /share/v1/…/cards/3 and /feed/v1/…. It replaces everything below /share and /feed that is not known
// to be something else, also if no route has such a path.
func hideSecrets(path string) string {
	segments := strings.Split(path, "/")
	secret := slices.IndexFunc(segments, func(s string) bool { return strings.EqualFold(s, "share") || strings.EqualFold(s, "feed") })
	if secret < 0 {
		return path
	}
	below := segments[secret+1:]
	for i, s := range below {
		_, err := strconv.ParseUint(s, 10, 16)
		if err != nil && !slices.Contains([]string{"", "v1", "unlock", "cards", "report"}, s) {
			below[i] = "…"
		}
	}
	return strings.Join(segments, "/")
}

// method returns the request's method, clipped for messages and logs.
func (x *exchange) method() string { return earshot.Clip(x.r.Method, 20) }

// base returns the URL at which the client reached the server, without a path, for example
// "http://127.0.0.1:8080".
func (x *exchange) base() string {
	if x.r.TLS != nil {
		return "https://" + x.r.Host
	}
	return "http://" + x.r.Host
}

// scheme returns the scheme of the URL at which browsers reach the server, perhaps through a proxy.
func (x *exchange) scheme() string {
	if x.r.TLS != nil || x.server.HTTPS {
		return "https"
	}
	return "http"
}

// log returns a logger for this exchange. It omits the query string, which may contain a token or
// password.
func (x *exchange) log() *slog.Logger {
	return x.server.Log.With("id", x.id, "method", x.method(), "path", x.path())
}

// finish returns the memory, writes the access log line and calls the observer.
func (x *exchange) finish() {
	x.compute.Close()
	x.lease.Close()
	took := x.server.Now().Sub(x.start)
	user := ""
	if x.caller != nil {
		user = x.caller.Name
	}
	level := x.server.RequestLevel
	if x.route != nil && x.route.plain != nil {
		level = slog.LevelDebug // health checks and metrics scrapes occur every few seconds
	}
	x.log().Log(x.r.Context(), level, "request", "status", x.w.status, "bytes", x.w.bytes, "duration", took, "user", user, "address", x.address)

	route, method := "", x.r.Method
	if x.route != nil {
		route = x.route.Path
	}
	if !slices.Contains(methods, method) {
		method = "OTHER"
	}
	x.server.Observe(route, method, x.w.status, took)
}

// methods are the standard HTTP methods.
var methods = []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT", "TRACE"}

// clientAddress returns the IP address of the other end of the connection, and its network. It
// ignores headers that claim another address, because any client can send them.
func clientAddress(r *http.Request) (string, netip.Prefix) {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	addr, err := netip.ParseAddr(host)
	if err != nil {
		return host, netip.Prefix{}
	}
	return addr.Unmap().WithZone("").String(), limit.Network(addr)
}

// A recorder passes a response through and records its status and size.
type recorder struct {
	http.ResponseWriter
	head   bool   // HEAD request: do not send a body
	before func() // called before the header is sent; may be nil
	status int    // 0 until the header is sent
	bytes  int64

	coding     *coding
	compressor compressor // nil: the response is not compressed, or before it is written
}

func (w *recorder) WriteHeader(status int) {
	if w.status == 0 && status >= 200 { // 1xx responses precede the actual response
		w.status = status
		if w.before != nil {
			w.before()
		}
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *recorder) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	if w.compressor != nil {
		return w.compressor.Write(p)
	}
	return w.send(p)
}

// send sends a part of the body as it is.
func (w *recorder) send(p []byte) (int, error) {
	if w.head {
		return len(p), nil
	}
	n, err := w.ResponseWriter.Write(p)
	w.bytes += int64(n)
	return n, err
}

// Unwrap gives [http.ResponseController] access to the connection.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// requestID returns the ID that the client sent if it is safe in a header and a log line, and a new
// one otherwise.
func requestID(r *http.Request) string {
	if id := r.Header.Get("X-Request-Id"); isRequestID(id) {
		return id
	}
	return rand.Text()
}

func isRequestID(s string) bool {
	const allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"
	return 1 <= len(s) && len(s) <= 64 && strings.Trim(s, allowed) == ""
}
