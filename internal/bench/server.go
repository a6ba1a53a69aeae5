package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"earshot"
	"earshot/internal/http/client"
	"earshot/internal/http/rest"
	"earshot/internal/state/journal"
)

// A Server is a complete Earshot on a data directory, with an admin user and without a rate limit.
// This package cannot assemble one itself, so the caller provides it.
type Server struct {
	Handler http.Handler
	Append  func(ctx context.Context, e journal.Entry) (earshot.Position, error) // appends to the journal
	CatchUp func(ctx context.Context) error                                      // waits until all appended entries are counted
	Close   func()
}

// AdminPassword is the password of the admin user of a [Server].
const AdminPassword = "earshot-bench"

// A runningServer is a [Server] that listens on a local port, and its monitor.
type runningServer struct {
	*session
	server  *Server
	http    *http.Server
	client  *client.Client
	monitor earshot.MonitorID
	days    earshot.Days // days that have posts
}

// listen opens the [Server] of a directory and signs in.
func (s *session) listen(ctx context.Context, dir string) (*runningServer, error) {
	server, err := s.serve(ctx, dir)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		server.Close()
		return nil, err
	}
	v := &runningServer{session: s, server: server, http: rest.Server("", server.Handler)}
	go func() { _ = v.http.Serve(listener) }() // ends when v.http is closed
	v.client = &client.Client{Server: "http://" + listener.Addr().String(), HTTP: newHTTP(clients)}
	if err := v.signIn(ctx); err != nil {
		v.close()
		return nil, fmt.Errorf("sign in: %w", err)
	}
	return v, nil
}

// newHTTP returns an HTTP client that keeps one connection open per concurrent client.
func newHTTP(clientCount int) *http.Client {
	return &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clientCount, DisableCompression: true}}
}

func (v *runningServer) close() {
	v.client.HTTP.CloseIdleConnections()
	v.http.Close()
	v.server.Close()
}

func (v *runningServer) signIn(ctx context.Context) error {
	var token struct{ Auth string }
	err := v.post(ctx, "/manage/v1/tokens", map[string]any{"username": "admin", "password": AdminPassword}, &token)
	v.client.Token = token.Auth
	return err
}

// post sends a body and decodes the response.
func (v *runningServer) post(ctx context.Context, path string, body, response any) error {
	text, err := v.client.Call(ctx, client.Request{Method: "POST", Path: path, Body: body})
	if err != nil {
		return err
	}
	return json.Unmarshal(text, response)
}

// A serverManifest describes the posts in the server of a directory.
type serverManifest struct {
	Of      storeManifest
	Monitor earshot.MonitorID
	Start   earshot.Date
}

func (s *session) serverDir() string { return filepath.Join(s.dir, "server") }

// openServer opens a [Server] with posts of a number of days. It fills the server if the directory
// does not have one yet.
func (s *session) openServer(ctx context.Context, days int) (*runningServer, error) {
	note, err := s.filledServer(ctx, days)
	if err != nil {
		return nil, err
	}
	v, err := s.listen(ctx, s.serverDir())
	if err != nil {
		return nil, err
	}
	v.monitor, v.days = note.Monitor, daysFrom(note.Start, days)
	return v, nil
}

func daysFrom(start earshot.Date, days int) earshot.Days {
	return earshot.Days{Start: start, End: start.AddDays(days)}
}

// filledServer fills the [Server] unless it already has its posts. The days end today, because a
// server uses the current time.
func (s *session) filledServer(ctx context.Context, days int) (serverManifest, error) {
	dir := s.serverDir()
	want := storeManifest{Bench: "server", Sample: s.sample.Name, Seed: s.seed, Count: s.count}
	path := filepath.Join(dir, manifestName)
	var note serverManifest
	text, err := os.ReadFile(path)
	if err == nil && json.Unmarshal(text, &note) == nil && note.Of == want {
		return note, nil
	}
	if err := os.RemoveAll(dir); err != nil { // left by an interrupted run
		return note, err
	}
	note = serverManifest{Of: want, Start: earshot.DateOf(time.Now().UTC()).AddDays(-days)}
	if note.Monitor, err = s.fillServer(ctx, dir, daysFrom(note.Start, days)); err != nil {
		return note, err
	}
	if text, err = json.Marshal(note); err != nil {
		return note, err
	}
	return note, os.WriteFile(path, text, 0o600)
}

// fillServer sends posts of some days through a [Server] with one monitor, which matches all of
// them, and compacts the store.
func (s *session) fillServer(ctx context.Context, dir string, days earshot.Days) (earshot.MonitorID, error) {
	v, err := s.listen(ctx, dir)
	if err != nil {
		return 0, err
	}
	id, err := v.addMonitor(ctx, days.Start)
	if err == nil {
		err = v.sendPosts(ctx, days)
	}
	v.close()
	if err != nil {
		return 0, err
	}
	st, err := openLocal(ctx, filepath.Join(dir, "posts"))
	if err != nil {
		return 0, err
	}
	return id, errors.Join(st.Compact(ctx), st.Close())
}

// addMonitor creates the monitor. It matches all posts, because every generated author has a
// follower count.
func (v *runningServer) addMonitor(ctx context.Context, start earshot.Date) (earshot.MonitorID, error) {
	var team struct{ ID earshot.TeamID }
	if err := v.post(ctx, "/manage/v1/teams", map[string]any{"name": "Bench"}, &team); err != nil {
		return 0, err
	}
	var monitor struct{ ID earshot.MonitorID }
	err := v.post(ctx, "/manage/v1/monitors", map[string]any{
		"name":     "Everything",
		"type":     earshot.Buzz,
		"team":     team.ID,
		"keywords": "authorFollowers:[0 TO 1000000000]",
		"timezone": "America/New_York",
		"start":    start.AddDays(-1), // because days of UTC start earlier
	}, &monitor)
	return monitor.ID, err
}

func (v *runningServer) sendPosts(ctx context.Context, days earshot.Days) error {
	v.logf("sending %d posts through the journal and pipeline of a server", v.count)
	g := v.generator(time.Duration(days.Len()) * 24 * time.Hour)
	g.Raw, g.Pictures, g.From = true, postsPerPicture, days.Start.Start(time.UTC)
	for posts := range g.Batches(batchSize) {
		if _, err := v.server.Append(ctx, journal.Entry{Posts: posts}); err != nil {
			return err
		}
	}
	return v.server.CatchUp(ctx)
}
