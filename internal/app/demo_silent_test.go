package app

import (
	"reflect"
	"testing"

	"earshot"
	"earshot/internal/notify/channel"
)

// Everyone knows the passwords of the demo, so its channels send nothing.
func TestTheDemoSendsNothing(t *testing.T) {
	a := &App{config: testConfig(t), options: Options{Demo: &Demo{Silent: true}}}
	a.config.SMTPAddress, a.config.SMTPFrom = "mail.example:25", "earshot@example.com"
	s, err := a.newDeliveries(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range earshot.ChannelKinds {
		result := s.Senders[kind].Send(t.Context(), channel.Address{URL: "https://hooks.example", Recipients: []string{"ann@example.com"}}, channel.Outgoing{})
		if want := (channel.Result{Outcome: channel.Rejected, Error: "Not sent: this is the demo"}); !reflect.DeepEqual(result, want) {
			t.Errorf("%s: got %+v, want %+v", kind, result, want)
		}
	}
}
