package source

import (
	"errors"
	"fmt"
	"net/url"
	"testing"

	"earshot/internal/connector"
)

func TestExplain(t *testing.T) {
	f := func(err error, want string) {
		t.Helper()
		if got := explain(err); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	refused := &url.Error{Op: "Get", URL: "https://a.example/?token=secret", Err: errors.New("connection refused")}
	f(fmt.Errorf("connect to a.example: %w", refused), "connect to a.example: connection refused")
	f(fmt.Errorf("%w: the token was revoked", connector.ErrAttention), "the token was revoked")
	f(fmt.Errorf("%w: %w", connector.ErrAttention, refused), "connection refused")
}
