package delivery

import (
	"net/mail"
	"net/url"
	"slices"
	"strings"
	"time"

	"earshot"
	"earshot/internal/notify/channel"
	"earshot/internal/patch"
)

// apply changes the settings of a channel and checks the result.
func (s *Service) apply(ch *earshot.Channel, of *secrets, with Settings) error {
	before := *of
	patch.Set(&ch.Name, with.Name)
	patch.Set(&of.URL, with.URL)
	patch.Set(&of.Token, with.Token)
	patch.Set(&of.Username, with.Username)
	patch.Set(&of.Password, with.Password)
	patch.Set(&ch.Recipients, with.Recipients)
	patch.Set(&ch.Template, with.Template)
	patch.Set(&ch.PerHour, with.PerHour)
	if with.Enabled != nil && *with.Enabled == !ch.Disabled.IsZero() {
		ch.Disabled, ch.DisabledReason = time.Time{}, ""
		if !*with.Enabled {
			ch.Disabled = s.now().Truncate(time.Second)
		}
	}
	if with.URL != nil && *with.URL != before.URL && before.URL != "" {
		if err := before.stay(with); err != nil {
			return err
		}
		if with.Enabled == nil { // the reason was the old address
			ch.Disabled, ch.DisabledReason = time.Time{}, ""
		}
	}
	ch.Name, ch.Template = strings.TrimSpace(ch.Name), strings.TrimSpace(ch.Template)
	of.URL, of.Token = strings.TrimSpace(of.URL), strings.TrimSpace(of.Token)
	if err := earshot.CheckText("name", ch.Name, 1, maxName); err != nil {
		return err
	}
	if ch.PerHour < 0 || ch.PerHour > MaxPerHour {
		return earshot.InvalidBody("perHour must be from 1 to %d, or 0 for %d", MaxPerHour, DefaultPerHour)
	}
	if err := checkTemplate(ch); err != nil {
		return err
	}
	if ch.Kind == earshot.EmailChannel {
		return checkEmail(ch, of)
	}
	return s.checkURL(ch, of)
}

// stay returns an error if the token or password would be sent to another address. Someone who may
// change a channel must not be able to read its secrets that way.
func (of secrets) stay(with Settings) error {
	if of.Token != "" && with.Token == nil || of.Password != "" && with.Password == nil {
		return earshot.InvalidBody("enter the token or password again, because url changes where it is sent")
	}
	return nil
}

func checkEmail(ch *earshot.Channel, of *secrets) error {
	if of.URL != "" || of.Token != "" || of.Username != "" || of.Password != "" {
		return earshot.InvalidBody("an email channel has recipients, but no url, token, username or password")
	}
	recipients := []string{}
	for _, r := range ch.Recipients {
		r = strings.TrimSpace(r)
		if !isAddress(r) {
			return earshot.InvalidBody("recipients: '%s' is not an email address", earshot.Clip(r, 100))
		}
		if !slices.ContainsFunc(recipients, func(other string) bool { return strings.EqualFold(other, r) }) {
			recipients = append(recipients, r)
		}
	}
	if len(recipients) == 0 || len(recipients) > earshot.MaxRecipients {
		return earshot.InvalidBody("recipients must have 1 to %d email addresses", earshot.MaxRecipients)
	}
	ch.Recipients, ch.Target = recipients, strings.Join(recipients, ", ")
	return nil
}

// isAddress reports whether a text is an email address and nothing else.
func isAddress(text string) bool {
	address, err := mail.ParseAddress(text)
	return err == nil && address.Name == "" && address.Address == text && isPlainAddress(text)
}

// isPlainAddress reports whether an address needs no quoting anywhere.
func isPlainAddress(address string) bool {
	return len(address) <= 254 && !strings.ContainsFunc(address, func(r rune) bool {
		return r <= ' ' || r == 0x7f || strings.ContainsRune(`"(),:;<>[\]`, r)
	})
}

// checkURL checks the address and the credentials of a channel other than email.
func (s *Service) checkURL(ch *earshot.Channel, of *secrets) error {
	if len(ch.Recipients) > 0 {
		return earshot.InvalidBody("only email channels have recipients")
	}
	u, err := url.Parse(of.URL)
	switch {
	case of.URL == "":
		return earshot.InvalidBody("url is missing")
	case err != nil, u.Host == "", len(of.URL) > maxURL, u.Fragment != "", u.Scheme != "https" && u.Scheme != "http": // does not repeat the URL, which is a secret
		return earshot.InvalidBody("url must be the complete address that starts with https://, with up to %d characters", maxURL)
	case u.Scheme == "http" && !s.AllowHTTP:
		return earshot.InvalidBody("url must start with https://")
	case u.User != nil:
		return earshot.InvalidBody("url must not contain a username or password; use the fields username and password instead")
	}
	basic := ch.Kind == earshot.WebhookChannel || ch.Kind == earshot.NtfyChannel
	switch {
	case of.Token != "" && ch.Kind != earshot.NtfyChannel:
		return earshot.InvalidBody("only ntfy channels have a token")
	case (of.Username != "" || of.Password != "") && !basic:
		return earshot.InvalidBody("only webhooks and ntfy channels have a username and password")
	case of.Token != "" && of.Username != "":
		return earshot.InvalidBody("use either a token, or a username and password")
	case (of.Username == "") != (of.Password == ""):
		return earshot.InvalidBody("username and password must be set together")
	case len(of.Token) > maxSecret || len(of.Username) > maxSecret || len(of.Password) > maxSecret || strings.Contains(of.Username, ":"):
		return earshot.InvalidBody("token, username and password must have up to %d characters, and the username no colon", maxSecret)
	case strings.ContainsFunc(of.Token+of.Username+of.Password, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return earshot.InvalidBody("token, username and password must not contain control characters")
	}
	if ch.Kind == earshot.NtfyChannel {
		if _, topic := channel.SplitTopic(u); topic == "" {
			return earshot.InvalidBody("url must end with the topic, for example https://ntfy.sh/acme-alerts-7fk2")
		}
	}
	ch.Target = u.Host
	return nil
}

func kindNames() string {
	names := make([]string, len(earshot.ChannelKinds))
	for i, k := range earshot.ChannelKinds {
		names[i] = string(k)
	}
	return strings.Join(names, ", ")
}
