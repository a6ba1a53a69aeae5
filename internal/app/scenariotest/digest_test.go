package scenariotest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/mmcdole/gofeed"
	"golang.org/x/net/html"

	"earshot"
	"earshot/internal/report/format"
	"earshot/internal/report/pdftext"
)

// TestAMailMatchesTheOverview reads the numbers of a scheduled report back, from the HTML and from the
// PDF file, and compares them with the overview.
func TestAMailMatchesTheOverview(t *testing.T) {
	w := newWorld(t, 14)
	w.change()
	id := w.monitors[0].id
	var monitor struct {
		Team int64
		Name string
	}
	w.get(fmt.Sprintf("/manage/v1/monitors/%d", id), &monitor)
	r := w.add("/manage/v1/reports", fmt.Sprintf(`{"team":%d,"name":"Weekly","monitors":[%d,%d],"cron":"0 8 * * 1","range":"last365","filter":"gender:F"}`, monitor.Team, id, w.monitors[0].filter))
	preview := fmt.Sprintf("/manage/v1/reports/%d/preview?format=", r)
	shown := textOfHTML(t, w.file(preview+"html"))
	pages, err := pdftext.Pages([]byte(w.file(preview + "pdf")))
	if err != nil {
		t.Fatal(err)
	}
	file := strings.Join(pages, "\n")
	for _, id := range []int64{id, w.monitors[0].filter} {
		var o overview
		w.get(fmt.Sprintf("/manage/v1/monitors/%d/overview?range=last365&filter=gender:F", id), &o)
		if o.Posts == 0 {
			t.Fatal("no posts")
		}
		want := []string{format.Number(o.Posts), format.Number(o.Authors.Count)}
		for _, c := range o.Categories {
			want = append(want, format.Number(c.Posts))
		}
		for _, text := range want {
			if !strings.Contains(shown, text+"\n") {
				t.Errorf("monitor %d: %q is not in the mail:\n%s", id, text, shown)
			}
			if !strings.Contains(file, text) {
				t.Errorf("monitor %d: %q is not in the PDF file", id, text)
			}
		}
	}
	for _, text := range []string{monitor.Name + "\n", "Filter: gender:F\n", "Volume\n", "Sentiment\n", "Change or stop this report\n"} {
		if !strings.Contains(shown, text) {
			t.Errorf("%q is not in the mail", text)
		}
	}
}

// textOfHTML returns the texts of a page, one per line, and fails if it could load or run anything.
func textOfHTML(t *testing.T, page string) string {
	t.Helper()
	var out strings.Builder
	z := html.NewTokenizer(strings.NewReader(page))
	for {
		switch z.Next() {
		case html.ErrorToken:
			if z.Err() != io.EOF {
				t.Fatal(z.Err())
			}
			return out.String()
		case html.TextToken:
			if text := strings.TrimSpace(string(z.Text())); text != "" {
				out.WriteString(html.UnescapeString(text) + "\n")
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			token := z.Token()
			switch token.Data {
			case "script", "iframe", "object", "embed", "link", "form", "svg", "base", "video":
				t.Errorf("the page contains <%s>", token.Data)
			}
			for _, a := range token.Attr {
				switch {
				case strings.HasPrefix(a.Key, "on"):
					t.Errorf("the page has a handler: %s", a.Key)
				case a.Key == "src" && !strings.HasPrefix(a.Val, "data:image/png;base64,") && !strings.HasPrefix(a.Val, "cid:"):
					t.Errorf("the page loads %s", a.Val)
				case a.Key == "href" && !strings.HasPrefix(a.Val, "http://") && !strings.HasPrefix(a.Val, "https://"):
					t.Errorf("the page links to %s", a.Val)
				case a.Key == "style" && strings.Contains(a.Val, "url("):
					t.Errorf("a style loads something: %s", a.Val)
				}
			}
		}
	}
}

// hostile is a text that tries everything.
const hostile = "<img src=x onerror=alert(1)><script>alert(2)</script>\" onmouseover=\"x' ]]> &amp; \u202e{{.}} javascript:alert(3)"

// TestHostileReports renders a report whose names and posts try to be markup.
func TestHostileReports(t *testing.T) {
	w := newWorld(t, 15)
	text, _ := json.Marshal("coffee tea milk sugar " + hostile)
	var taken struct{ Accepted int }
	w.send("/manage/v1/posts", fmt.Sprintf(`{"type":"News","guid":"h1","date":"2026-04-01T12:00:00Z","title":%s,"contents":%[1]s,"author":%[1]s,"url":"https://example.com/\"><script>x</script>","language":"en"}`, text)+"\n"+
		fmt.Sprintf(`{"type":"News","guid":"h2","date":"2026-04-01T13:00:00Z","contents":%s,"author":"eve","url":"javascript:alert(4)","language":"en"}`, text), &taken)
	if err := w.app.CatchUp(t.Context()); err != nil || taken.Accepted == 0 {
		t.Fatal(taken, err)
	}
	id := w.monitors[0].id
	var monitor struct{ Team int64 }
	w.get(fmt.Sprintf("/manage/v1/monitors/%d", id), &monitor)
	quoted, _ := json.Marshal(hostile)
	board := w.add("/manage/v1/dashboards", fmt.Sprintf(`{"team":%d,"name":%s,"cards":[{"kind":"posts","title":%[2]s,"monitor":%[3]d},{"kind":"text","text":%[2]s},{"kind":"hashtags","monitor":%[3]d},{"kind":"clock","monitor":%[3]d}]}`, monitor.Team, quoted, id))
	r := w.add("/manage/v1/reports", fmt.Sprintf(`{"team":%d,"name":%s,"monitors":[%d],"dashboards":[%d],"cron":"0 8 * * 1","range":"last365"}`, monitor.Team, quoted, id, board))
	shown := textOfHTML(t, w.file(fmt.Sprintf("/manage/v1/reports/%d/preview", r)))
	if !strings.Contains(shown, "<script>alert(2)</script>") {
		t.Errorf("the name is not shown as text:\n%s", shown)
	}
	if strings.ContainsRune(shown, '\u202e') {
		t.Error("a text changes the direction of what follows")
	}
}

// TestRenderedDeliveries renders the deliveries of a report as they are sent.
func TestRenderedDeliveries(t *testing.T) {
	w := newWorld(t, 16)
	w.change()
	id := w.monitors[0].id
	var monitor struct {
		Team earshot.TeamID
		Name string
	}
	w.get(fmt.Sprintf("/manage/v1/monitors/%d", id), &monitor)
	r := earshot.ReportID(w.add("/manage/v1/reports", fmt.Sprintf(`{"team":%d,"name":"Weekly","monitors":[%d],"cron":"0 8 * * 1","range":"last365","pdf":true,"xlsx":true}`, monitor.Team, id)))
	const mail, chat = 1, 2
	for id, kind := range map[earshot.ChannelID]earshot.ChannelKind{mail: earshot.EmailChannel, chat: earshot.SlackChannel} {
		if err := w.app.Digest.Catalog.Channels.Add(t.Context(), id, &earshot.Channel{ID: id, Team: monitor.Team, Kind: kind, Disabled: time.Unix(1, 0)}); err != nil {
			t.Fatal(err)
		}
	}
	var o overview
	w.get(fmt.Sprintf("/manage/v1/monitors/%d/overview?range=last365", id), &o)
	d := &earshot.Delivery{Team: monitor.Team, Channel: mail, Key: "report.1.2026-04-06T0700Z",
		Message: earshot.Message{Event: "report.ready", Title: "Weekly", Report: r, Period: "2026-04-20T1200Z"}}
	m, err := w.app.Deliveries.Render(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	posts := "Posts: " + format.Number(o.Posts)
	if !strings.Contains(m.Text, posts+" ") && !strings.Contains(m.Text, posts+"\n") {
		t.Errorf("%q is not in the plain text:\n%s", posts, m.Text)
	}
	if textOfHTML(t, m.HTML); !strings.HasPrefix(m.Title, "Weekly · ") || strings.ContainsAny(m.Title, "\r\n") {
		t.Errorf("got title %q", m.Title)
	}
	var names []string
	for _, a := range m.Attachments {
		names = append(names, a.Name+" "+a.Type)
		if a.ContentID != "" {
			if !strings.Contains(m.HTML, `"cid:`+a.ContentID+`"`) || !bytes.HasPrefix(a.Data, []byte("\x89PNG")) {
				t.Errorf("the mail does not show %s", a.ContentID)
			}
		}
		if _, _, err := mime.ParseMediaType(a.Type); err != nil || len(a.Data) == 0 {
			t.Errorf("%s: got type %s, %d bytes", a.Name, a.Type, len(a.Data))
		}
	}
	if all := strings.Join(names, ", "); !strings.Contains(all, ".pdf application/pdf") || !strings.Contains(all, ".xlsx ") || strings.Count(m.HTML, "cid:") != len(m.Attachments)-2 {
		t.Errorf("got attachments %s and %d pictures", all, strings.Count(m.HTML, "cid:"))
	}

	// Other channels get the key figures.
	short := *d
	short.Channel = chat
	m, err = w.app.Deliveries.Render(t.Context(), &short)
	if err != nil || m.HTML != "" || len(m.Attachments) > 0 || len(m.Facts) != 1 || m.Facts[0].Name != monitor.Name || !strings.HasPrefix(m.Facts[0].Value, format.Plural(o.Posts, "post", "posts")) {
		t.Errorf("got %+v, %v", m, err)
	}

	// What was removed.
	w.remove(fmt.Sprintf("/manage/v1/monitors/%d", id))
	if _, err := w.app.Deliveries.Render(t.Context(), d); !earshot.IsKind(err, earshot.Unprocessable) {
		t.Errorf("a report without monitors: got %v", err)
	}
	w.remove(fmt.Sprintf("/manage/v1/reports/%d", r))
	if _, err := w.app.Deliveries.Render(t.Context(), d); !earshot.IsKind(err, earshot.NotFound) {
		t.Errorf("a removed report: got %v", err)
	}
}

// TestFeeds reads a feed with a parser, and again with its tag.
func TestFeeds(t *testing.T) {
	w := newWorld(t, 17)
	w.change()
	id := w.monitors[0].id
	var feed struct{ Path string }
	w.send("/manage/v1/feeds", fmt.Sprintf(`{"kind":"posts","monitor":%d,"name":"Posts & more <b>"}`, id), &feed)
	get := func(name, value string) *http.Response {
		t.Helper()
		request := httptest.NewRequest("GET", feed.Path, nil)
		if name != "" {
			request.Header.Set(name, value)
		}
		recorder := httptest.NewRecorder()
		w.app.Handler().ServeHTTP(recorder, request)
		return recorder.Result()
	}
	first := get("", "")
	if first.StatusCode != 200 || first.Header.Get("Set-Cookie") != "" {
		t.Fatalf("got %v", first)
	}
	body, err := io.ReadAll(first.Body)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := gofeed.NewParser().Parse(bytes.NewReader(body))
	if err != nil {
		t.Fatalf("%v in\n%s", err, body)
	}
	var list struct {
		Items []struct{ URL string }
	}
	w.get(fmt.Sprintf("/manage/v1/monitors/%d/posts?sort=newest&limit=50", id), &list)
	if parsed.FeedType != "atom" || parsed.Title != "Posts & more <b>" || parsed.UpdatedParsed == nil || len(parsed.Items) != len(list.Items) || len(list.Items) == 0 {
		t.Errorf("got %s %q with %d entries, want %d", parsed.FeedType, parsed.Title, len(parsed.Items), len(list.Items))
	}
	ids := map[string]bool{}
	for _, e := range parsed.Items {
		if !strings.HasPrefix(e.GUID, "urn:uuid:") || ids[e.GUID] || e.Title == "" || e.UpdatedParsed == nil {
			t.Errorf("got entry %+v", e)
		}
		ids[e.GUID] = true
	}
	for name, value := range map[string]string{"If-None-Match": first.Header.Get("ETag"), "If-Modified-Since": first.Header.Get("Last-Modified")} {
		if again := get(name, value); value == "" || again.StatusCode != 304 {
			t.Errorf("%s %q: got %d, want 304", name, value, again.StatusCode)
		}
	}
	if other := get("If-None-Match", `"x"`); other.StatusCode != 200 {
		t.Errorf("another tag: got %d", other.StatusCode)
	}
	w.remove(fmt.Sprintf("/manage/v1/monitors/%d", id))
	if gone := get("", ""); gone.StatusCode != 404 {
		t.Errorf("the feed of a removed monitor: got %d, want 404", gone.StatusCode)
	}
}

// remove deletes an object.
func (w *world) remove(path string) {
	w.Helper()
	request := httptest.NewRequest("DELETE", path, nil)
	request.Header.Set("Authorization", "Bearer "+w.token)
	recorder := httptest.NewRecorder()
	w.app.Handler().ServeHTTP(recorder, request)
	if recorder.Code != http.StatusNoContent {
		w.Fatalf("DELETE %s: got %d %s", path, recorder.Code, recorder.Body)
	}
}
