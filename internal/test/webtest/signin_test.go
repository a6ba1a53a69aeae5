package webtest

import (
	"testing"

	"earshot/internal/demo"
	"earshot/internal/test/webtest/browsertest"
)

// TestSignIn tries a wrong password, then signs in, gets to the requested page, and signs out.
func TestSignIn(t *testing.T) {
	t.Parallel()
	p := env(t).open(t, browsertest.Options{})
	p.Expect(401, "/manage/v1/session")
	p.Visit("/streams")
	p.Fill(`textbox "Username"`, demo.Username)
	p.Fill(`textbox "Password"`, "wrong")
	p.Press("Enter")
	p.WaitText(`[role=alert]`, "Wrong username or password.")
	p.Fill(`textbox "Password"`, demo.Password)
	p.Press("Enter")
	p.WaitFor(`link /Coffee machines live/`)
	if got := p.URL(); got != "/streams" {
		t.Errorf("URL: got %s, want /streams", got)
	}
	p.Click(`button "Sign out"`)
	p.WaitFor(`button "Sign in"`)
	p.Reload()
	p.WaitFor(`button "Sign in"`)
}
