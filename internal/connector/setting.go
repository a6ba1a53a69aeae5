package connector

import (
	"fmt"
	"net/url"
	"strings"
)

// BaseURL returns the server address in a setting, without a trailing slash, or a user-facing error
// that names the setting.
func BaseURL(setting, value string) (string, error) {
	u, err := url.Parse(strings.TrimSpace(value))
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return "", fmt.Errorf("%s must be an address such as https://example.com", setting)
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return "", fmt.Errorf("%s must not contain a username, a query or a fragment", setting)
	}
	return strings.TrimRight(u.String(), "/"), nil
}
