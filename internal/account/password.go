package account

import (
	"time"

	"earshot"
	"earshot/internal/secret/password"
)

// temporaryLife is how long a temporary password works: long enough to hand it over after a weekend.
const temporaryLife = 7 * 24 * time.Hour

// passwordExpiry returns when a new password expires, or the zero value if it is not temporary.
func (s *Service) passwordExpiry(temporary bool) time.Time {
	if !temporary {
		return time.Time{}
	}
	return s.now().Add(temporaryLife).Truncate(time.Second).UTC()
}

// checkPassword returns an error unless the user may choose the password.
func checkPassword(username, chosen string) error {
	if reason := password.Weakness(username, chosen); reason != "" {
		return earshot.InvalidBody("password %s", reason)
	}
	return nil
}
