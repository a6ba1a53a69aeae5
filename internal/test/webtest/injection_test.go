package webtest

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"earshot/internal/test/webtest/browsertest"
)

// payload returns a text that runs a script or leaves a trace wherever a page treats it as more
// than text. It ends with a name that identifies its origin.
func payload(name string) string {
	return fmt.Sprintf(`"'><img src=x onerror=hacked=1><script>hacked=2</script>{{3*4}}${5*6}%s`, name)
}

// scriptURL is a URL that runs a script when followed.
const scriptURL = "javascript:hacked=4"

// checkHarmless checks that no script has run, that no text has become an element, and that no link
// runs a script.
func checkHarmless(t *testing.T, p *browsertest.Page) {
	t.Helper()
	settle(p)
	var found string
	p.Eval(`JSON.stringify({
		hacked: window.hacked,
		elements: [...document.querySelectorAll("img, iframe, object, embed, base, script:not([src]), [onerror], [onload]")].map(e => e.outerHTML.slice(0, 200)),
		links: [...document.querySelectorAll("a[href], [action], [formaction]")].filter(a => !/^https?:/.test(a.href ?? a.action ?? a.formAction) || !a.target && a.host && a.host !== location.host).map(e => e.outerHTML.slice(0, 200)),
	})`, &found)
	if found != `{"elements":[],"links":[]}` {
		t.Errorf("%s: %s", p.URL(), found)
	}
}

// An attacker has stored scripts in every field.
type attacker struct {
	c                             *apiClient
	user, team, word              string // unique names
	teamID, source                int64
	buzz, opinion, filter, stream int64
	analysis                      int64
}

const attackerPassword = "not so nice"

func newAttacker(t *testing.T, w *environment) *attacker {
	t.Helper()
	admin := w.client(t)
	v := &attacker{user: uniqueName("user"), team: uniqueName("team"), word: uniqueName("yggdramorph")}
	v.teamID = admin.create("/manage/v1/teams", fields{"name": payload(v.team)})
	admin.create("/manage/v1/users", fields{
		"username": payload(v.user), "password": attackerPassword, "firstName": payload("first"), "lastName": payload("last"), "email": payload("mail"),
		"apiAccess": true, "teams": []any{v.teamID}, "permissions": []string{"admin"},
	})
	v.c = w.clientFor(t, payload(v.user), attackerPassword)
	v.source = v.addSource()
	v.addPosts()
	v.addMonitors(w)
	return v
}

func (v *attacker) addSource() int64 {
	v.c.t.Helper()
	v.c.send("POST", "/api/content/sources", fields{"teamid": v.teamID, "name": payload("source"), "description": payload("sourcetext")}, nil)
	var list struct{ ContentSources []struct{ ID int64 } }
	v.c.get(fmt.Sprintf("/api/content/sources/list?team=%d", v.teamID), &list)
	return list.ContentSources[0].ID
}

func (v *attacker) addPosts() {
	v.c.t.Helper()
	post := func(kind string, more fields) fields {
		l := fields{
			"type": kind, "guid": payload(kind + v.word), "url": v.link(kind), "date": time.Now().Add(-2 * time.Hour), "language": "en",
			"title": payload("title"), "contents": v.word + " " + payload("contents") + " " + strings.Repeat("and so on ", 60) + payload("end"),
			"author": payload("author"), "authorUsername": payload("handle"), "location": payload("location"), "bio": payload("bio"), "authorFollowers": 10,
			"hashtags": []string{payload("hashtag")}, "mentions": []string{payload("mention")}, "mediaUrls": []string{v.link("media")},
			"images": []fields{{"url": v.link("image"), "alt": payload("alt"), "brands": []fields{{"brandId": payload("brandid"), "brand": payload("brand"), "size": "large", "score": 0.9}},
				"objects": []fields{{"score": 0.9, "classId": 1, "className": payload("object")}}}},
			"custom": fields{payload("customname"): payload("custom")},
		}
		for name, value := range more {
			l[name] = value
		}
		return l
	}
	v.c.importPosts(post("News", nil), post("Forums", nil), post("Instagram", nil))
}

// link returns an address that is a link, with a text that tries to run a script.
func (v *attacker) link(path string) string {
	return "https://" + v.word + ".example/" + path + "?q=" + url.QueryEscape(payload("address"))
}

func (v *attacker) addMonitors(w *environment) {
	c := v.c
	c.t.Helper()
	body := fields{
		"team": v.teamID, "name": payload("buzz"), "description": payload("description"), "tags": []string{payload("tag")}, "targetHashtags": []string{payload("target")},
		"keywords": fmt.Sprintf(`%s OR "<img src=x onerror=hacked=1>query"`, v.word),
	}
	v.buzz = c.addMonitor(w, body, 3)
	v.filter = c.create(fmt.Sprintf("/manage/v1/monitors/%d/filters", v.buzz), fields{"name": payload("filter"), "keywords": `"<img src=x onerror=hacked=1>filterquery" OR ` + v.word})
	body["name"], body["type"] = payload("opinion"), "OPINION"
	body["categories"] = []fields{{"name": payload("good"), "group": payload("group")}, {"name": payload("bad")}}
	v.opinion = c.addMonitor(w, body, 3)
	for i, name := range []string{"good", "bad"} {
		var documents []fields
		for n := range 10 {
			documents = append(documents, fields{"url": v.link(fmt.Sprint(i*10 + n)), "title": payload("lesson"), "contents": fmt.Sprintf("%s %d %s", name, n, payload("taught")), "author": payload("teacher"), "language": "en", "date": time.Now()})
		}
		c.send("POST", fmt.Sprintf("/manage/v1/monitors/%d/training", v.opinion), fields{"category": payload(name), "documents": documents}, nil)
	}
	c.waitUntil("the opinion monitor is trained", func() bool {
		var model struct{ State string }
		c.get(fmt.Sprintf("/manage/v1/monitors/%d/model", v.opinion), &model)
		return model.State == "ready"
	})
	v.stream = c.create("/manage/v1/streams", fields{"name": payload("stream"), "team": v.teamID})
	c.send("PUT", fmt.Sprintf("/manage/v1/streams/%d/monitors/%d", v.stream, v.buzz), nil, nil)
	var response struct{ ResultID int64 }
	now := time.Now().UTC()
	c.send("POST", "/api/results", fields{
		"analysis": []string{"volume", "sentiment", "source", "location"}, "keywords": body["keywords"], "sources": []string{"NEWS", "FORUMS", "CUSTOM:" + payload("source")},
		"startDate": now.Add(-12 * time.Hour).Format("2006-01-02T15:04:05"), "endDate": now.Format("2006-01-02T15:04:05"), "timezone": "UTC",
	}, &response)
	v.analysis = response.ResultID
}

// TestInjection visits every page with texts that try to run scripts in every field. The pages must
// show them as text.
func TestInjection(t *testing.T) {
	t.Parallel()
	w := env(t)
	v := newAttacker(t, w)
	bad := url.QueryEscape(payload("typed"))
	pages := []struct {
		path string
		says []string // names of the payloads that the page shows
	}{
		{fmt.Sprintf("/?team=%d", v.teamID), []string{"buzz", "opinion"}},
		{fmt.Sprintf("/monitors/%d", v.buzz), []string{"buzz", "description", "hashtag", "handle", "object"}},
		{fmt.Sprintf("/monitors/%d?sub=%d", v.buzz, v.filter), []string{"buzz", "filter"}},
		{fmt.Sprintf("/monitors/%d", v.opinion), []string{"opinion", "good", "bad"}},
		{fmt.Sprintf("/monitors/%d/posts", v.buzz), []string{"title", "contents", "author", "hashtag", "object", "brand"}},
		{fmt.Sprintf("/monitors/%d/posts", v.opinion), []string{"title", "contents"}},
		{fmt.Sprintf("/monitors/%d/edit", v.buzz), []string{"buzz", "tag", "target", "filter", v.user, "title"}},
		{fmt.Sprintf("/monitors/%d/edit", v.opinion), []string{"opinion"}},
		{fmt.Sprintf("/monitors/%d/train", v.opinion), []string{"good", "bad", "title", "contents"}},
		{fmt.Sprintf("/monitors/%d/train?show=posts", v.opinion), []string{"lesson", "taught", "teacher"}},
		{fmt.Sprintf("/monitors/%d/train?show=model", v.opinion), []string{"good", "bad"}},
		{fmt.Sprintf("/compare?m=%d,%d", v.buzz, v.opinion), []string{"buzz", "opinion"}},
		{"/streams", []string{"stream", "buzz"}},
		{fmt.Sprintf("/analysis/%d", v.analysis), []string{"source"}},
		{fmt.Sprintf("/analysis?again=%d", v.analysis), []string{"source"}},
		{fmt.Sprintf("/uploads?team=%d", v.teamID), []string{"source", "sourcetext"}},
		{"/admin?tab=teams", []string{v.team}},
		{"/admin?tab=users", []string{v.user, "first", "last", "mail", v.team}},
		{fmt.Sprintf("/connect?for=/monitors/%d", v.buzz), []string{"buzz"}},
		{"/account", []string{v.user, v.team, "mail"}},
		// URLs may be hostile too.
		{fmt.Sprintf("/monitors/%d?filter=hashtag:%s|author:%s|site:%s|interest:%s", v.buzz, bad, bad, bad, bad), []string{"typed"}},
		{fmt.Sprintf("/monitors/%d/posts?filter=keywords:%s&start=%s&end=%s&sub=%s", v.buzz, bad, bad, bad, bad), nil},
		{"/monitors/" + url.PathEscape(payload("typed")), nil},
		{"/compare?m=" + bad + "&before=" + bad, nil},
		{"/streams/" + url.PathEscape(payload("typed")), nil},
		{"/analysis/" + url.PathEscape(payload("typed")), nil},
		{"/analysis?again=" + bad, nil},
		{"/admin?tab=" + bad, nil},
		{"/uploads?team=" + bad, nil},
		{"/connect?for=" + url.QueryEscape(scriptURL), nil},
		{"/connect?for=" + url.QueryEscape("/compare?m="+payload("typed")), nil},
		{"/signin?to=" + url.QueryEscape(scriptURL), nil},
		{"/signin?to=" + url.QueryEscape("/.//evil.example/"), nil},
		{"/connect?for=" + url.QueryEscape("/.//evil.example/"), nil},
		{fmt.Sprintf("/monitors/%d/topics", v.buzz), []string{"buzz"}},
		{fmt.Sprintf("/monitors/%d/topics?filter=keywords:%s", v.buzz, bad), nil},
		{fmt.Sprintf("/monitors/%d/why?range=last7&from=%s&to=%s&filter=site:%s", v.buzz, bad, bad, bad), []string{"typed"}},
		{fmt.Sprintf("/monitors/%d/why?range=%s", v.buzz, bad), nil},
		{"/author?name=" + url.QueryEscape(payload("handle")), []string{"handle", "buzz", "contents"}},
		{"/author?name=" + bad + "&source=" + bad + "&timezone=" + bad + "&range=" + bad, nil},
		{fmt.Sprintf("/analysis/%d/posts?filter=author:%s", v.analysis, bad), nil},
	}
	p := w.open(t, browsertest.Options{Width: 1440, Height: 900})
	p.SignIn(payload(v.user), attackerPassword)
	p.Expect(400, "/manage/v1/")
	p.Expect(404, "/manage/v1/")
	p.Expect(400, "/api/results/")
	p.Expect(404, "/api/results/")
	for _, page := range pages {
		p.Visit(page.path)
		p.WaitFor("#main h1, #main [role=alert], #main .empty")
		for _, name := range page.says {
			waitForText(p, payload(name))
		}
		checkHarmless(t, p)
	}
	v.watch(t, p)
	v.upload(t, p)
}

// watch receives a hostile post on the stream page and shows its full text.
func (v *attacker) watch(t *testing.T, p *browsertest.Page) {
	t.Helper()
	p.Visit(fmt.Sprintf("/streams/%d", v.stream))
	p.WaitFor(`status "Connection: Live"`)
	v.c.importPosts(fields{"type": "News", "guid": "live " + v.word, "url": v.link("live"), "date": time.Now(), "title": payload("live"), "contents": v.word + " " + payload("news"), "author": payload("reporter")})
	for _, name := range []string{"stream", "buzz", "live", "news", "reporter"} {
		waitForText(p, payload(name))
	}
	checkHarmless(t, p)
	p.Visit(fmt.Sprintf("/monitors/%d/posts", v.buzz))
	p.Click(`button "Show full text"`)
	waitForText(p, payload("end"))
	checkHarmless(t, p)
	p.AxeInTurn()
}

// upload uploads a file with a hostile name, header and cells, and opens the dialog that deletes
// it.
func (v *attacker) upload(t *testing.T, p *browsertest.Page) {
	t.Helper()
	cell := func(name string) string { return `"` + strings.ReplaceAll(payload(name), `"`, `""`) + `"` }
	text := strings.Join([]string{
		strings.Join([]string{"text", "date", "id", cell("header"), "url"}, ","),
		strings.Join([]string{cell("cell"), "2026-11-01", "1", cell("value"), v.link("cell")}, ","),
		strings.Join([]string{cell("wrong"), cell("date"), "2", "", ""}, ","), "",
	}, "\n")
	file := filepath.Join(t.TempDir(), `<img src=x onerror=hacked=1>.csv`)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p.Visit(fmt.Sprintf("/uploads?team=%d", v.teamID))
	p.SetFiles(`input[type=file]`, file)
	p.Choose(`select[aria-label$="header"]`, fmt.Sprintf("Custom field “%s”", payload("header")))
	for _, name := range []string{"header", "cell", "value"} {
		waitForText(p, payload(name))
	}
	checkHarmless(t, p)
	p.Click(`button "Check"`)
	waitForText(p, "1 of 2 rows can be uploaded, 1 cannot.")
	waitForText(p, payload("date"))
	checkHarmless(t, p)
	p.Click(`button "Upload the valid row"`)
	waitForText(p, "Uploaded 1 document to "+payload("source"))
	waitForText(p, `<img src=x onerror=hacked=1>.csv`)
	checkHarmless(t, p)
	p.Click(`button "Delete this upload"`)
	p.WaitFor("dialog")
	checkHarmless(t, p)
	p.AxeInTurn()
}
