package webtest

import (
	"fmt"
	"strings"
	"testing"

	"earshot/internal/test/webtest/browsertest"
)

// TestInvitation invites a colleague by email, who creates an account in another browser and sees the
// monitors of the team. The link then no longer works, and neither does one that was revoked.
func TestInvitation(t *testing.T) {
	t.Parallel()
	w := env(t)
	c := w.client(t)
	name, user := uniqueName("Longbourn"), uniqueName("lizzy")
	domain := user + ".example"
	address := "lizzy@" + domain
	team := c.create("/manage/v1/teams", fields{"name": name})
	c.create("/manage/v1/monitors", fields{"name": name + " only", "team": team, "keywords": name})
	p := w.signedIn(t, "/admin?tab=users")
	p.Click(`button "Invite"`)
	p.Choose(`combobox "Team"`, name)
	p.Fill(`textbox "Email (optional)"`, address)
	p.Fill(`textbox "Username (optional)"`, user)
	p.Click(`checkbox /^Sources and uploads/`)
	p.AxeInTurn()
	p.Click(`button "Create invitation"`)
	waitForText(p, "Sent to "+address+".")
	link := p.Value(`textbox "Link"`)
	p.AxeInTurn()
	p.Click(`dialog footer button`)
	p.WaitUntil(hasRow("List of invitations", address, name))
	path := strings.TrimPrefix(link, w.site)
	unquoted := strings.NewReplacer("=\n", "", "=3D", "=") // quoted-printable
	if m := w.mail.to(domain); len(m) != 1 || !strings.Contains(unquoted.Replace(m[0].text), path) {
		t.Errorf("sent %q, want a mail with %s", m, path)
	}

	guest := w.open(t, browsertest.Options{Width: 390, Height: 844, Dark: true})
	guest.Visit(path)
	guest.WaitFor(fmt.Sprintf(`heading "Join %s"`, name))
	if got := guest.Value(`textbox "Username"`); got != user {
		t.Errorf("the page suggests the username %q, want %q", got, user)
	}
	guest.AxeInTurn()
	checkWidth(t, guest)
	accept := func(username string) {
		guest.Fill(`textbox "Username"`, username)
		guest.Fill(`textbox "Password"`, "pride and prejudice")
		guest.Fill(`textbox "Confirm password"`, "pride and prejudice")
		guest.Press("Enter")
	}
	guest.Expect(409, "/manage/v1/invitations/accept")
	accept("demo")
	guest.WaitText(`[role=alert]`, "The username 'demo' is taken")
	accept(user)
	guest.WaitFor(fmt.Sprintf(`link "%s only"`, name))
	if got := guest.URL(); got != "/" {
		t.Errorf("after joining, the page is %s, want /", got)
	}
	guest.Visit(path)
	waitForText(guest, "You are signed in as "+user+".")
	guest.AxeInTurn()
	guest.Expect(404, "/manage/v1/invitations/open")
	guest.Click(`button "Sign out"`)
	guest.WaitText(`[role=alert]`, "This invitation has expired or was already used. Ask for a new one.")
	guest.AxeInTurn()

	p.Reload()
	p.WaitUntil(hasRow("List of users", user, address, name))
	p.Click(`button "Invite"`)
	p.Choose(`combobox "Team"`, name)
	p.Click(`button "Create invitation"`)
	link = p.Value(`textbox "Link"`)
	p.Click(`dialog footer button`)
	p.Click(`button "Revoke the invitation for Anyone with the link"`)
	p.Click(`dialog >> button "Revoke"`)
	waitForText(p, "Invitation revoked.")
	guest.Visit("/signin")
	guest.Visit(strings.TrimPrefix(link, w.site))
	guest.WaitText(`[role=alert]`, "This invitation has expired or was already used. Ask for a new one.")
}
