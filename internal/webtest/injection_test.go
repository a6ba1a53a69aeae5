package webtest

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"earshot/internal/webtest/browsertest"
)

// hostile returns a text that does something wherever a page takes it for more than a text.
// Where it has come from is told by its name, which it ends with.
func hostile(name string) string {
	return fmt.Sprintf(`"'><img src=x onerror=hacked=1><script>hacked=2</script>{{3*4}}${5*6}%s`, name)
}

// runs is an address that runs when somebody follows it.
const runs = "javascript:hacked=4"

// harmless checks that no script has run, no element was made of a text, and no link runs one.
func harmless(t *testing.T, p *browsertest.Page) {
	t.Helper()
	settle(p)
	var found string
	p.Eval(`JSON.stringify({
		hacked: window.hacked,
		elements: [...document.querySelectorAll("img, iframe, object, embed, base, script:not([src]), [onerror], [onload]")].map(e => e.outerHTML.slice(0, 200)),
		links: [...document.querySelectorAll("a[href], [action], [formaction]")].filter(a => !/^https?:/.test(a.href ?? a.action ?? a.formAction)).map(e => e.outerHTML.slice(0, 200)),
	})`, &found)
	if found != `{"elements":[],"links":[]}` {
		t.Errorf("%s: %s", p.Address(), found)
	}
}

// A villain is someone who puts scripts wherever there is a field.
type villain struct {
	c                             *program
	user, team, word              string // names of what is there once
	teamID, source                int64
	buzz, opinion, filter, stream int64
	analysis                      int64
}

const villainPassword = "not so nice"

func newVillain(t *testing.T, w *world) *villain {
	t.Helper()
	admin := w.program(t)
	v := &villain{user: own("user"), team: own("team"), word: own("yggdramorph")}
	v.teamID = admin.make("/manage/v1/teams", line{"name": hostile(v.team)})
	admin.make("/manage/v1/users", line{
		"username": hostile(v.user), "password": villainPassword, "firstName": hostile("first"), "lastName": hostile("last"), "email": hostile("mail"),
		"apiAccess": true, "teams": []any{v.teamID}, "permissions": []string{"admin"},
	})
	v.c = w.programOf(t, hostile(v.user), villainPassword)
	v.source = v.addSource()
	v.addPosts()
	v.addMonitors(w)
	return v
}

func (v *villain) addSource() int64 {
	v.c.t.Helper()
	v.c.send("POST", "/api/content/sources", line{"teamid": v.teamID, "name": hostile("source"), "description": hostile("sourcetext")}, nil)
	var list struct{ ContentSources []struct{ ID int64 } }
	v.c.get(fmt.Sprintf("/api/content/sources/list?team=%d", v.teamID), &list)
	return list.ContentSources[0].ID
}

func (v *villain) addPosts() {
	v.c.t.Helper()
	post := func(kind string, more line) line {
		l := line{
			"type": kind, "guid": hostile(kind + v.word), "url": runs + "//" + kind, "date": time.Now().Add(-2 * time.Hour), "language": "en",
			"title": hostile("title"), "contents": v.word + " " + hostile("contents") + " " + strings.Repeat("and so on ", 60) + hostile("end"),
			"author": hostile("author"), "authorUsername": hostile("handle"), "location": hostile("location"), "bio": hostile("bio"), "authorFollowers": 10,
			"hashtags": []string{hostile("hashtag")}, "mentions": []string{hostile("mention")}, "mediaUrls": []string{runs},
			"images": []line{{"url": runs, "alt": hostile("alt"), "brands": []line{{"brandId": hostile("brandid"), "brand": hostile("brand"), "size": "large", "score": 0.9}},
				"objects": []line{{"score": 0.9, "classId": 1, "className": hostile("object")}}}},
			"custom": line{hostile("customname"): hostile("custom")},
		}
		for name, value := range more {
			l[name] = value
		}
		return l
	}
	v.c.take(post("News", nil), post("Forums", line{"url": "https://" + v.word + ".example/?q=" + url.QueryEscape(hostile("address"))}), post("Instagram", nil))
}

func (v *villain) addMonitors(w *world) {
	c := v.c
	c.t.Helper()
	body := line{
		"team": v.teamID, "name": hostile("buzz"), "description": hostile("description"), "tags": []string{hostile("tag")}, "targetHashtags": []string{hostile("target")},
		"keywords": fmt.Sprintf(`%s OR "<img src=x onerror=hacked=1>query"`, v.word),
	}
	v.buzz = c.monitor(w, body, 3)
	v.filter = c.make(fmt.Sprintf("/manage/v1/monitors/%d/filters", v.buzz), line{"name": hostile("filter"), "keywords": `"<img src=x onerror=hacked=1>filterquery" OR ` + v.word})
	body["name"], body["type"] = hostile("opinion"), "OPINION"
	body["categories"] = []line{{"name": hostile("good"), "group": hostile("group")}, {"name": hostile("bad")}}
	v.opinion = c.monitor(w, body, 3)
	for i, name := range []string{"good", "bad"} {
		var documents []line
		for n := range 10 {
			documents = append(documents, line{"url": fmt.Sprintf("%s//%d", runs, i*10+n), "title": hostile("lesson"), "contents": fmt.Sprintf("%s %d %s", name, n, hostile("taught")), "author": hostile("teacher"), "language": "en", "date": time.Now()})
		}
		c.send("POST", fmt.Sprintf("/manage/v1/monitors/%d/training", v.opinion), line{"category": hostile(name), "documents": documents}, nil)
	}
	c.until("the opinion monitor has learnt", func() bool {
		var model struct{ State string }
		c.get(fmt.Sprintf("/manage/v1/monitors/%d/model", v.opinion), &model)
		return model.State == "ready"
	})
	v.stream = c.make("/manage/v1/streams", line{"name": hostile("stream"), "team": v.teamID})
	c.send("PUT", fmt.Sprintf("/manage/v1/streams/%d/monitors/%d", v.stream, v.buzz), nil, nil)
	var answer struct{ ResultID int64 }
	now := time.Now().UTC()
	c.send("POST", "/api/results", line{
		"analysis": []string{"volume", "sentiment", "source", "location"}, "keywords": body["keywords"], "sources": []string{"NEWS", "FORUMS", "CUSTOM:" + hostile("source")},
		"startDate": now.Add(-12 * time.Hour).Format("2006-01-02T15:04:05"), "endDate": now.Format("2006-01-02T15:04:05"), "timezone": "UTC",
	}, &answer)
	v.analysis = answer.ResultID
}

// TestInjection visits every page with texts that try to run scripts in every field. They are
// shown as what they are.
func TestInjection(t *testing.T) {
	t.Parallel()
	w := here(t)
	v := newVillain(t, w)
	bad := url.QueryEscape(hostile("typed"))
	pages := []struct {
		path string
		says []string // names of the texts that are to be seen
	}{
		{fmt.Sprintf("/?team=%d", v.teamID), []string{"buzz", "opinion"}},
		{fmt.Sprintf("/monitors/%d", v.buzz), []string{"buzz", "description", "hashtag", "handle", "object"}},
		{fmt.Sprintf("/monitors/%d?sub=%d", v.buzz, v.filter), []string{"buzz", "filter"}},
		{fmt.Sprintf("/monitors/%d", v.opinion), []string{"opinion", "good", "bad"}},
		{fmt.Sprintf("/monitors/%d/posts", v.buzz), []string{"title", "contents", "author", "hashtag", "object", "brand"}},
		{fmt.Sprintf("/monitors/%d/posts", v.opinion), []string{"title", "contents"}},
		{fmt.Sprintf("/monitors/%d/edit", v.buzz), []string{"buzz", "tag", "target", "filter", v.user, "title"}},
		{fmt.Sprintf("/monitors/%d/edit", v.opinion), []string{"opinion"}},
		{fmt.Sprintf("/monitors/%d/teach", v.opinion), []string{"good", "bad", "title", "contents"}},
		{fmt.Sprintf("/monitors/%d/teach?show=posts", v.opinion), []string{"lesson", "taught", "teacher"}},
		{fmt.Sprintf("/monitors/%d/teach?show=model", v.opinion), []string{"good", "bad"}},
		{fmt.Sprintf("/compare?m=%d,%d", v.buzz, v.opinion), []string{"buzz", "opinion"}},
		{"/streams", []string{"stream", "buzz"}},
		{fmt.Sprintf("/analysis/%d", v.analysis), []string{"source"}},
		{fmt.Sprintf("/analysis?again=%d", v.analysis), []string{"source"}},
		{fmt.Sprintf("/content?team=%d", v.teamID), []string{"source", "sourcetext"}},
		{"/admin?tab=teams", []string{v.team}},
		{"/admin?tab=users", []string{v.user, "first", "last", "mail", v.team}},
		{fmt.Sprintf("/connect?for=/monitors/%d", v.buzz), []string{"buzz"}},
		{"/account", []string{v.user, v.team, "mail"}},
		// What stands in the address is not to be believed either.
		{fmt.Sprintf("/monitors/%d?filter=hashtag:%s|author:%s|site:%s|interest:%s", v.buzz, bad, bad, bad, bad), []string{"typed"}},
		{fmt.Sprintf("/monitors/%d/posts?filter=keywords:%s&start=%s&end=%s&sub=%s", v.buzz, bad, bad, bad, bad), nil},
		{"/monitors/" + url.PathEscape(hostile("typed")), nil},
		{"/compare?m=" + bad + "&before=" + bad, nil},
		{"/streams/" + url.PathEscape(hostile("typed")), nil},
		{"/analysis/" + url.PathEscape(hostile("typed")), nil},
		{"/analysis?again=" + bad, nil},
		{"/admin?tab=" + bad, nil},
		{"/content?team=" + bad, nil},
		{"/connect?for=" + url.QueryEscape(runs), nil},
		{"/connect?for=" + url.QueryEscape("/compare?m="+hostile("typed")), nil},
		{"/signin?to=" + url.QueryEscape(runs), nil},
	}
	p := w.open(t, browsertest.Options{Width: 1440, Height: 900})
	p.SignIn(hostile(v.user), villainPassword)
	p.Expect(400, "/manage/v1/")
	p.Expect(404, "/manage/v1/")
	p.Expect(400, "/api/results/")
	p.Expect(404, "/api/results/")
	for _, page := range pages {
		p.Visit(page.path)
		p.WaitFor("#main h1, #main [role=alert], #main .empty")
		for _, name := range page.says {
			waitSays(p, hostile(name))
		}
		harmless(t, p)
	}
	v.watch(t, p)
	v.upload(t, p)
}

// watch sees a hostile post come in, and its whole text.
func (v *villain) watch(t *testing.T, p *browsertest.Page) {
	t.Helper()
	p.Visit(fmt.Sprintf("/streams/%d", v.stream))
	p.WaitFor(`status "Connection: Live"`)
	v.c.take(line{"type": "News", "guid": "live " + v.word, "url": runs, "date": time.Now(), "title": hostile("live"), "contents": v.word + " " + hostile("news"), "author": hostile("reporter")})
	for _, name := range []string{"stream", "buzz", "live", "news", "reporter"} {
		waitSays(p, hostile(name))
	}
	harmless(t, p)
	p.Visit(fmt.Sprintf("/monitors/%d/posts", v.buzz))
	p.Click(`button "Show full text"`)
	waitSays(p, hostile("end"))
	harmless(t, p)
	p.Axe()
}

// upload has a file whose name, header and cells are hostile looked at, uploaded and deleted.
func (v *villain) upload(t *testing.T, p *browsertest.Page) {
	t.Helper()
	cell := func(name string) string { return `"` + strings.ReplaceAll(hostile(name), `"`, `""`) + `"` }
	text := strings.Join([]string{
		strings.Join([]string{"text", "date", "id", cell("header"), "url"}, ","),
		strings.Join([]string{cell("cell"), "2026-11-01", "1", cell("value"), runs}, ","),
		strings.Join([]string{cell("wrong"), cell("date"), "2", "", ""}, ","), "",
	}, "\n")
	file := filepath.Join(t.TempDir(), `<img src=x onerror=hacked=1>.csv`)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p.Visit(fmt.Sprintf("/content?team=%d", v.teamID))
	p.SetFiles(`input[type=file]`, file)
	p.Choose(`[aria-label$="header becomes"]`, fmt.Sprintf("Custom field “%s”", hostile("header")))
	for _, name := range []string{"header", "cell", "value"} {
		waitSays(p, hostile(name))
	}
	harmless(t, p)
	p.Click(`button "Check"`)
	waitSays(p, "1 of 2 rows can be uploaded, 1 cannot.")
	waitSays(p, hostile("date"))
	harmless(t, p)
	p.Click(`button "Upload the valid row"`)
	waitSays(p, "1 document went into "+hostile("source"))
	waitSays(p, `<img src=x onerror=hacked=1>.csv`)
	harmless(t, p)
	p.Click(`button "Delete this upload"`)
	p.WaitFor("dialog")
	harmless(t, p)
	p.Axe()
}
