package blueskytest

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// A fault is how the network misbehaves.
type fault struct {
	silent  bool
	revoked bool
	until   time.Time       // requests are refused before
	told    map[string]bool // services that have refused a request
	status  int             // of all responses of the AppView; 0: normal
	delay   time.Duration   // of the AppView
	amnesia bool            // the AppView has no posts
	poison  string          // the AppView rejects requests that contain it
}

// Disconnect drops all connections in the middle of a message.
func (n *Network) Disconnect() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.generation++
	n.notify()
}

// Forget removes all events, as a server does with old ones. The next event is an hour later.
func (n *Network) Forget() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.events = nil
	n.ahead += time.Hour
}

// Silence makes the network send nothing, but keep connections open.
func (n *Network) Silence(on bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.fault.silent = on
	n.notify()
}

// Refuse makes the network return 429 with a Retry-After, until d has passed.
func (n *Network) Refuse(d time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.fault.until, n.fault.told = n.opts.Now().Add(d), map[string]bool{}
	n.generation++
	n.notify()
}

// Revoke makes the network permanently reject all connections.
func (n *Network) Revoke() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.fault.revoked = true
	n.generation++
	n.notify()
}

// FailAppView makes the AppView return a status, or respond normally if status is 0, after a delay.
func (n *Network) FailAppView(status int, delay time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.fault.status, n.fault.delay = status, delay
}

// RejectAppView makes the AppView return 400 to requests for an account or its posts.
func (n *Network) RejectAppView(did string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.fault.poison = did
}

// LosePosts makes the AppView lose all posts.
func (n *Network) LosePosts(on bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.fault.amnesia = on
}

// Violation returns which limit of the network a client has exceeded, or "".
func (n *Network) Violation() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.violation
}

// Connections returns the number of open connections.
func (n *Network) Connections() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.connections
}

// refuse rejects a request if it must, and reports whether it did. A second request to a service that
// said to wait is a violation.
func (n *Network) refuse(w http.ResponseWriter, service string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.fault.revoked && service == "stream" {
		w.WriteHeader(http.StatusForbidden)
		return true
	}
	left := n.fault.until.Sub(n.opts.Now())
	if left <= 0 {
		return false
	}
	if n.fault.told[service] {
		n.violation = "request to the " + service + " during Retry-After"
	}
	n.fault.told[service] = true
	w.Header().Set("Retry-After", fmt.Sprint(int((left+time.Second-1)/time.Second)))
	w.WriteHeader(http.StatusTooManyRequests)
	return true
}

// Junk sends messages that a network should never send.
func (n *Network) Junk() {
	n.mu.Lock()
	micros := n.clock().UnixMicro()
	n.mu.Unlock()
	commit := func(record string) string {
		return fmt.Sprintf(`{"did":"did:plc:junk","time_us":%d,"kind":"commit","commit":{"operation":"create","collection":"app.bsky.feed.post","rkey":"junk","record":%s}}`, micros, record)
	}
	for _, message := range []string{
		"", "{", "null", "[]", `"text"`, "\x00\xff", `{"did":1,"time_us":"x","kind":[]}`,
		commit(`{"text":`), commit(`null`), commit(`7`), commit(`{"text":7,"facets":{},"embed":[],"langs":"en"}`), commit(`{"text":""}`),
		commit(`{"text":"` + "\xff\xfe\xc0" + `","createdAt":"yesterday"}`),
		commit(`{"text":"x","facets":[{"index":{"byteStart":-5,"byteEnd":99999999},"features":[{"$type":"app.bsky.richtext.facet#mention"}]}]}`),
		commit(strings.Repeat(`{"embed":`, 20_000) + "1" + strings.Repeat("}", 20_000)),
		commit(`{"text":"` + strings.Repeat("long ", 20_000) + `"}`),
		fmt.Sprintf(`{"did":"did:plc:junk","time_us":%d,"kind":"prophecy"}`, micros),
		fmt.Sprintf(`{"did":"did:plc:junk","time_us":%d,"kind":"commit","commit":{"operation":"explode","collection":"app.bsky.feed.post","rkey":"x"}}`, micros),
		fmt.Sprintf(`{"did":"javascript:alert(1)","time_us":%d,"kind":"account","account":{"active":false,"status":"deleted"}}`, micros),
		`{"did":"did:plc:junk","time_us":7,"kind":"identity"}`,
	} {
		n.Send([]byte(message))
	}
	n.Huge(5 << 20)
}

// Huge sends a message with the given size.
func (n *Network) Huge(size int) {
	n.mu.Lock()
	if len(n.huge) < size {
		n.huge = bytes.Repeat([]byte("x"), size)
	}
	message := n.huge[:size] // shared, because the network keeps all messages
	n.mu.Unlock()
	n.Send(message)
}
