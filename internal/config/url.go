package config

import (
	"net"
	"os"
)

// WebURL returns where people open the web app: the setting or, if it is empty, the address that
// the service listens on.
func (c Config) WebURL() string {
	if c.PublicURL != "" {
		return c.PublicURL
	}
	host, port, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return ""
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		if host, err = os.Hostname(); err != nil {
			host = "localhost"
		}
	}
	return "http://" + net.JoinHostPort(host, port)
}
