package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"earshot/internal/app"
	"earshot/internal/app/processtest"
	"earshot/internal/config"
	"earshot/internal/model/enrich"
	"earshot/internal/secret/password"
)

// damageData is what is known about the data directory of the damage campaign.
type damageData struct {
	Tokens   map[string]string // by user; some are no longer valid
	Monitors []int64
	Why      int64    // the opinion monitor
	Survey   int64    // a content source
	Queries  []string // requests whose responses belong to the truth
}

// A builder fills the data directory of the damage campaign: everything that Earshot stores is in
// use, over three runs of the service. The last run is killed while the journal has entries that
// the post store has not flushed.
type builder struct {
	*testing.T
	*rand.Rand
	damageData
	app          *app.App
	token        string
	posts        int
	data         string
	acme         int64
	bulk, drinks int64
	users        map[string]int64
}

func damageConfig(data string) config.Config {
	cfg := config.New()
	cfg.Data, cfg.RateLimit, cfg.RetentionUnmatched, cfg.RestrictedSources = data, 0, 0, nil
	return cfg
}

func damageOptions(log *slog.Logger) app.Options {
	return app.Options{
		Version: "test", AdminPassword: processtest.AdminPassword, Enrich: enrich.Facts(), Log: log,
		Hasher: password.Hasher{Memory: 64, Passes: 1, Threads: 1},
	}
}

// buildDamageData fills a new data directory, writes what it knows to a file, and kills its own
// process.
func buildDamageData(t *testing.T, data, file string) {
	b := &builder{
		T: t, Rand: rand.New(rand.NewPCG(21, 1)), data: data,
		damageData: damageData{Tokens: map[string]string{}}, users: map[string]int64{},
	}
	b.run(b.first)
	b.run(b.second)
	b.open()
	b.third()
	writeJSON(t, file, b.damageData)
	b.last()
	killSelf(t)
}

// killSelf ends the process abruptly.
func killSelf(t *testing.T) {
	p, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = p.Kill()
	}
	t.Fatalf("the process is still running: %v", err)
}

func (b *builder) open() {
	b.Helper()
	var err error
	if b.app, err = app.Open(context.Background(), damageConfig(b.data), damageOptions(nil)); err != nil {
		b.Fatal(err)
	}
	if err := b.app.Ready(b.Context()); err != nil {
		b.Fatal(err)
	}
}

// run opens the service, does some work and closes the service.
func (b *builder) run(work func()) {
	b.Helper()
	b.open()
	work()
	b.app.Close()
}

// do sends a request that must succeed, and returns the response.
func (b *builder) do(method, path, body string) string {
	b.Helper()
	answer := respond(b.app, method, path, b.token, body)
	if !strings.HasPrefix(answer, "2") {
		b.Fatalf("%s %s: %s", method, path, answer)
	}
	return answer[len("200 "):]
}

// send is do for requests whose response is decoded.
func (b *builder) send(method, path, body string, answer any) {
	b.Helper()
	b.must(json.Unmarshal([]byte(b.do(method, path, body)), answer))
}

// add creates an object and returns its ID.
func (b *builder) add(path, body string) int64 {
	b.Helper()
	var made struct{ ID int64 }
	b.send("POST", path, body, &made)
	return made.ID
}

// must fails the test if err is not nil.
func (b *builder) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

func (b *builder) first() {
	b.signIn("admin", processtest.AdminPassword)
	b.token = b.Tokens["admin"]
	b.acme = b.add("/manage/v1/teams", `{"name":"Acme"}`)
	beta := b.add("/manage/v1/teams", `{"name":"Beta"}`)
	doomed := b.add("/manage/v1/teams", `{"name":"Doomed"}`)
	b.do("DELETE", fmt.Sprintf("/manage/v1/teams/%d", doomed), "")
	b.do("PUT", "/manage/v1/contract", `{"documentsPerDay":100000,"queriesPerYear":1000,"periodStart":"2024-01-01"}`)
	for i, user := range []string{"ann", "bob", "cat", "dan"} {
		b.users[user] = b.add("/manage/v1/users", fmt.Sprintf(
			`{"username":%q,"password":"long enough %s","teams":[%d],"apiAccess":true,"permissions":["content","streams"]}`, user, user, []int64{b.acme, beta}[i%2]))
		b.signIn(user, "long enough "+user)
	}
	b.Survey, b.bulk = b.addSource("Survey"), b.addSource("Bulk")
	b.importPosts(120) // before there are monitors
	b.addMonitors()
	b.addStreams()
	b.train()
	for range 6 {
		b.importPosts(60)
		b.upload(20)
	}
	b.uploadBulk()
	b.must(b.app.WriteSourceRecords(b.Context(), 40))
	b.must(b.app.RejectEntry())
	b.analyze(2)
	b.must(b.app.CatchUp(b.Context()))
	b.take(5)
	b.do("POST", fmt.Sprintf("/api/content/delete?documentType=%d", b.bulk), `[{"guid":"b1"},{"guid":"b2"}]`)
	b.must(b.app.CatchUp(b.Context()))
	b.must(b.app.Compact(b.Context()))
	b.must(b.app.TrimJournal(b.Context(), 3))
}

func (b *builder) second() {
	b.do("PATCH", fmt.Sprintf("/manage/v1/users/%d", b.users["ann"]), `{"password":"a changed password"}`)
	b.do("DELETE", fmt.Sprintf("/manage/v1/users/%d", b.users["bob"]), "")
	b.token = b.Tokens["cat"]
	b.do("DELETE", "/manage/v1/tokens", "") // revokes the token
	b.token = b.Tokens["admin"]
	b.importPosts(150)
	b.upload(30)
	b.do("POST", fmt.Sprintf("/api/content/delete?documentType=%d", b.Survey), `[{"guid":"s1"},{"guid":"s2"},{"guid":"s3"}]`)
	b.do("PATCH", fmt.Sprintf("/manage/v1/monitors/%d", b.Monitors[1]), `{"keywords":"tea OR milk"}`)
	b.awaitMatched()
	b.must(b.app.Compact(b.Context()))
	b.importPosts(80)
	b.must(b.app.CatchUp(b.Context()))
	b.must(b.app.WriteSourceRecords(b.Context(), 25))
	b.take(5)
	b.analyze(1)
}

func (b *builder) third() {
	b.importPosts(90)
	b.upload(15)
	b.must(b.app.CatchUp(b.Context()))
	b.Queries = b.queries()
	for _, path := range b.Queries {
		respond(b.app, "GET", path, b.token, "") // fills the day cache
	}
	b.do("POST", fmt.Sprintf("/manage/v1/monitors/%d/training", b.Why), b.lessons("Price", 5, 20))
	b.awaitMatched()
	b.must(b.app.TrimJournal(b.Context(), 5))
	b.must(b.app.CatchUp(b.Context()))
}

// last makes changes that are acknowledged right before the process is killed.
func (b *builder) last() {
	b.importPosts(40)
	b.upload(10)
	b.do("POST", fmt.Sprintf("/api/content/delete?documentType=%d", b.Survey), `[{"guid":"s4"},{"guid":"s5"}]`)
	b.do("DELETE", fmt.Sprintf("/manage/v1/users/%d", b.users["dan"]), "")
	b.add("/manage/v1/teams", `{"name":"Latest"}`)
	b.must(b.app.WriteSourceRecords(b.Context(), 3))
	b.analyze(1)
	b.must(b.app.CatchUp(b.Context()))
	b.take(3)
	b.upload(10) // on a busy machine, the post store may have flushed everything else
	unflushed, err := b.app.Unflushed(b.Context())
	b.must(err)
	if unflushed == 0 {
		b.Fatal("the post store has flushed everything")
	}
}

func (b *builder) signIn(user, password string) {
	b.Helper()
	var answer struct{ Auth string }
	b.send("POST", "/manage/v1/tokens", fmt.Sprintf(`{"username":%q,"password":%q,"noExpiration":true}`, user, password), &answer)
	b.Tokens[user] = answer.Auth
}

func (b *builder) addSource(name string) int64 {
	b.Helper()
	var made struct{ ContentSource struct{ ID int64 } }
	b.send("POST", "/api/content/sources", fmt.Sprintf(`{"teamid":%d,"name":%q}`, b.acme, name), &made)
	return made.ContentSource.ID
}

func (b *builder) addMonitors() {
	for _, body := range []string{
		`"name":"Coffee","keywords":"coffee OR espresso","timezone":"America/New_York"`,
		`"name":"Tea","keywords":"tea"`,
		`"name":"Why","type":"OPINION","keywords":"coffee","categories":[{"name":"Taste"},{"name":"Price"}]`,
		`"name":"Twitter","type":"SOCIAL","account":{"network":"Twitter","handle":"@Acme"}`,
	} {
		b.Monitors = append(b.Monitors, b.add("/manage/v1/monitors", fmt.Sprintf(`{"team":%d,"start":"2024-03-01",%s}`, b.acme, body)))
	}
	b.Why = b.Monitors[2]
	filter := b.add(fmt.Sprintf("%s/%d/filters", "/manage/v1/monitors", b.Monitors[0]), `{"name":"Milk","keywords":"milk"}`)
	b.do("POST", fmt.Sprintf("%s/%d/snapshots", "/manage/v1/monitors", b.Monitors[3]),
		`[{"date":"2024-03-03","followers":1000},{"date":"2024-03-08","followers":1100},{"date":"2024-03-11","likes":5}]`)
	b.Monitors = append(b.Monitors, filter)
}

func (b *builder) addStreams() {
	b.drinks = b.add("/manage/v1/streams", fmt.Sprintf(`{"name":"Drinks","team":%d}`, b.acme))
	teapot := b.add("/manage/v1/streams", fmt.Sprintf(`{"name":"Teapot","team":%d}`, b.acme))
	b.do("PUT", fmt.Sprintf("/manage/v1/streams/%d/monitors/%d", b.drinks, b.Monitors[0]), "")
	b.do("PUT", fmt.Sprintf("/manage/v1/streams/%d/monitors/%d", b.drinks, b.Monitors[1]), "")
	b.do("PUT", fmt.Sprintf("/manage/v1/streams/%d/monitors/%d", teapot, b.Monitors[1]), "")
}

func (b *builder) train() {
	for _, category := range []string{"Taste", "Price"} {
		b.do("POST", fmt.Sprintf("%s/%d/training", "/manage/v1/monitors", b.Why), b.lessons(category, 15, 400))
	}
	b.awaitMatched()
}

// lessons returns training posts. Long ones fill the blocks of the catalog.
func (b *builder) lessons(category string, n, length int) string {
	var documents []map[string]string
	for i := range n {
		text := map[string]string{"Taste": "coffee with a rich taste ", "Price": "the price of coffee is high "}[category]
		documents = append(documents, map[string]string{
			"url": fmt.Sprintf("https://example.com/%s/%d/%d", category, length, i), "date": "2024-03-01T08:30:00Z", "language": "en",
			"contents": text + processtest.Noise(b.Rand, length),
		})
	}
	body, err := json.Marshal(map[string]any{"category": category, "documents": documents})
	b.must(err)
	return string(body)
}

func (b *builder) awaitMatched() {
	b.Helper()
	_, err := b.app.Contents(b.Context()) // waits for rematching
	b.must(err)
}

// importPosts imports posts, some of which replace others.
func (b *builder) importPosts(n int) {
	b.Helper()
	var lines bytes.Buffer
	for range n {
		b.posts++
		at := time.Date(2024, time.March, 2, 0, 0, 0, 0, time.UTC).Add(time.Duration(b.IntN(12*24*3600)) * time.Second)
		author := []string{"acme", "ann", "bob", "cleo"}[b.IntN(4)]
		fmt.Fprintf(&lines, `{"type":%q,"guid":"g%d","url":"https://site%d.example/%d","date":%q,"author":"%s (%s)","authorUsername":%q,"contents":%q,"likes":%d,"authorGender":%q}`+"\n",
			[]string{"Twitter", "News", "Bluesky"}[b.IntN(3)], b.IntN(700), b.IntN(5), b.posts, at.Format(time.RFC3339), author, author, author, b.sentence(), b.IntN(50), []string{"M", "F"}[b.IntN(2)])
	}
	var taken struct{ Accepted int }
	b.send("POST", "/manage/v1/posts", lines.String(), &taken)
	if taken.Accepted != n {
		b.Fatalf("%d of %d posts were accepted", taken.Accepted, n)
	}
}

func (b *builder) sentence() string {
	var words []string
	for range 2 + b.IntN(8) {
		words = append(words, []string{"coffee", "tea", "milk", "sugar", "price", "taste", "rich", "#morning", "football", "high"}[b.IntN(10)])
	}
	return strings.Join(words, " ")
}

// upload uploads documents, some of which replace others.
func (b *builder) upload(n int) {
	b.Helper()
	var items []string
	for _, i := range b.Perm(120)[:n] {
		items = append(items, fmt.Sprintf(`{"guid":"s%d","date":"2024-03-%02dT12:00:00Z","contents":%q}`, i, 2+b.IntN(12), b.sentence()))
	}
	b.do("POST", fmt.Sprintf("/api/content/upload?documentType=%d&batch=b%d", b.Survey, b.IntN(3)), `{"items":[`+strings.Join(items, ",")+`]}`)
}

// uploadBulk fills the first block of the journal.
func (b *builder) uploadBulk() {
	for i := range 12 {
		var items []string
		for k := range 100 {
			items = append(items, fmt.Sprintf(`{"guid":"b%d","date":"2024-03-05T12:00:00Z","contents":%q}`, 100*i+k, processtest.Noise(b.Rand, 7300)))
		}
		b.do("POST", fmt.Sprintf("/api/content/upload?documentType=%d&batch=bulk", b.bulk), `{"items":[`+strings.Join(items, ",")+`]}`)
	}
	b.do("POST", fmt.Sprintf("/api/content/delete?documentType=%d&batch=bulk", b.bulk), "")
}

// analyze requests analyses.
func (b *builder) analyze(n int) {
	for i := range n {
		b.do("POST", "/api/results", fmt.Sprintf(`{"analysis":["volume","gender","location"],"keywords":"coffee OR tea","sources":["TWITTER","NEWS"],"startDate":"2024-03-%02dT00:00:00","endDate":"2024-03-%02dT00:00:00","timezone":"UTC"}`, 3+i, 4+i))
	}
}

// take takes posts from the queue of a stream.
func (b *builder) take(n int) {
	var answer struct{ Posts []json.RawMessage }
	b.send("GET", fmt.Sprintf("/api/stream/%d/posts?count=%d", b.drinks, n), "", &answer)
	if len(answer.Posts) != n {
		b.Fatalf("the stream has %d posts, want %d", len(answer.Posts), n)
	}
}

// queries returns requests for what users see.
func (b *builder) queries() (paths []string) {
	const days = "&start=2024-03-01&end=2024-03-20"
	for _, id := range b.Monitors {
		for _, metric := range []string{"results", "volume", "sources", "demographics/gender"} {
			paths = append(paths, fmt.Sprintf("/api/monitor/%s?id=%d%s", metric, id, days))
		}
	}
	return append(paths,
		fmt.Sprintf("/api/monitor/trainingposts?id=%d", b.Why), "/api/monitor/list", "/api/team/list", "/manage/v1/users",
		"/api/content/sources/list", "/api/stream/list", "/manage/v1/contract", "/manage/v1/analyses")
}

// respond returns the status and the body of a response.
func respond(a *app.App, method, path, token, body string) string {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	w := httptest.NewRecorder()
	a.Handler().ServeHTTP(w, r)
	return fmt.Sprint(w.Code, " ", w.Body)
}

// observe returns everything that a running service stores and shows.
func (d *damageData) observe(ctx context.Context, a *app.App) (app.Contents, error) {
	c, err := a.Contents(ctx)
	if err != nil {
		return nil, err
	}
	for _, path := range d.Queries {
		c["query "+path] = d.query(a, path)
	}
	for user, token := range d.Tokens {
		c["access with the token of "+user] = respond(a, "GET", "/manage/v1/session", token, "")
	}
	for _, password := range []string{"long enough ann", "a changed password"} {
		status, _, _ := strings.Cut(respond(a, "POST", "/manage/v1/tokens", "", fmt.Sprintf(`{"username":"ann","password":%q}`, password)), " ")
		c["access with the password "+password] = status
	}
	return c, d.probe(ctx, a, c)
}

// computed is when a result was computed, which is not stored.
var computed = regexp.MustCompile(`"creationDate":"[^"]*"`)

func (d *damageData) query(a *app.App, path string) string {
	return computed.ReplaceAllString(respond(a, "GET", path, d.Tokens["admin"], ""), "")
}

// probe makes changes, which must continue where the acknowledged ones ended: IDs and positions are
// new, and a replaced document counts once.
func (d *damageData) probe(ctx context.Context, a *app.App, c app.Contents) error {
	c["probe team"] = respond(a, "POST", "/manage/v1/teams", d.Tokens["admin"], `{"name":"Probe"}`)
	c["probe upload"] = respond(a, "POST", fmt.Sprintf("/api/content/upload?documentType=%d&batch=probe", d.Survey), d.Tokens["admin"],
		`{"items":[{"guid":"s7","date":"2024-03-05T12:00:00Z","contents":"coffee"},{"guid":"probe","date":"2024-03-05T12:00:00Z","contents":"tea"}]}`)
	if err := a.CatchUp(ctx); err != nil {
		return err
	}
	for _, path := range d.Queries[:8] {
		c["probe "+path] = d.query(a, path)
	}
	last, err := a.Journal.Last(ctx)
	c["probe position"] = fmt.Sprint(last)
	return err
}
