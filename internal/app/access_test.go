package app

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"earshot/internal/account"
	"earshot/internal/connector"
	"earshot/internal/http/rest"
	"earshot/internal/model/enrich"
)

// accessFile is the access matrix: for each endpoint, a request and the status that each kind of
// caller gets. The first line names the callers. {name} is an object of team Acme; {name+} is a new
// one for each caller, for requests that delete it.
//
// go test -update rewrites the statuses; review the diff.
const accessFile = "testdata/access.txt"

// accessCallers are the columns of the matrix.
var accessCallers = []struct {
	name string
	caller
}{
	{"anonymous", caller{}},
	{"forged", caller{by: byBadToken}},                // a token that we did not sign
	{"other", caller{"outsider", byToken}},            // a member of another team, with all permissions but admin
	{"bare", caller{"bare", byToken}},                 // a member of Acme without permissions
	{"member", caller{"member", byToken}},             // a member of Acme with all permissions but admin
	{"permanent", caller{"member", byPermanentToken}}, //
	{"session", caller{"member", bySession}},          //
	{"bareSession", caller{"member", byBareSession}},  // without the CSRF token
	{"otherSite", caller{"member", byOtherSite}},      //
	{"noAPI", caller{"noapi", bySession}},             // a member of Acme without API access
	{"admin", caller{"admin", byToken}},               //
	{"adminSession", caller{"admin", bySession}},      //
}

// An accessRow is an endpoint in the matrix.
type accessRow struct {
	method, path, query, body string
	statuses                  []int
}

// isFor reports whether the row is for a route. It names an object where the route has a variable.
func (r *accessRow) isFor(route rest.Route) bool {
	pattern, path := strings.Split(route.Path, "/"), strings.Split(r.path, "/")
	return r.method == route.Method && slices.EqualFunc(pattern, path, func(a, b string) bool {
		return a == b || strings.HasPrefix(a, "{") && strings.HasPrefix(b, "{")
	})
}

var update = flag.Bool("update", false, "rewrite the expected statuses in testdata/access.txt")

func TestAccessMatrix(t *testing.T) {
	a, err := Open(context.Background(), testConfig(t), accessOptions())
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	ready(t, a)
	w := newAccessWorld(t, a)
	rows := readAccess(t)
	for _, route := range a.routes {
		if len(rest.Describe([]rest.Route{route})) == 0 {
			continue // a file, a page or a probe: public, and without a caller
		}
		i := slices.IndexFunc(rows, func(r *accessRow) bool { return r.isFor(route) })
		if i < 0 {
			t.Errorf("%s %s is not in %s: add a line with a valid request and run go test -update", route.Method, route.Path, accessFile)
			continue
		}
		w.checkAccess(t, route, rows[i])
	}
	for _, r := range rows {
		if !slices.ContainsFunc(a.routes, r.isFor) {
			t.Errorf("%s has %s %s, which is not a route", accessFile, r.method, r.path)
		}
	}
	if *update {
		writeAccess(t, rows)
	}
}

func accessOptions() Options {
	o := testOptions(&bytes.Buffer{})
	o.Log = nil
	o.Enrich = enrich.Facts()
	o.SourceKinds = []connector.Kind{quietKind()}
	return o
}

// checkAccess sends the request of a row by all callers.
func (w *accessWorld) checkAccess(t *testing.T, route rest.Route, row *accessRow) {
	for i, c := range accessCallers {
		w.ids["password"] = passwordOf(c.user)
		method, path, body := row.method, w.fill(w.fresh(row.path+row.query)), w.fill(w.fresh(row.body))
		got := w.status(c.caller, method, path, body)
		if strings.HasSuffix(row.path, "/session/password") {
			w.resetPasswords()
		}
		if *update {
			row.statuses = append(row.statuses[:i], got)
		}
		if i >= len(row.statuses) || row.statuses[i] != got {
			t.Errorf("%s %s by %s: got %d, want %v", method, path, c.name, got, row.statuses)
		}
		if problem := accessProblem(route, row, c.name, got); problem != "" {
			t.Errorf("%s %s by %s: got %d, %s", method, path, c.name, got, problem)
		}
	}
}

// status sends a request and returns the status of the response. It does not wait for a response
// that does not end.
func (w *accessWorld) status(c caller, method, path, body string) int {
	if !strings.HasSuffix(path, "/events") {
		return w.as(c, method, path, body).Code
	}
	tb := w.TB
	defer func() { w.TB = tb }()
	ctx, cancel := context.WithTimeout(tb.Context(), 50*time.Millisecond)
	defer cancel()
	w.TB = contextTB{tb, ctx}
	r := w.as(c, method, path, body)
	return r.Code
}

type contextTB struct {
	testing.TB
	ctx context.Context
}

func (t contextTB) Context() context.Context { return t.ctx }

// accessProblem returns what is wrong with a status, whatever the matrix says.
func accessProblem(route rest.Route, row *accessRow, caller string, got int) string {
	public := route.Access == rest.Public
	reads := row.method == "GET" && !slices.Contains(changingGETs, route.Path)
	member := slices.Contains([]string{"member", "permanent", "session", "noAPI"}, caller)
	switch {
	case got >= 500:
		return "a failure of the server"
	case public:
		return ""
	case (caller == "anonymous" || caller == "forged") && got != 401 && row.path != "/manage/v1/session":
		return "want 401"
	case caller == "otherSite" && got != 403:
		return "want 403: the request comes from another site"
	case caller == "bareSession" && !reads && got != 403:
		return "want 403: the request lacks the CSRF token"
	case (route.Access == rest.Admin || route.Access == rest.StreamsAdmin) && (member || caller == "bare" || caller == "other") && got != 403:
		return "want 403: the endpoint is for administrators"
	case (route.Access == rest.Content || route.Access == rest.Streams) && caller == "bare" && got != 403:
		return "want 403: the caller lacks the permission"
	case caller == "other" && usesObject(row) && got != 403 && got != 404 && got != 400:
		return "want 403 or 404: the object belongs to another team"
	case (caller == "admin" || caller == "adminSession") && (got == 401 || got == 403 || got == 404):
		return "want success: administrators may do everything"
	case caller == "noAPI" && (strings.Contains(row.path, "/notes/") || strings.Contains(row.path, "/comments/")) && got == 403:
		return "" // a note belongs to the member who wrote it
	case member && route.Access < rest.StreamsAdmin && (got == 401 || got == 403 || got == 404) && caller+row.path != "noAPI/manage/v1/session/token":
		return "want success: the caller is a member with the permission"
	}
	return ""
}

// changingGETs are the GETs that change state.
var changingGETs = []string{"/api/stream/{streamid}/posts", "/api/realtime/monitor/enable", "/api/realtime/monitor/disable"}

// usesObject reports whether a request names an object of team Acme.
func usesObject(row *accessRow) bool {
	for _, name := range []string{"monitor", "filter", "stream", "source", "live", "linked", "realtime", "opinion", "twitter", "facebook", "instagram", "result", "training", "team", "annotation", "view", "share", "report", "feed", "client", "rule", "signal"} {
		if strings.Contains(row.path+row.query+row.body, "{"+name+"}") || strings.Contains(row.path+row.query+row.body, "{"+name+"+}") {
			return true
		}
	}
	return false
}

// fresh replaces {name+} by the ID of a new object.
func (w *accessWorld) fresh(text string) string {
	for name, create := range map[string]func() string{
		"monitor": w.monitor, "filter": w.filter, "stream": w.stream, "source": w.source, "live": w.live, "training": w.training,
		"linked": w.linkedStream, "annotation": w.annotation, "view": w.view, "tag": w.tag, "note": w.note,
		"dashboard": w.dashboard, "corrected": w.corrected, "unsampled": w.unsampled, "sample": w.sample, "labeled": w.labeled, "report": w.report, "feed": w.feed, "client": w.client, "channel": w.channel, "delivery": w.delivery,
		"rule": w.rule, "signal": w.signal,
		"team": func() string { return w.create("teams", w.fill(`{"name":"Team {n}"}`)) },
		"share": func() string {
			id, _ := w.shareLink(w.fill(`{"monitor":{monitor}}`))
			return id
		},
		"invitation": func() string { return w.create("invitations", w.fill(`{"team":{team}}`)) },
		"invited":    w.invited,
		"user": func() string {
			return w.create("users", w.fill(`{"username":"user {n}","password":"tea kettle whistle"}`))
		},
	} {
		if strings.Contains(text, "{"+name+"+}") {
			text = strings.ReplaceAll(text, "{"+name+"+}", create())
		}
	}
	return text
}

// linkedStream returns a new stream with a monitor.
func (w *accessWorld) linkedStream() string {
	id := w.stream()
	w.admin("PUT", w.fill("/manage/v1/streams/"+id+"/monitors/{monitor}"), "")
	return id
}

// resetPasswords restores the passwords of all users.
func (w *accessWorld) resetPasswords() {
	w.Helper()
	for _, u := range w.app.Accounts.ListUsers() {
		password := passwordOf(u.Username)
		if _, err := w.app.Accounts.EditUser(w.Context(), u.ID, account.UserChanges{Password: &password}); err != nil {
			w.Fatal(err)
		}
	}
}

func readAccess(t *testing.T) (rows []*accessRow) {
	t.Helper()
	text, err := os.ReadFile(accessFile)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\n")
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, " "):
			row := rows[len(rows)-1]
			for _, field := range strings.Fields(line) {
				n, err := strconv.Atoi(field)
				if err != nil {
					t.Fatalf("%s: %v", line, err)
				}
				row.statuses = append(row.statuses, n)
			}
		default:
			method, rest, _ := strings.Cut(line, " ")
			address, body, _ := strings.Cut(rest, " ")
			path, query, hasQuery := strings.Cut(address, "?")
			row := &accessRow{method: method, path: path, body: body}
			if hasQuery {
				row.query = "?" + query
			}
			rows = append(rows, row)
		}
	}
	return rows
}

func writeAccess(t *testing.T, rows []*accessRow) {
	t.Helper()
	var b strings.Builder
	b.WriteString("# The status that each kind of caller gets. See access_test.go.\n#\n#")
	for _, c := range accessCallers {
		fmt.Fprintf(&b, " %*s", max(len(c.name), 3), c.name)
	}
	b.WriteString("\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "\n%s\n ", strings.TrimSpace(fmt.Sprintf("%s %s%s %s", r.method, r.path, r.query, r.body)))
		for i, status := range r.statuses {
			fmt.Fprintf(&b, " %*d", max(len(accessCallers[i].name), 3), status)
		}
		b.WriteString("\n")
	}
	if err := os.WriteFile(accessFile, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
