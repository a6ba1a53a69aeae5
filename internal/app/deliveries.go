package app

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"

	"earshot"
	"earshot/internal/config"
	"earshot/internal/fetch"
	"earshot/internal/notify/channel"
	"earshot/internal/notify/channel/email"
	"earshot/internal/notify/channel/hook"
	"earshot/internal/notify/delivery"
)

// newDeliveries returns the service that sends messages.
func (a *App) newDeliveries(secret []byte) (*delivery.Service, error) {
	password, err := config.ReadPassword("smtp.password_file", a.config.SMTPPasswordFile, a.options.SMTPPassword)
	if err != nil {
		return nil, err
	}
	senders := hook.Senders(channelClient(a.config, a.options.Version), time.Now)
	switch cfg := a.config; {
	case cfg.SMTPAddress != "" && cfg.SMTPFrom != "":
		senders[earshot.EmailChannel] = &email.Server{
			Address: cfg.SMTPAddress, Username: cfg.SMTPUsername, Password: password, From: cfg.SMTPFrom, TLS: email.TLS(cfg.SMTPTLS),
		}
	case cfg.SMTPAddress != "":
		return nil, errors.New("the setting smtp.address needs smtp.from, the sender of e-mail")
	}
	if demo := a.options.Demo; demo != nil && demo.Silent {
		for kind := range senders {
			senders[kind] = channel.Silent("Not sent: this is the demo")
		}
	}
	return &delivery.Service{
		Catalog:   a.catalog,
		Secret:    secret,
		Senders:   senders,
		AllowHTTP: a.config.AllowPrivateChannels,
		PublicURL: publicURL(a.config),
		Render:    a.composer.Render,
		Now:       a.options.Now,
		Log:       a.log,
	}, nil
}

// channelClient returns the client for requests to channels. It follows no redirects.
func channelClient(cfg config.Config, version string) *http.Client {
	o := fetch.Options{
		Ports:       []uint16{80, 443, 8080, 8443},
		Timeout:     hook.Timeout,
		MaxParallel: 2,
		UserAgent:   userAgent("", version),
	}
	if cfg.AllowPrivateChannels {
		o.Allow = isPrivateOrPublic
	}
	c := fetch.HTTP(o)
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return c
}

// publicURL returns where people open the web app: the setting or, if it is empty, the address that
// the service listens on.
func publicURL(cfg config.Config) string {
	if cfg.PublicURL != "" {
		return cfg.PublicURL
	}
	host, port, err := net.SplitHostPort(cfg.Listen)
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

// writeDeliveryMetrics writes what was sent, and what waits.
func writeDeliveryMetrics(w io.Writer, totals []delivery.Total) {
	for _, t := range totals {
		for _, outcome := range []struct {
			name string
			n    int64
		}{{"sent", t.Sent}, {"failed", t.Failed}, {"interrupted", t.Interrupted}} {
			fmt.Fprintf(w, "earshot_deliveries_total{kind=%q,outcome=%q} %d\n", string(t.Kind), outcome.name, outcome.n)
		}
		fmt.Fprintf(w, "earshot_deliveries_waiting{kind=%q} %d\n", string(t.Kind), t.Waiting)
	}
}
