package earshot

import (
	"net/url"
	"slices"
	"strings"
	"unicode"
)

// IsUnsafeLink reports whether opening a URL would run it as a script or page instead of following
// a link, as with javascript: and data:. Like browsers, it ignores case, white space and control
// characters.
func IsUnsafeLink(url string) bool {
	scheme, _, ok := strings.Cut(url, ":")
	if !ok || len(scheme) > 100 {
		return false
	}
	scheme = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.IsControl(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, scheme)
	switch scheme {
	case "javascript", "vbscript", "livescript", "data", "blob", "file", "view-source":
		return true
	}
	return false
}

// CanonicalLink returns a URL without what does not identify a page: scheme, www., fragment,
// tracking parameters and a trailing slash. It is empty if the text is not the URL of a page.
func CanonicalLink(text string) string {
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	values := u.Query()
	for name := range values {
		if isTracking(name) {
			values.Del(name)
		}
	}
	link := strings.TrimPrefix(strings.ToLower(u.Host), "www.") + strings.TrimSuffix(u.EscapedPath(), "/")
	if len(values) > 0 {
		link += "?" + values.Encode()
	}
	return link
}

// isTracking reports whether a parameter of a URL says only how a reader got there.
func isTracking(name string) bool {
	name = strings.ToLower(name)
	return strings.HasPrefix(name, "utm_") || strings.HasPrefix(name, "mc_") || slices.Contains(trackingParameters, name)
}

var trackingParameters = strings.Fields("fbclid gclid dclid msclkid igshid igsh twclid yclid ref ref_src ref_url referrer s_cid cmpid ocid smid")
