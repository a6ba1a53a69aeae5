package report

import (
	"cmp"
	"strings"

	"earshot"
)

// FileName returns a name for a file: the parts in lower case, everything but letters and digits
// replaced by hyphens.
func FileName(extension string, parts ...string) string {
	words := strings.FieldsFunc(strings.ToLower(strings.Join(parts, " ")), func(r rune) bool {
		return !('a' <= r && r <= 'z' || '0' <= r && r <= '9' || r >= 0x80 && isLetterOrDigit(r))
	})
	name := strings.TrimRight(earshot.Clip(strings.Join(words, "-"), maxFileName), "-…")
	return cmp.Or(name, "report") + "." + extension
}

const maxFileName = 120
