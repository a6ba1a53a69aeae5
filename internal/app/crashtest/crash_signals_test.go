package crashtest

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"earshot/internal/test/testenv"
)

// TestKillsWhileSignalsAreSent kills the real binary while rules raise signals and messages are sent.
// Each rule must have raised exactly one signal. Webhooks may repeat a message with the same ID, and
// miss none. Nobody gets a chat message twice, and the ones that nobody can know about are marked.
func TestKillsWhileSignalsAreSent(t *testing.T) {
	testenv.SkipUnderRace(t)
	if testing.Short() {
		t.Skip("builds and kills the real binary")
	}
	t.Parallel()
	kills := 3
	if testenv.Long() {
		kills = 40
	}
	c := newSignalCrashes(t)
	random := rand.New(rand.NewPCG(3, uint64(kills)))
	for n := range kills {
		switch n % 3 {
		case 0:
			c.addRules(t)
			<-time.After(time.Duration(random.Float64() * float64(5*time.Second)))
			c.process.kill(t)
		case 1:
			c.killWhileSending(t, "chat")
			c.cut++
		case 2:
			c.killWhileSending(t, "webhook")
		}
		c.kills++
		c.start(t)
	}
	c.compare(t)
	c.process.kill(t)
}

// rulesPerKill is the number of rules that raise a signal at about the same time.
const rulesPerKill = 4

// signalCrashes is a service with rules whose signals are sent to a webhook and a chat.
type signalCrashes struct {
	binary, data  string
	process       *process
	token         string
	team          int64
	webhook, chat int64 // IDs of the channels
	receiver      *receiver
	words         []string // of the monitors
	monitors      []int64  // IDs of the monitors
	kills         int
	cut           int // kills while a chat message was being sent
}

// A receiver is the server of the channels.
type receiver struct {
	*httptest.Server
	mu       sync.Mutex
	webhooks map[string]map[string]int // messages by the word of their monitor and their ID; guarded by mu
	chats    map[string]int            // messages by the word of their monitor; guarded by mu
	holds    string                    // kind of the next message that gets no response; guarded by mu
	held     chan struct{}             // receives a value when it has arrived
}

// monitorName is the name of a monitor of the test.
var monitorName = regexp.MustCompile(`Survivor word\d+`)

func newReceiver(t *testing.T) *receiver {
	r := &receiver{webhooks: map[string]map[string]int{}, chats: map[string]int{}, held: make(chan struct{}, 1)}
	r.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		if err != nil {
			return // the process was killed before it had sent everything
		}
		if r.add(strings.TrimPrefix(monitorName.FindString(string(body)), "Survivor "), request.Header.Get("webhook-id")) {
			r.held <- struct{}{}
			<-request.Context().Done() // the process was killed
		}
	}))
	t.Cleanup(r.Close)
	return r
}

// add counts a message. It reports whether the message gets no response.
func (r *receiver) add(word, webhookID string) (held bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	kind := "chat"
	if webhookID != "" {
		kind = "webhook"
		if r.webhooks[word] == nil {
			r.webhooks[word] = map[string]int{}
		}
		r.webhooks[word][webhookID]++
	} else {
		r.chats[word]++
	}
	if held = r.holds == kind; held {
		r.holds = ""
	}
	return held
}

func newSignalCrashes(t *testing.T) *signalCrashes {
	t.Helper()
	c := &signalCrashes{binary: buildBinary(t), data: t.TempDir(), receiver: newReceiver(t)}
	c.start(t)
	c.process.signIn(t)
	c.token = c.process.token
	c.team = c.add(t, "/manage/v1/teams", `{"name":"Crash"}`)
	c.webhook = c.add(t, "/manage/v1/channels", fmt.Sprintf(`{"name":"Hook","team":%d,"kind":"webhook","url":%q}`, c.team, c.receiver.URL))
	c.chat = c.add(t, "/manage/v1/channels", fmt.Sprintf(`{"name":"Chat","team":%d,"kind":"teams","perHour":500,"url":%q}`, c.team, c.receiver.URL))
	return c
}

func (c *signalCrashes) start(t *testing.T) {
	t.Helper()
	c.process = start(t, c.binary, c.data, "--channels-allow-private-addresses")
	c.process.token = c.token
}

// add creates something and returns its ID.
func (c *signalCrashes) add(t *testing.T, path, body string) int64 {
	t.Helper()
	var made struct{ ID int64 }
	c.process.must(t, "POST", path, body, &made)
	return made.ID
}

// killWhileSending kills the process when a message of a kind has arrived and got no response.
func (c *signalCrashes) killWhileSending(t *testing.T, kind string) {
	t.Helper()
	c.receiver.mu.Lock()
	c.receiver.holds = kind
	c.receiver.mu.Unlock()
	c.addRules(t)
	select {
	case <-c.receiver.held:
	case <-time.After(2 * time.Minute):
		t.Fatalf("no %s message arrived\n%s", kind, c.process.Log)
	}
	c.process.kill(t)
}

// addRules adds monitors with a rule about posts, and a post for each of them.
func (c *signalCrashes) addRules(t *testing.T) {
	t.Helper()
	var posts strings.Builder
	for range rulesPerKill {
		word := fmt.Sprintf("word%d", len(c.words))
		c.words = append(c.words, word)
		id := c.add(t, "/manage/v1/monitors", fmt.Sprintf(`{"name":"Survivor %s","team":%d,"keywords":%q,"start":"2024-03-01"}`, word, c.team, word))
		c.monitors = append(c.monitors, id)
		c.add(t, "/manage/v1/rules", fmt.Sprintf(`{"monitor":%d,"kind":"post","name":"Any post","channels":[%d,%d]}`, id, c.webhook, c.chat))
		fmt.Fprintf(&posts, `{"type":"Forums","guid":%q,"date":%q,"contents":"A post about %s"}`+"\n", word, time.Now().Add(time.Second).UTC().Format(time.RFC3339), word)
	}
	c.process.must(t, "POST", "/manage/v1/posts", posts.String(), &struct{}{})
}

// compare waits until everything is sent and compares it with the signals.
func (c *signalCrashes) compare(t *testing.T) {
	t.Helper()
	for _, word := range c.words {
		c.awaitSignal(t, word)
	}
	interrupted := 0
	c.await(t, "end of the messages that no kill interrupted", func() bool {
		sent := 0
		for _, d := range c.list(t, fmt.Sprintf("/manage/v1/channels/%d/deliveries", c.chat)) {
			if d.State == "sent" {
				sent++
			}
		}
		return sent >= len(c.words)-c.kills
	})
	for _, word := range c.words {
		hook, chat := c.awaitDelivery(t, c.webhook, word), c.awaitDelivery(t, c.chat, word)
		c.receiver.mu.Lock()
		ids, chats := c.receiver.webhooks[word], c.receiver.chats[word]
		c.receiver.mu.Unlock()
		if len(ids) > 1 || hook == "sent" && len(ids) != 1 {
			t.Errorf("%s: the webhook is %s and has the IDs %v, want one", word, hook, ids)
		}
		if chats > 1 || chat == "sent" && chats != 1 {
			t.Errorf("%s: the chat message is %s and came %d times, want once", word, chat, chats)
		}
		if chat != "sent" {
			interrupted++
		}
	}
	if interrupted > c.kills || interrupted < c.cut {
		t.Errorf("%d chat messages were interrupted by %d kills, want at least %d", interrupted, c.kills, c.cut)
	}
	t.Logf("%d kills, %d signals, %d chat messages were interrupted", c.kills, len(c.words), interrupted)
}

// awaitSignal waits for the signal of a monitor. There must be one.
func (c *signalCrashes) awaitSignal(t *testing.T, word string) {
	t.Helper()
	c.await(t, "a signal of "+word, func() bool {
		n := 0
		for _, s := range c.list(t, "/manage/v1/signals?limit=1000") {
			if strings.HasPrefix(s.Title, "Survivor "+word+":") {
				n++
			}
		}
		if n > 1 {
			t.Fatalf("%s has %d signals, want one", word, n)
		}
		return n == 1
	})
}

// awaitDelivery waits until the message of a monitor is not to be sent anymore, and returns its state.
// There must be one. What was being sent at a kill stays in this state for two minutes.
func (c *signalCrashes) awaitDelivery(t *testing.T, channel int64, word string) (state string) {
	t.Helper()
	c.await(t, "the delivery of "+word, func() bool {
		states := []string{}
		for _, d := range c.list(t, fmt.Sprintf("/manage/v1/channels/%d/deliveries", channel)) {
			if strings.HasPrefix(d.Title, "Survivor "+word+":") {
				states = append(states, d.State)
			}
		}
		if len(states) > 1 {
			t.Fatalf("%s has the deliveries %v, want one", word, states)
		}
		state = strings.Join(states, "")
		return state == "sent" || state == "interrupted" || state == "sending" && !testenv.Long()
	})
	return state
}

// A crashItem is a signal or a delivery.
type crashItem struct{ Title, State string }

func (c *signalCrashes) list(t *testing.T, path string) []crashItem {
	t.Helper()
	var list struct{ Items []crashItem }
	c.process.must(t, "GET", path, "", &list)
	return list.Items
}

// await waits until a condition holds. All rules are evaluated every 5 minutes, so a rule whose
// evaluation failed on a busy machine has had another chance at the end.
func (c *signalCrashes) await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(11 * time.Minute); !holds(); <-time.After(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("there is no %s\n%s%s", what, c.state(), c.process.Log)
		}
	}
}

// state returns everything that a signal depends on.
func (c *signalCrashes) state() string {
	var state strings.Builder
	paths := []string{"/manage/v1/status", "/manage/v1/rules", "/manage/v1/signals?limit=1000", fmt.Sprintf("/manage/v1/channels/%d/deliveries", c.chat)}
	for _, id := range c.monitors {
		paths = append(paths, fmt.Sprintf("/manage/v1/monitors/%d/progress", id), fmt.Sprintf("/api/monitor/posts?id=%d&start=2024-03-01&end=2100-01-01", id))
	}
	for _, path := range paths {
		_, answer, err := c.process.call("GET", path, "")
		fmt.Fprintln(&state, path, string(answer), err)
	}
	return state.String()
}
