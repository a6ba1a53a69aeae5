package app

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/connector"
	"earshot/internal/content"
	"earshot/internal/ingest/item"
	"earshot/internal/model/enrich"
	"earshot/internal/model/training"
	"earshot/internal/monitor"
	"earshot/internal/picture"
	"earshot/internal/poststore"
	"earshot/internal/state/natsnode/natstest"
	"earshot/internal/test/testenv"
)

// openNodes opens two nodes of an installation at the same time.
func openNodes(t *testing.T, rateLimit int) [2]*App {
	t.Helper()
	servers := natstest.Start(t, 3).Options()
	var nodes [2]*App
	var opening sync.WaitGroup
	for i := range nodes {
		cfg := testConfig(t)
		cfg.ClusterName, cfg.NATSURL, cfg.NodeName, cfg.RateLimit = "test", servers.URL, string(rune('a'+i)), rateLimit
		if err := os.WriteFile(cfg.SecretPath(), []byte(strings.Repeat("s", 32)), 0o600); err != nil {
			t.Fatal(err)
		}
		o := testOptions(io.Discard)
		o.Enrich, o.ImageModel = enrich.Facts(), &picture.Model{Version: "test"}
		opening.Go(func() {
			a, err := Open(context.Background(), cfg, o)
			if err == nil {
				err = a.Ready(t.Context())
			}
			if err != nil {
				t.Error(err)
				return
			}
			nodes[i] = a
		})
	}
	opening.Wait()
	t.Cleanup(func() {
		for _, a := range nodes {
			if a != nil {
				a.Close()
			}
		}
	})
	if t.Failed() {
		t.FailNow()
	}
	return nodes
}

// TestNodesWorkTogether uses two nodes alternately.
func TestNodesWorkTogether(t *testing.T) {
	testenv.SkipUnderRace(t)
	const rateLimit = 40
	nodes := openNodes(t, rateLimit)
	ctx := t.Context()
	if got := len(nodes[0].Accounts.ListUsers()); got != 1 {
		t.Fatalf("two nodes created %d first users", got)
	}
	team, err := nodes[0].Accounts.AddTeam(ctx, earshot.NewCaller(nodes[0].Accounts.ListUsers()[0]), earshot.Team{Name: "Acme"})
	if err != nil {
		t.Fatal(err)
	}
	natstest.WaitFor(t, "the team on node b", func() bool { _, ok := nodes[1].catalog.Teams.Find(team.ID); return ok })
	caller := earshot.NewCaller(&earshot.User{Username: "ann", Teams: []earshot.TeamID{team.ID}, Permissions: earshot.Permissions})
	survey, err := nodes[0].Content.AddSource(ctx, caller, earshot.ContentSource{Team: team.ID, Name: "Survey"})
	if err != nil {
		t.Fatal(err)
	}
	natstest.WaitFor(t, "the source on node b", func() bool { _, ok := nodes[1].catalog.Sources.Find(survey.ID); return ok })
	for i, a := range nodes { // each node accepts a document
		_, err := a.Content.Upload(ctx, caller, content.Upload{Source: survey.ID, Items: []item.Item{{GUID: fmt.Sprint(i), Date: "2026-03-01", Contents: "coffee"}}})
		if err != nil {
			t.Fatal(err)
		}
	}
	count := func(a *App, id earshot.MonitorID) int64 {
		rows, err := poststore.TallyOne(ctx, a.posts, poststore.Selection{Set: poststore.MonitorSet(id)}, poststore.Tally{})
		if err != nil {
			t.Error(err)
			return -1
		}
		return rows[0].Posts
	}

	name, keywords, start := "Coffee", "coffee", earshot.Date{Year: 2026, Month: 2, Day: 1}
	m, err := nodes[1].Monitors.Add(ctx, caller, monitor.Changes{Name: &name, Team: &team.ID, Start: &start, Criteria: monitor.CriteriaChanges{Keywords: &keywords}})
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range nodes {
		natstest.WaitFor(t, fmt.Sprintf("both posts on node %d", i), func() bool { return count(a, m.ID) == 2 })
	}
	if err := nodes[0].Monitors.Remove(ctx, caller, m.ID); err != nil {
		t.Fatal(err)
	}
	for i, a := range nodes {
		natstest.WaitFor(t, fmt.Sprintf("no posts on node %d", i), func() bool { return count(a, m.ID) == 0 })
	}

	// Requests count together.
	token, err := nodes[0].Accounts.SignIn(ctx, account.Credentials{Username: "admin", Password: rootPassword, Permanent: true})
	if err != nil {
		t.Fatal(err)
	}
	remaining := func(a *App) int {
		w := httptest.NewRecorder()
		a.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/api/monitor/list?auth="+token.Text, nil))
		n, err := strconv.Atoi(w.Header().Get("X-RateLimit-Remaining"))
		if err != nil {
			t.Fatalf("X-RateLimit-Remaining: %v", err)
		}
		return n
	}
	for range rateLimit / 2 {
		remaining(nodes[0])
	}
	sent := 0
	natstest.WaitFor(t, "the requests of the other node", func() bool {
		sent++
		return remaining(nodes[1]) <= rateLimit/2-sent || sent == rateLimit
	})
	if sent == rateLimit {
		t.Errorf("node b allowed %d requests after %d on node a, with a limit of %d", sent, rateLimit/2, rateLimit)
	}

	// A picture that was uploaded to one node has a thumbnail on the other.
	img := image.NewGray(image.Rect(0, 0, 20, 20))
	img.Set(3, 3, color.White)
	var file bytes.Buffer
	if err := png.Encode(&file, img); err != nil {
		t.Fatal(err)
	}
	url, found, err := nodes[0].Pictures.Add(ctx, file.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if p, ok := nodes[1].Pictures.Uploaded(ctx, url); !ok || p.Hash != found.Hash {
		t.Errorf("got picture %+v %v on the other node, want %s", p, ok, found.Hash)
	}
	if _, err := nodes[1].Pictures.Thumbnail(ctx, found.Hash); err != nil {
		t.Errorf("the other node has no thumbnail: %v", err)
	}

	// Both nodes accept requests of a webhook, although only one of them runs it.
	const secret = "0123456789abcdef"
	hook, err := nodes[0].Sources.Add(ctx, caller, earshot.LiveSource{Team: team.ID, Name: "Hook", Kind: "webhook", Keep: earshot.KeepAll, Settings: map[string]string{"network": "Blogs"}}, secret)
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range nodes {
		r := connector.Request{Header: http.Header{"Authorization": {"Bearer " + secret}}, Body: fmt.Appendf(nil, `{"guid":"hook-%d","date":"2026-03-01T00:00:00","contents":"coffee"}`, i)}
		natstest.WaitFor(t, fmt.Sprintf("the webhook on node %d", i), func() bool {
			_, err := a.Sources.Receive(ctx, hook.ID, r)
			if err != nil && !earshot.IsKind(err, earshot.NotFound) && !earshot.IsKind(err, earshot.Unavailable) {
				t.Fatal(err)
			}
			return err == nil
		})
		r.Header.Set("Authorization", "Bearer wrong-0123456789ab")
		if _, err := a.Sources.Receive(ctx, hook.ID, r); !earshot.IsKind(err, earshot.Unauthenticated) {
			t.Errorf("node %d, wrong token: got %v, want Unauthenticated", i, err)
		}
	}

	if err := nodes[1].backups.Write(ctx, io.Discard); err != nil {
		t.Errorf("backup: %v", err)
	}
}

// TestOneNodeTrainsForBoth trains an opinion monitor on both nodes in turn. One of them fits the
// models, both categorize with them, and the previous models are removed.
func TestOneNodeTrainsForBoth(t *testing.T) {
	testenv.SkipUnderRace(t)
	nodes := openNodes(t, 0)
	ctx := t.Context()
	team, err := nodes[0].Accounts.AddTeam(ctx, earshot.NewCaller(nodes[0].Accounts.ListUsers()[0]), earshot.Team{Name: "Acme"})
	if err != nil {
		t.Fatal(err)
	}
	caller := earshot.NewCaller(&earshot.User{Username: "ann", Teams: []earshot.TeamID{team.ID}, Permissions: earshot.Permissions})
	name, keywords, opinion, start := "Coffee", "coffee", earshot.Opinion, earshot.Date{Year: 2026, Month: 2, Day: 1}
	taste, price := "Taste", "Price"
	m, err := nodes[0].Monitors.Add(ctx, caller, monitor.Changes{
		Name: &name, Type: &opinion, Team: &team.ID, Start: &start, Criteria: monitor.CriteriaChanges{Keywords: &keywords},
		Categories: &[]monitor.CategoryChange{{Name: &taste}, {Name: &price}},
	})
	if err != nil {
		t.Fatal(err)
	}
	var categories []earshot.CategoryID
	for _, c := range m.Categories {
		categories = append(categories, c.ID)
	}
	natstest.WaitFor(t, "the categories on node b", func() bool {
		m, ok := nodes[1].catalog.Monitors.Find(m.ID)
		return ok && len(m.Categories) == len(categories)
	})
	train := func(a *App, category earshot.CategoryID, words string) {
		t.Helper()
		var docs []training.Document
		for i := range 12 {
			url, empty, contents := fmt.Sprintf("http://example.com/%s/%d", strings.Fields(words)[0], i), "", fmt.Sprintf("%s number %d", words, i)
			language, date := "en", "2026-03-01T00:00:00Z"
			docs = append(docs, training.Document{URL: &url, Title: &empty, Author: &empty, Contents: &contents, Language: &language, Date: &date})
		}
		if _, err := a.Training.Add(ctx, caller, m.ID, category, docs); err != nil {
			t.Fatal(err)
		}
	}
	var record int64
	wait := func(when string, released bool) {
		t.Helper()
		natstest.WaitFor(t, when, func() bool {
			now, err := nodes[0].catalog.Monitors.Refresh(ctx, m.ID)
			if err != nil {
				t.Fatal(err)
			}
			model := now.Training.Model
			if model.Record == record || model.Changes != now.Training.Changes || released && now.Training.Previous.Record != 0 {
				return false
			}
			for _, a := range nodes {
				if a.rematch.InUse(m.ID) != model.Record {
					return false
				}
			}
			record = model.Record
			return true
		})
	}
	train(nodes[0], categories[0], "smooth flavour and aroma")
	train(nodes[1], categories[1], "expensive and costs dollars")
	wait("the first model", false)
	train(nodes[1], categories[0], "delicious taste")
	train(nodes[0], categories[1], "cheap offer")
	wait("the second model, and the removal of earlier ones", true)
}
