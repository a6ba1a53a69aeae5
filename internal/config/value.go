package config

import (
	"errors"
	"fmt"
	"net"
	"net/mail"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"earshot"
)

// A text is a string with a check.
type text struct {
	field *string
	check func(string) error
}

func (t text) Set(s string) error {
	if err := t.check(s); err != nil {
		return err
	}
	*t.field = s
	return nil
}

func (t text) String() string { return *t.field }
func (t text) Type() string   { return "string" }
func (t text) yaml() any      { return *t.field }

func acceptAny(string) error { return nil }

func isDirectory(s string) error {
	if s == "" {
		return errors.New("the name of a directory")
	}
	return nil
}

func isAddress(s string) error {
	allowed := errors.New("an address and a port from 0 to 65535, like 127.0.0.1:8080")
	_, port, err := net.SplitHostPort(s)
	if err != nil {
		return allowed
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return allowed
	}
	return nil
}

// isContact accepts an email address or the URL of a page.
func isContact(s string) error {
	if s == "" {
		return nil
	}
	if mail, err := mail.ParseAddress(s); err == nil && mail.Address == s {
		return nil
	}
	if u, err := url.Parse(s); err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && !strings.ContainsAny(s, "() ") {
		return nil
	}
	return errors.New("an email address or a URL that starts with https://")
}

// isPublicURL accepts the URL of a web server without a slash at the end.
func isPublicURL(s string) error {
	if s == "" {
		return nil
	}
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil || u.Path != "" || u.RawQuery != "" || u.Fragment != "" {
		return errors.New("a URL without a path, like https://earshot.example.com")
	}
	return nil
}

func isMailServer(s string) error {
	if s == "" {
		return nil
	}
	host, port, err := net.SplitHostPort(s)
	if n, numberErr := strconv.ParseUint(port, 10, 16); err != nil || host == "" || numberErr != nil || n == 0 {
		return errors.New("a host and a port, like mail.example.com:587")
	}
	return nil
}

func isSender(s string) error {
	if s == "" {
		return nil
	}
	if _, err := mail.ParseAddress(s); err != nil {
		return errors.New("an email address, like earshot@example.com or Earshot <earshot@example.com>")
	}
	return nil
}

// A number is an integer in a range.
type number struct {
	field    *int
	min, max int
}

func (n number) Set(s string) error {
	v, err := strconv.Atoi(s)
	if err != nil || v < n.min || v > n.max {
		return fmt.Errorf("a whole number from %d to %d", n.min, n.max)
	}
	*n.field = v
	return nil
}

func (n number) String() string { return strconv.Itoa(*n.field) }
func (n number) Type() string   { return "number" }
func (n number) yaml() any      { return *n.field }

// A boolean is true or false.
type boolean struct{ field *bool }

func (y boolean) Set(s string) error {
	switch strings.ToLower(s) {
	case "true":
		*y.field = true
	case "false":
		*y.field = false
	default:
		return errors.New("true or false")
	}
	return nil
}

func (y boolean) String() string { return strconv.FormatBool(*y.field) }
func (y boolean) Type() string   { return "bool" }
func (y boolean) yaml() any      { return *y.field }

// A choice is one of several words.
type choice struct {
	field *string
	from  []string
}

func (c choice) Set(s string) error {
	if !slices.Contains(c.from, s) {
		return fmt.Errorf("one of %s", strings.Join(c.from, ", "))
	}
	*c.field = s
	return nil
}

func (c choice) String() string { return *c.field }
func (c choice) Type() string   { return "string" }
func (c choice) yaml() any      { return *c.field }

// networks is a list of networks, separated by commas.
type networks struct{ field *[]earshot.Source }

// Set rejects unknown names, because a misspelled one would lift a restriction.
func (n networks) Set(s string) error {
	found := []earshot.Source{}
	for name := range strings.SplitSeq(s, ",") {
		name = strings.TrimSpace(name)
		if name == "" {
			continue
		}
		network, ok := earshot.FindNetwork(name)
		if !ok {
			return fmt.Errorf("any of %s", joinSources(earshot.Networks))
		}
		found = append(found, network)
	}
	*n.field = found
	return nil
}

func (n networks) String() string { return joinSources(*n.field) }
func (n networks) Type() string   { return "list" }
func (n networks) yaml() any      { return *n.field }

func joinSources(sources []earshot.Source) string {
	var all []string
	for _, s := range sources {
		all = append(all, string(s))
	}
	return strings.Join(all, ", ")
}

// origins is a list of origins, in the form in which browsers send them, separated by commas.
type origins struct{ field *[]string }

// Set rejects what no browser sends: an origin with a path, say, would never match.
func (o origins) Set(s string) error {
	var found []string
	for origin := range strings.SplitSeq(s, ",") {
		origin = strings.TrimSpace(origin)
		if origin == "" {
			continue
		}
		u, err := url.Parse(origin)
		if err != nil || !originForm.MatchString(origin) || u.Port() == defaultPorts[u.Scheme] || u.Port() != "" && portOf(u.Host) == "" {
			return errors.New("origins, each a scheme, a host in lower case and a port unless it is the default, like https://app.example.com or http://localhost:3000")
		}
		found = append(found, origin)
	}
	*o.field = found
	return nil
}

func (o origins) String() string { return strings.Join(*o.field, ", ") }
func (o origins) Type() string   { return "list" }
func (o origins) yaml() any      { return append([]string{}, *o.field...) }

var (
	originForm   = regexp.MustCompile(`^https?://([a-z0-9-]+(\.[a-z0-9-]+)*|\[[0-9a-f:.]+\])(:[1-9][0-9]{0,4})?$`)
	defaultPorts = map[string]string{"http": "80", "https": "443"}
)
