package mastodon

import (
	"testing"

	"earshot/internal/connector/connectortest"
	"earshot/internal/test/testenv"
)

func TestContract(t *testing.T) {
	connectortest.Run(t, testenv.Race, func(t *testing.T, clock connectortest.Clock) *connectortest.Fake {
		return newFake(t, clock.Now).network()
	})
}

// TestContractPolling runs the contract without an access token. Edits and deletions are found only
// when posts are read again, which takes longer than the contract allows.
func TestContractPolling(t *testing.T) {
	connectortest.Run(t, testenv.Race, func(t *testing.T, clock connectortest.Clock) *connectortest.Fake {
		f := newFake(t, clock.Now).network()
		f.Secret, f.Edit, f.Delete, f.DeleteAccount = "", nil, nil, nil
		return f
	})
}
