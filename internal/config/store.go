package config

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
)

// LocalStore is the value of Config.Store for posts in the data directory.
const LocalStore = "local"

// ClickHouse is a ClickHouse database.
type ClickHouse struct {
	URL      string // of the HTTP interface, such as http://db:8123
	User     string
	Database string
	TLS      bool
}

// ClickHouse returns the database with the posts. If ok is false, they are in the data directory.
func (c Config) ClickHouse() (db ClickHouse, ok bool) {
	if c.Store == LocalStore || c.Store == "" {
		return ClickHouse{}, false
	}
	db, err := ParseClickHouse(c.Store)
	return db, err == nil // Load has checked it
}

// validateStore checks settings that depend on each other.
func (c Config) validateStore() error {
	db, remote := c.ClickHouse()
	switch {
	case hasPassword(c.Store): // this message must not contain it
		return errors.New("setting store: the URL must not contain a password: put it into the file that store.password_file names, or into EARSHOT_STORE_PASSWORD")
	case !remote && c.StoreCluster != "":
		return errors.New("setting store.cluster: needs store, the URL of a ClickHouse database")
	case !remote && c.StorePasswordFile != "":
		return errors.New("setting store.password_file: needs store, the URL of a ClickHouse database")
	case !db.TLS && c.StoreCAFile != "":
		return errors.New("setting store.ca_file: needs store to be a URL that starts with clickhouses://, which encrypts the connection")
	}
	return nil
}

// isStore accepts "local" and URLs of ClickHouse databases. It also accepts a URL with a password,
// which validateStore rejects without showing it.
func isStore(s string) error {
	if s == LocalStore || hasPassword(s) {
		return nil
	}
	_, err := ParseClickHouse(s)
	return err
}

// hasPassword reports whether s seems to be a URL with a password, even if the rest is malformed.
func hasPassword(s string) bool {
	_, rest, isURL := strings.Cut(s, "://")
	end := strings.LastIndex(rest, "@")
	return isURL && end >= 0 && strings.Contains(rest[:end], ":")
}

// ParseClickHouse parses the URL of a ClickHouse database, such as clickhouse://earshot@db:8123/earshot.
// With the scheme clickhouses, connections are encrypted. Without a port, it is the usual one of the
// HTTP interface: 8123, or 8443 if encrypted. Without a user, it is default. An error is a phrase that
// describes the allowed values.
func ParseClickHouse(s string) (db ClickHouse, err error) {
	allowed := errors.New("local, or the URL of a ClickHouse database, like clickhouse://earshot@db.example.com:8123/earshot, or clickhouses:// for an encrypted connection")
	u, err := url.Parse(s)
	if err != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || u.Opaque != "" {
		return ClickHouse{}, allowed
	}
	scheme, port := "http", "8123"
	switch u.Scheme {
	case "clickhouse":
	case "clickhouses":
		scheme, port, db.TLS = "https", "8443", true
	default:
		return ClickHouse{}, allowed
	}
	if p := u.Port(); p != "" {
		port = p
	}
	address := net.JoinHostPort(u.Hostname(), port)
	if u.Hostname() == "" || portOf(address) == "" || strings.HasSuffix(u.Host, ":") || strings.ContainsAny(u.Hostname(), ", %") {
		return ClickHouse{}, allowed
	}
	db.URL, db.User = scheme+"://"+address, "default"
	if u.User != nil {
		db.User = u.User.Username()
	}
	if db.User == "" || strings.ContainsFunc(db.User, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return ClickHouse{}, allowed
	}
	db.Database = strings.TrimPrefix(u.Path, "/")
	if !isDatabaseName(db.Database) {
		return ClickHouse{}, fmt.Errorf("%w; the name of the database has up to 64 ASCII letters, digits and underscores and does not start with a digit", allowed)
	}
	return db, nil
}

// isDatabaseName accepts names that need no quotes in SQL.
func isDatabaseName(s string) bool {
	return isWord(s, "_") && (s[0] < '0' || s[0] > '9')
}

func isStoreCluster(s string) error {
	if s != "" && !isWord(s, "-_.") {
		return errors.New("up to 64 letters, digits, dots, hyphens and underscores, like earshot")
	}
	return nil
}
