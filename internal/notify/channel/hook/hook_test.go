package hook

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"earshot"
	"earshot/internal/fetch"
	"earshot/internal/notify/channel"
)

var update = flag.Bool("update", false, "rewrite golden files")

var moment = time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC)

// example is a message with everything.
func example() channel.Outgoing {
	return channel.Outgoing{
		ID: "msg_4503599627370497", Time: moment, Channel: "Alerts", Link: "https://earshot.example/signals/7?a=1&b=2", Manage: "https://earshot.example/signals/channels",
		Message: earshot.Message{
			Event: "signal.fired", Severity: earshot.Critical, Title: "Coffee & <tea>: 3.2 times as many posts", Text: "96 posts within an hour instead of 22 to 38.\nMost are about recall, fire.",
			Facts: []earshot.Fact{{Name: "Posts", Value: "96"}, {Name: "Expected", Value: "22–38 <99%>"}},
			Posts: []earshot.MessagePost{
				{Author: "ann", Source: "Twitter", Text: "Hey <!channel> @everyone, *see* [this](https://evil.example) & <https://evil.example|that>", URL: "https://example.com/1?x=1&y=2", Time: moment},
				{Author: "bob", Source: "Blogs", URL: "https://example.com/2|x", Time: moment}, // restricted text
			},
			Data: json.RawMessage(`{"id":7,"title":"Coffee & <tea>"}`),
		},
	}
}

// client returns a client for one server, which follows no redirects.
func client(t *testing.T, address string) *http.Client {
	t.Helper()
	own := netip.MustParseAddrPort(address)
	c := fetch.HTTP(fetch.Options{Allow: func(to netip.AddrPort) bool { return to == own }})
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	t.Cleanup(c.CloseIdleConnections)
	return c
}

// sendTo sends a message to a server, within a time.
func sendTo(t *testing.T, within time.Duration, kind earshot.ChannelKind, s *httptest.Server, m channel.Outgoing) channel.Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	to := channel.Address{URL: s.URL + "/services/topic", Keys: []string{"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}}
	return Senders(client(t, s.Listener.Addr().String()), func() time.Time { return moment })[kind].Send(ctx, to, m)
}

// The vector that all libraries of the specification test with.
func TestSignature(t *testing.T) {
	got, err := sign("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", []byte(`{"test": 2432232314}`))
	if want := "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="; got != want || err != nil {
		t.Errorf("got %s %v, want %s", got, err, want)
	}
	if without, _ := sign("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", []byte(`{"test": 2432232314}`)); without != got {
		t.Errorf("without the prefix: got %s", without)
	}
	to := channel.Address{URL: "https://hooks.example/"}
	if got := Senders(nil, time.Now)[earshot.WebhookChannel].Send(t.Context(), to, example()); got.Outcome != channel.Rejected || !strings.Contains(got.Error, "no signing key") {
		t.Errorf("without keys: got %+v, want that nothing is sent", got)
	}
	for _, key := range []string{"whsec_", "whsec_%", ""} {
		if _, err := sign(key, "a", "1", nil); err == nil {
			t.Errorf("key %q is accepted", key)
		}
	}
}

// TestPayloads compares complete requests with golden files.
func TestPayloads(t *testing.T) {
	template := example()
	template.Text, template.Event = "A template & <its> *text*", "signal.resolved"
	report := channel.Outgoing{ID: "msg_1", Time: moment, Message: earshot.Message{Event: "report.ready", Severity: earshot.Info, Title: "Weekly report"}}
	addresses := map[earshot.ChannelKind]channel.Address{
		earshot.WebhookChannel: {URL: "https://example.com/hook", Username: "u", Password: "p", Keys: []string{"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_c2Vjb25kIGtleSBmb3Igcm90YXRpb24="}},
		earshot.SlackChannel:   {URL: "https://hooks.slack.com/services/T/B/x"},
		earshot.TeamsChannel:   {URL: "https://example.logic.azure.com/workflows/1?sig=x"},
		earshot.DiscordChannel: {URL: "https://discord.com/api/webhooks/1/x?thread_id=5"},
		earshot.NtfyChannel:    {URL: "https://ntfy.example/below/acme-alerts", Token: "tk_1"},
	}
	for kind, to := range addresses {
		for name, m := range map[string]channel.Outgoing{"signal": example(), "template": template, "plain": report} {
			s := Senders(nil, nil)[kind].(*sender)
			q, err := s.request(to, m, moment)
			if err != nil {
				t.Fatal(err)
			}
			var body any
			if err := json.Unmarshal(q.body, &body); err != nil {
				t.Fatal(err)
			}
			pretty, _ := encodeIndented(body)
			got := "POST " + q.url + "\n"
			for _, h := range []string{"Authorization", "Webhook-Id", "Webhook-Timestamp", "Webhook-Signature"} {
				if v := q.header.Get(h); v != "" {
					got += h + ": " + v + "\n"
				}
			}
			got += "\n" + pretty
			file := filepath.Join("testdata", fmt.Sprintf("%s_%s.golden", kind, name))
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("%s: got\n%s\nwant\n%s", file, got, want)
			}
		}
	}
}

func encodeIndented(v any) (string, error) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(v)
	return b.String(), err
}

// The response of a receiver decides what happens to a message.
func TestResponses(t *testing.T) {
	f := func(kind earshot.ChannelKind, status int, header, body string, want channel.Outcome, wantError string, wait time.Duration) {
		t.Helper()
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if name, value, ok := strings.Cut(header, ": "); ok {
				w.Header().Set(name, value)
			}
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}))
		defer s.Close()
		got := sendTo(t, 30*time.Second, kind, s, example())
		if got.Outcome != want || got.Status != status || !strings.Contains(got.Error, wantError) || (got.Error == "") != (want == channel.Sent) || got.Wait != wait {
			t.Errorf("%s %d %s: got %+v, want outcome %d, error %q and wait %v", kind, status, body, got, want, wantError, wait)
		}
		if strings.Contains(got.Error, "services") {
			t.Errorf("%s %d: the error contains the address: %s", kind, status, got.Error)
		}
	}
	for _, kind := range earshot.ChannelKinds {
		if kind == earshot.EmailChannel {
			continue
		}
		f(kind, 200, "", "ok", channel.Sent, "", 0)
		f(kind, 204, "", "", channel.Sent, "", 0)
		f(kind, 301, "Location: http://127.0.0.1:1/", "", channel.Refused, "redirects to another address", 0)
		f(kind, 307, "Location: http://169.254.169.254/latest/meta-data/", "", channel.Refused, "redirects to another address", 0)
		f(kind, 410, "", "garbage \x00\xff", channel.Gone, "no longer accepts", 0)
		f(kind, 429, "Retry-After: 30", "", channel.Refused, "status 429", 30*time.Second)
		f(kind, 429, "Retry-After: "+moment.Add(time.Minute).Format(http.TimeFormat), "", channel.Refused, "status 429", time.Minute)
		f(kind, 503, "Retry-After: soon", "<html>", channel.Refused, "status 503 Service Unavailable", 0)
		f(kind, 500, "", "{", channel.Refused, "status 500", 0)
		f(kind, 502, "", strings.Repeat("x", 100_000), channel.Refused, "status 502", 0)
	}
	f(earshot.WebhookChannel, 404, "", "", channel.Refused, "status 404", 0)
	f(earshot.WebhookChannel, 400, "", "internal details", channel.Refused, "status 400 Bad Request", 0)
	f(earshot.SlackChannel, 400, "", "invalid_payload", channel.Rejected, "invalid_payload", 0)
	f(earshot.SlackChannel, 404, "", "no_service", channel.Gone, "no_service", 0)
	f(earshot.SlackChannel, 404, "", "<html>not found</html>", channel.Rejected, "status 404", 0)
	f(earshot.SlackChannel, 403, "", "action_prohibited", channel.Rejected, "action_prohibited", 0)
	f(earshot.TeamsChannel, 202, "", "", channel.Sent, "", 0)
	f(earshot.TeamsChannel, 400, "", `{"error":{"code":"InvalidAdaptiveCard"}}`, channel.Rejected, "InvalidAdaptiveCard", 0)
	f(earshot.TeamsChannel, 404, "", `{"error":{"code":"WorkflowNotFound"}}`, channel.Gone, "no longer exists", 0)
	f(earshot.TeamsChannel, 404, "", `nothing`, channel.Rejected, "status 404", 0)
	f(earshot.DiscordChannel, 429, "", `{"message":"You are being rate limited.","retry_after":2.5}`, channel.Refused, "rate limited", 2500*time.Millisecond)
	f(earshot.DiscordChannel, 429, "", `{"retry_after":1e300}`, channel.Refused, "429", 0)
	f(earshot.DiscordChannel, 404, "", `{"message":"Unknown Webhook","code":10015}`, channel.Gone, "no longer exists", 0)
	f(earshot.DiscordChannel, 401, "", `{"message":"Invalid Webhook Token","code":50027}`, channel.Gone, "no longer exists", 0)
	f(earshot.DiscordChannel, 404, "", ``, channel.Rejected, "404", 0)
	f(earshot.DiscordChannel, 400, "", `{"message":"Invalid Form Body","code":50035}`, channel.Rejected, "Invalid Form Body", 0)
	f(earshot.NtfyChannel, 401, "", `{"code":40101,"http":401,"error":"unauthorized"}`, channel.Rejected, "unauthorized", 0)
	f(earshot.NtfyChannel, 507, "", `{"error":"server full"}`, channel.Refused, "server full", 0)
}

// Whether the receiver may have got a message depends on where the attempt failed.
func TestFailures(t *testing.T) {
	const kind = earshot.SlackChannel
	f := func(name string, handler http.HandlerFunc, want channel.Outcome, wantError string) {
		t.Helper()
		s := httptest.NewServer(handler)
		defer s.Close()
		if got := sendTo(t, 2*time.Second, kind, s, example()); got.Outcome != want || !strings.Contains(got.Error, wantError) || strings.Contains(got.Error, "services") {
			t.Errorf("%s: got %+v, want outcome %d and error %q", name, got, want, wantError)
		}
	}
	f("no response", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // otherwise the server does not notice that the client has left
		<-r.Context().Done()
	}, channel.Unknown, "no response within 20 seconds")
	f("connection closed", func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) }, channel.Unknown, "EOF")
	f("slow body of a success", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}, channel.Sent, "")
	f("slow body of a failure", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(500)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}, channel.Refused, "status 500")

	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	c := Senders(client(t, address), func() time.Time { return moment })[kind]
	if got := c.Send(t.Context(), channel.Address{URL: "http://" + address + "/services/secret"}, example()); got.Outcome != channel.Refused || !strings.Contains(got.Error, "connection refused") {
		t.Errorf("connection refused: got %+v", got)
	}
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	c = Senders(client(t, plain.Listener.Addr().String()), func() time.Time { return moment })[kind]
	if got := c.Send(t.Context(), channel.Address{URL: strings.Replace(plain.URL, "http:", "https:", 1)}, example()); got.Outcome != channel.Refused {
		t.Errorf("no TLS: got %+v", got)
	}
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	defer secure.Close()
	secure.Config.ErrorLog = nil
	c = Senders(client(t, secure.Listener.Addr().String()), func() time.Time { return moment })[kind]
	if got := c.Send(t.Context(), channel.Address{URL: secure.URL}, example()); got.Outcome != channel.Refused || !strings.Contains(got.Error, "certificate") {
		t.Errorf("unknown certificate: got %+v", got)
	}
}

// Messages go to public addresses only, whatever a name resolves to, and redirects are not followed.
func TestPrivateAddresses(t *testing.T) {
	var requests atomic.Int64
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requests.Add(1) }))
	defer inside.Close()
	outside := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, inside.URL, http.StatusTemporaryRedirect)
	}))
	defer outside.Close()
	_, port, _ := net.SplitHostPort(inside.Listener.Addr().String())
	public := fetch.HTTP(fetch.Options{Ports: []uint16{80, 443}})
	public.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	for kind, s := range Senders(public, func() time.Time { return moment }) {
		for _, url := range []string{inside.URL + "/t", "http://localhost:" + port + "/t", "https://10.0.0.1/t", "http://169.254.169.254/t", "http://[::1]/t", "http://localhost/t", "http://0x7f000001/t"} {
			if got := s.Send(t.Context(), channel.Address{URL: url, Keys: []string{"whsec_AAAA"}}, example()); got.Outcome != channel.Rejected && got.Outcome != channel.Refused {
				t.Errorf("%s to %s: got %+v", kind, url, got)
			}
		}
		if got := sendTo(t, 30*time.Second, kind, outside, example()); got.Outcome != channel.Refused || !strings.Contains(got.Error, "redirects") {
			t.Errorf("%s, redirect: got %+v", kind, got)
		}
	}
	if n := requests.Load(); n != 0 {
		t.Errorf("the server inside got %d requests", n)
	}
}

// huge returns a message with as much of everything as the service allows.
func huge(text string) channel.Outgoing {
	m := example()
	repeat := func(n int) string { return strings.Repeat(text, n/utf8.RuneCountInString(text)) }
	m.Title, m.Message.Text, m.Data = repeat(300), repeat(10_000), nil
	m.Facts, m.Posts = nil, nil
	for range 20 {
		m.Facts = append(m.Facts, earshot.Fact{Name: repeat(300), Value: repeat(300)})
	}
	for range 10 {
		m.Posts = append(m.Posts, earshot.MessagePost{Author: repeat(300), Source: repeat(300), Text: repeat(1_000), URL: "https://example.com/" + strings.Repeat("x", 1_900), Time: moment})
	}
	return m
}

// The longest messages stay within the documented limits of each service.
func TestLimits(t *testing.T) {
	for _, text := range []string{"x", "&", "\\", "\"", "*", "é", "中", "😀", "a\n", "\x00", "<&>"} {
		for _, template := range []string{"", strings.Repeat(text, 20_000/len(text))} {
			m := huge(text)
			m.Text = template
			checkLimits(t, m)
		}
	}
}

func checkLimits(t *testing.T, m channel.Outgoing) {
	t.Helper()
	for kind, s := range Senders(nil, nil) {
		q, err := s.(*sender).request(channel.Address{URL: "https://example.com/topic", Keys: []string{"whsec_AAAA"}}, m, moment)
		if err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		if !utf8.Valid(q.body) || !json.Valid(q.body) {
			t.Fatalf("%s: got %q", kind, q.body)
		}
		limit := func(what string, got, limit int) {
			if got > limit {
				t.Errorf("%s: %s has size %d, want up to %d", kind, what, got, limit)
			}
		}
		runes := utf8.RuneCountInString
		switch kind {
		case earshot.WebhookChannel:
			limit("the body", len(q.body), maxWebhook)
		case earshot.TeamsChannel:
			limit("the body", len(q.body), 28_000)
		case earshot.SlackChannel:
			var got slackMessage
			if err := json.Unmarshal(q.body, &got); err != nil {
				t.Fatal(err)
			}
			limit("the message", len(got.Blocks), slackBlocks)
			sum := runes(got.Text)
			for _, b := range got.Blocks {
				if b.Text != nil {
					limit("a section", runes(b.Text.Text), slackSection)
					sum += runes(b.Text.Text)
				}
				limit("the list of fields", len(b.Fields), slackFields)
				for _, f := range b.Fields {
					limit("a field", runes(f.Text), slackField)
					sum += runes(f.Text)
				}
			}
			limit("all text", sum, 13_000)
		case earshot.DiscordChannel:
			var got discordMessage
			if err := json.Unmarshal(q.body, &got); err != nil {
				t.Fatal(err)
			}
			e := got.Embeds[0]
			limit("the title", runes(e.Title), discordTitle)
			limit("the description", runes(e.Description), discordDescription)
			limit("the list of fields", len(e.Fields), discordFields)
			sum := runes(e.Title) + runes(e.Description)
			for _, f := range e.Fields {
				limit("a name", runes(f.Name), discordName)
				limit("a value", runes(f.Value), discordValue)
				sum += runes(f.Name) + runes(f.Value)
				if f.Name == "" || f.Value == "" {
					t.Error("a field is empty, which Discord rejects")
				}
			}
			limit("the embed", sum, discordTotal)
			if string(q.body) == "" || !strings.Contains(string(q.body), `"allowed_mentions":{"parse":[]}`) {
				t.Errorf("mentions are allowed: %s", q.body)
			}
		case earshot.NtfyChannel:
			var got ntfyBody
			if err := json.Unmarshal(q.body, &got); err != nil {
				t.Fatal(err)
			}
			limit("the message", len(got.Message), 4_096)
			limit("the title", len(got.Title), ntfyTitle)
		}
	}
}

// FuzzEscaping checks that no text can leave its place in a message.
func FuzzEscaping(f *testing.F) {
	for _, seed := range []string{"<!channel>", "<@U1>", "<https://evil.example|x>", "@everyone", "[x](https://evil.example)", "a|b", "&lt;!here&gt;", "\\[x](y)", "```", "\u2028", "<", "&"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m := example()
		m.Title, m.Message.Text, m.Data = text, text, nil
		m.Facts = []earshot.Fact{{Name: text, Value: text}}
		m.Posts = []earshot.MessagePost{{Author: text, Source: text, Text: text, URL: text}}
		checkLimits(t, m)
		if escaped := clipEscaped(text, 100, slackEscape); strings.ContainsAny(escaped, "<>") {
			t.Errorf("Slack: got %q", escaped)
		} else if left := strings.NewReplacer("&amp;", "", "&lt;", "", "&gt;", "").Replace(escaped); strings.Contains(left, "&") {
			t.Errorf("Slack: an escape sequence is cut: %q", escaped)
		}
		discord := clipEscaped(text, 100, discordEscape)
		for i := 0; i < len(discord); i++ {
			switch discord[i] {
			case '\\':
				i++ // what follows is not interpreted
				if i == len(discord) {
					t.Errorf("Discord: an escape sequence is cut: %q", discord)
				}
			case '*', '_', '~', '`', '|', '>', '[', ']', '(', ')', '<', '@', '#':
				t.Errorf("Discord: %q is not escaped in %q", discord[i], discord)
			}
		}
		if link := slackLink(text, "x"); strings.Count(link, "<") > 1 || strings.Count(link, "|") > 1 || strings.Count(link, ">") > 1 {
			t.Errorf("Slack: got link %q", link)
		}
	})
}
