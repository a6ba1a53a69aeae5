package fetch

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// maxURL is the maximum length of a URL. Browsers do not accept longer ones.
const maxURL = 8 << 10

// transport returns a transport without a proxy that checks the address of every connection after
// DNS resolution.
func (c *Client) transport() *http.Transport {
	dialer := &net.Dialer{Timeout: 5 * time.Second, Control: c.checkDial}
	return &http.Transport{
		Proxy:                  nil, // a proxy from the environment would connect for us, unchecked
		DialContext:            dialer.DialContext,
		TLSHandshakeTimeout:    5 * time.Second,
		ResponseHeaderTimeout:  c.opts.Timeout,
		MaxResponseHeaderBytes: 64 << 10,
		MaxIdleConns:           16,
		MaxIdleConnsPerHost:    c.opts.MaxParallel,
		IdleConnTimeout:        30 * time.Second,
	}
}

// checkDial rejects connections to addresses that are not public. It sees the address that is
// actually dialed, so DNS rebinding cannot bypass it.
func (c *Client) checkDial(network, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("%w: %s", ErrRefused, address)
	}
	return c.check(to)
}

func (c *Client) check(to netip.AddrPort) error {
	if c.opts.Allow != nil && c.opts.Allow(to) {
		return nil
	}
	if !slices.Contains(c.opts.Ports, to.Port()) {
		return fmt.Errorf("%w: port %d", ErrRefused, to.Port())
	}
	if !IsPublic(to.Addr()) {
		return fmt.Errorf("%w: %s is not public", ErrRefused, to.Addr())
	}
	return nil
}

// checkRedirect decides whether to follow a redirect.
func (c *Client) checkRedirect(req *http.Request, via []*http.Request) error {
	if len(via) > max(c.opts.MaxRedirects, 0) {
		return errors.New("too many redirects")
	}
	req.Header.Del("Referer") // for privacy, do not disclose one server to another
	return c.checkURL(req.URL)
}

// parse parses a URL and rejects disallowed ones.
func (c *Client) parse(rawURL string) (*url.URL, error) {
	if len(rawURL) > maxURL {
		return nil, fmt.Errorf("%w: longer than %d bytes", ErrRefused, maxURL)
	}
	u, err := url.Parse(rawURL)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	return u, c.checkURL(u)
}

// checkURL rejects early, with a clear error, what checkDial would reject, as far as the URL shows
// it. checkDial also checks the addresses that names resolve to.
func (c *Client) checkURL(u *url.URL) error {
	port, err := portOf(u)
	if err != nil {
		return err
	}
	host := u.Hostname()
	switch {
	case host == "":
		return fmt.Errorf("%w: no host", ErrRefused)
	case u.User != nil:
		return fmt.Errorf("%w: contains a username or password for %s", ErrRefused, host)
	}
	if ip, err := netip.ParseAddr(strings.TrimSuffix(host, ".")); err == nil {
		return c.check(netip.AddrPortFrom(ip, port))
	}
	if !slices.Contains(c.opts.Ports, port) && c.opts.Allow == nil {
		return fmt.Errorf("%w: port %d", ErrRefused, port)
	}
	return nil
}

// portOf returns the port of an HTTP URL.
func portOf(u *url.URL) (uint16, error) {
	text := u.Port()
	switch {
	case u.Scheme == "http" && text == "":
		return 80, nil
	case u.Scheme == "https" && text == "":
		return 443, nil
	case u.Scheme != "http" && u.Scheme != "https":
		return 0, fmt.Errorf("%w: scheme %q", ErrRefused, u.Scheme)
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return 0, fmt.Errorf("%w: port %q", ErrRefused, text)
	}
	return uint16(port), nil
}
