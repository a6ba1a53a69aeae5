package delivery

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"earshot"
)

func TestChannelChecks(t *testing.T) {
	inWorld(t, func(w *world) {
		f := func(kind earshot.ChannelKind, with Settings, want string) {
			w.Helper()
			if with.Name == nil {
				with.Name = ptr("Alerts")
			}
			_, _, err := w.Add(w.Context(), w.ann, 1, kind, with)
			switch {
			case want == "" && err != nil:
				w.Errorf("got %v", err)
			case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
				w.Errorf("got %v, want %q", err, want)
			}
		}
		url := func(s string) Settings { return Settings{URL: &s} }
		f(earshot.SlackChannel, url("https://hooks.slack.com/services/T/B/x"), "")
		f(earshot.SlackChannel, url(""), "url is missing")
		f(earshot.SlackChannel, url("hooks.slack.com/services"), "must be the complete address")
		f(earshot.SlackChannel, url("ftp://hooks.slack.com/services"), "must be the complete address")
		f(earshot.SlackChannel, url("https://hooks.slack.com/"+strings.Repeat("x", maxURL)), "must be the complete address")
		f(earshot.SlackChannel, url("http://hooks.slack.com/services"), "must start with https://")
		f(earshot.WebhookChannel, url("https://ann:secret@example.com/"), "must not contain a username")
		f(earshot.WebhookChannel, Settings{URL: ptr("https://example.com/"), Username: ptr("u")}, "must be set together")
		f(earshot.WebhookChannel, Settings{URL: ptr("https://example.com/"), Username: ptr("u"), Password: ptr("p\r\nx: y")}, "control characters")
		f(earshot.SlackChannel, Settings{URL: ptr("https://example.com/"), Username: ptr("u"), Password: ptr("p")}, "only webhooks and ntfy")
		f(earshot.SlackChannel, Settings{URL: ptr("https://example.com/"), Token: ptr("t")}, "only ntfy")
		f(earshot.NtfyChannel, url("https://ntfy.sh/"), "must end with the topic")
		f(earshot.NtfyChannel, url("https://ntfy.sh/acme"), "")
		f(earshot.SlackChannel, Settings{URL: ptr("https://example.com/"), Recipients: &[]string{"a@example.com"}}, "only email channels have recipients")
		f(earshot.EmailChannel, Settings{Recipients: &[]string{"a@example.com", "A@example.com", "b@example.com"}}, "")
		f(earshot.EmailChannel, Settings{Recipients: &[]string{}}, "must have 1 to 50")
		f(earshot.EmailChannel, Settings{Recipients: &[]string{"Ann <a@example.com>"}}, "is not an email address")
		f(earshot.EmailChannel, Settings{Recipients: &[]string{"a@example.com\r\nBcc: b@example.com"}}, "is not an email address")
		f(earshot.EmailChannel, Settings{Recipients: &[]string{`"a b"@example.com`}}, "is not an email address")
		f(earshot.EmailChannel, Settings{Recipients: &[]string{"a@example.com"}, URL: ptr("https://example.com")}, "no url")
		f("fax", url("https://example.com/"), "kind 'fax' is unknown")
		f(earshot.SlackChannel, Settings{Name: ptr(" "), URL: ptr("https://example.com/")}, "name must have 1 to 200")
		f(earshot.SlackChannel, Settings{URL: ptr("https://example.com/"), PerHour: ptr(501)}, "perHour must be from 1 to 500")
		f(earshot.WebhookChannel, Settings{URL: ptr("https://example.com/"), Template: ptr("{{.Title}}")}, "has no template")
		f(earshot.SlackChannel, Settings{URL: ptr("https://example.com/"), Template: ptr("{{.Titel}}")}, "template: ")
		delete(w.Senders, earshot.EmailChannel)
		f(earshot.EmailChannel, Settings{Recipients: &[]string{"a@example.com"}}, "an administrator has to set smtp.address")

		if _, _, err := w.Add(w.Context(), w.bob, 1, earshot.SlackChannel, Settings{Name: ptr("x"), URL: ptr("https://example.com/")}); !earshot.IsKind(err, earshot.NotFound) {
			w.Errorf("bob: got %v, want not found", err)
		}
		for _, ch := range w.List(w.ann, 1) {
			if ch.Kind == earshot.EmailChannel && !slices.Equal(ch.Recipients, []string{"a@example.com", "b@example.com"}) {
				w.Errorf("got recipients %v, want each once", ch.Recipients)
			}
		}
	})
}

func TestChannelSecrets(t *testing.T) {
	inWorld(t, func(w *world) {
		ch, key, err := w.Add(w.Context(), w.ann, 1, earshot.WebhookChannel, Settings{
			Name: ptr("Hook"), URL: ptr("https://hooks.example/very-secret-path"), Username: ptr("robot"), Password: ptr("hunter2222")})
		w.must(err)
		if !strings.HasPrefix(key, "whsec_") || len(key) != len("whsec_")+44 {
			w.Errorf("got key %s", key)
		}
		if ch.Target != "hooks.example" || ch.Username != "robot" || !ch.HasToken {
			w.Errorf("got %+v", ch)
		}
		stored, err := w.store.Get(w.Context(), fmt.Sprintf("channel.%d", ch.ID))
		w.must(err)
		for _, secret := range []string{"very-secret-path", "hunter2222", key[6:30]} {
			if bytes.Contains(stored.Value, []byte(secret)) {
				w.Errorf("the record contains %s", secret)
			}
		}
		record, err := w.find(w.ann, ch.ID)
		w.must(err)
		of, err := w.open(record)
		w.must(err)
		for _, text := range []string{
			`Post "https://hooks.example/very-secret-path": dial tcp: refused`, "GET /very-secret-path", "password hunter2222", "signed with " + key, "path very-secret-path",
		} {
			if got := of.redact(text); strings.Contains(got, "very-secret-path") || strings.Contains(got, "hunter2222") || strings.Contains(got, key[6:]) || !strings.Contains(got, "…") {
				w.Errorf("got %q", got)
			}
		}

		// Someone who may change the channel must not be able to read the password.
		_, err = w.Edit(w.Context(), w.ann, ch.ID, Settings{URL: ptr("https://evil.example/")})
		if err == nil || !strings.Contains(err.Error(), "enter the token or password again") {
			w.Errorf("got %v", err)
		}
		_, err = w.Edit(w.Context(), w.ann, ch.ID, Settings{Name: ptr("Robot"), Edits: ptr(int64(9))})
		if !earshot.IsKind(err, earshot.Conflict) {
			w.Errorf("got %v, want a conflict", err)
		}
		edited, err := w.Edit(w.Context(), w.ann, ch.ID, Settings{Name: ptr("Robot"), Edits: ptr(int64(0))})
		if err != nil || edited.Name != "Robot" || edited.Revision != 1 {
			w.Errorf("got %+v %v", edited, err)
		}

		// Both keys sign for a day.
		_, second, err := w.Rotate(w.Context(), w.ann, ch.ID)
		w.must(err)
		keys := func() []string {
			ch, err := w.find(w.ann, ch.ID)
			w.must(err)
			of, err := w.open(ch)
			w.must(err)
			return of.address(ch, w.now()).Keys
		}
		if got := keys(); !slices.Equal(got, []string{second, key}) {
			w.Errorf("got %v, want the new and the old key", got)
		}
		time.Sleep(keyOverlap)
		if got := keys(); !slices.Equal(got, []string{second}) {
			w.Errorf("got %v, want the new key", got)
		}
		if _, _, err := w.Rotate(w.Context(), w.ann, w.add(earshot.SlackChannel).ID); err == nil {
			w.Error("a Slack channel has a signing key")
		}
	})
}

func TestRemoveChannel(t *testing.T) {
	inWorld(t, func(w *world) {
		ch, other := w.add(earshot.SlackChannel), w.add(earshot.SlackChannel)
		w.must(w.Catalog.Rules.Add(w.Context(), 7, &earshot.Rule{ID: 7, Team: 1, Channels: []earshot.ChannelID{ch.ID, other.ID}}))
		w.must(w.Catalog.Reports.Add(w.Context(), 8, &earshot.ScheduledReport{ID: 8, Team: 1, Channels: []earshot.ChannelID{ch.ID}}))
		w.enqueue(w.Service, "a", ch, other)
		if err := w.Remove(w.Context(), w.bob, ch.ID); !earshot.IsKind(err, earshot.NotFound) {
			w.Errorf("bob: got %v, want not found", err)
		}
		w.must(w.Remove(w.Context(), w.ann, ch.ID))
		w.wantStates(ch, "")
		w.wantStates(other, "waiting")
		rule, _ := w.Catalog.Rules.Find(7)
		report, _ := w.Catalog.Reports.Find(8)
		if !slices.Equal(rule.Channels, []earshot.ChannelID{other.ID}) || len(report.Channels) != 0 {
			w.Errorf("got channels %v of the rule and %v of the report", rule.Channels, report.Channels)
		}
	})
}

func TestChannelsAreLimited(t *testing.T) {
	inWorld(t, func(w *world) {
		for range earshot.MaxChannels {
			w.add(earshot.SlackChannel)
		}
		_, _, err := w.Add(w.Context(), w.ann, 1, earshot.SlackChannel, Settings{Name: ptr("x"), URL: ptr("https://example.com/")})
		if err == nil || !strings.Contains(err.Error(), "has 100 channels, which is the maximum") {
			w.Errorf("got %v", err)
		}
	})
}
