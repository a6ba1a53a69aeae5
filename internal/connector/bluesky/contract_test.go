package bluesky

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"earshot/internal/connector"
	"earshot/internal/connector/bluesky/blueskytest"
	"earshot/internal/connector/connectortest"
	"earshot/internal/test/testenv"
)

func TestContract(t *testing.T) {
	for _, protocol := range []string{"v1", "v2"} {
		t.Run(protocol, func(t *testing.T) {
			t.Parallel()
			connectortest.Run(t, testenv.Race, func(t *testing.T, clock connectortest.Clock) *connectortest.Fake { return newFake(t, clock, protocol) })
		})
	}
}

func newFake(t *testing.T, clock connectortest.Clock, protocol string) *connectortest.Fake {
	n := blueskytest.Start(blueskytest.Options{Now: clock.Now})
	t.Cleanup(n.Close)
	settings := connector.Settings(n.Settings())
	settings["protocol"] = protocol
	return &connectortest.Fake{
		Kind:     Kind(),
		Settings: settings,
		Publish: func(count int) (guids []string) {
			for i := range count {
				guids = append(guids, n.Publish(fmt.Sprintf("Post %d about %s", i, connectortest.Word)))
			}
			return guids
		},
		Edit: func(guid string) string {
			word := fmt.Sprintf("edit%d", rand.Int64())
			n.Edit(guid, connectortest.Word+" "+word)
			return word
		},
		Delete:        n.Delete,
		DeleteAccount: func(guid string) []string { return n.SetStatus(guid, "deleted") },
		Disconnect:    n.Disconnect,
		Forget:        n.Forget,
		Refuse:        n.Refuse,
		Revoke:        n.Revoke,
		Junk: func(count int) {
			for range count {
				n.Junk()
			}
		},
		Violation: n.Violation,
	}
}
