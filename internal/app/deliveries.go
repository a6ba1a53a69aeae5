package app

import (
	"errors"
	"net/http"
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
		return nil, errors.New("the setting smtp.address needs smtp.from, the sender of email")
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
		PublicURL: a.config.WebURL(),
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
		UserAgent:   fetch.UserAgent(version, ""),
	}
	if cfg.AllowPrivateChannels {
		o.Allow = fetch.IsPrivateOrPublic
	}
	c := fetch.HTTP(o)
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return c
}
