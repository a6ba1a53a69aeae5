package delivery

import (
	"strings"
	"testing"

	"earshot"
	"earshot/internal/notify/channel"
)

// TestMail sends a message with a secret, which is neither stored nor logged.
func TestMail(t *testing.T) {
	inWorld(t, func(w *world) {
		m := earshot.Message{Title: "Invitation", Path: "/invitation#token=secret1"}
		w.must(w.Mail(w.Context(), "lizzy@example.com", m))
		sent := w.sender.messages()
		if len(sent) != 1 || strings.Join(sent[0].to.Recipients, " ") != "lizzy@example.com" || sent[0].Link != "https://earshot.example/invitation#token=secret1" || sent[0].Channel != "" {
			t.Errorf("sent %+v", sent)
		}
		keys, err := w.store.Keys(w.Context(), ">")
		w.must(err)
		if len(keys) == 0 || strings.Contains(strings.Join(keys, " "), "delivery") || strings.Contains(w.log.String(), "secret1") {
			t.Errorf("stored %v, logged %s", keys, w.log)
		}
		w.sender.set(func(f *fakeSender) {
			f.always = &channel.Result{Outcome: channel.Rejected, Error: "no such mailbox"}
		})
		for to, want := range map[string]string{"lizzy@example.com": "no such mailbox", "lizzy": "'lizzy' is not an email address", "a@example.com, b@example.com": "'a@example.com, b@example.com' is not an email address"} {
			if err := w.Mail(w.Context(), to, m); err == nil || err.Error() != want {
				t.Errorf("%s: got %v, want %s", to, err, want)
			}
		}
		delete(w.Senders, earshot.EmailChannel)
		if err := w.Mail(w.Context(), "lizzy@example.com", m); !earshot.IsKind(err, earshot.Invalid) {
			t.Errorf("without a mail server: got %v", err)
		}
	})
}
