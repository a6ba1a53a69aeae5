package earshot

import (
	"encoding/base64"
	"strconv"
	"strings"
)

// Text spells a key in letters, digits, - and _, so that it can be a part of an address.
func (k PostKey) Text() string {
	plain := strconv.FormatInt(int64(k.ContentSource), 10) + "/" + string(k.Source) + "/" + k.GUID
	return base64.RawURLEncoding.EncodeToString([]byte(plain))
}

// ParsePostKey returns the key that Text spells so, and whether there is one.
func ParsePostKey(text string) (PostKey, bool) {
	plain, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return PostKey{}, false
	}
	number, rest, _ := strings.Cut(string(plain), "/")
	source, guid, _ := strings.Cut(rest, "/")
	id, err := strconv.ParseInt(number, 10, 64)
	k := PostKey{Source: Source(source), ContentSource: ContentSourceID(id), GUID: guid}
	return k, err == nil && guid != "" && k.Text() == text
}
