package earshot

import (
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
