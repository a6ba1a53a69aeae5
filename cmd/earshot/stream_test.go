package main

import (
	"context"
	"slices"
	"strings"
	"testing"
)

const (
	streamResponse = `{"id":41,"name":"Launch day","team":5,"monitors":[21,22],"created":"2026-03-15T12:00:00Z"}`
	streamShown    = "id        41\nname      Launch day\nteam      5\nmonitors  21, 22\ncreated   2026-03-15T12:00:00Z\n"
)

func TestStreamCommandsSendOneRequestAndPrintTheResponse(t *testing.T) {
	tests := []struct {
		name    string
		args    []string
		answer  response
		request string
		out     string
	}{
		{
			name:    "streams are listed as a table",
			args:    []string{"list"},
			answer:  response{status: 200, body: `{"items":[` + streamResponse + `,{"id":42,"name":"Empty","team":6,"monitors":[]}]}`},
			request: "GET /manage/v1/streams?limit=1000",
			out:     "ID  NAME        TEAM  MONITORS\n41  Launch day  5     21, 22\n42  Empty       6     \n",
		},
		{
			name:    "streams of a team are listed",
			args:    []string{"list", "--team", "5", "--json"},
			answer:  response{status: 200, body: `{"items":[]}`},
			request: "GET /manage/v1/streams?limit=1000&team=5",
			out:     "[]\n",
		},
		{
			name:    "a stream is shown",
			args:    []string{"show", "41"},
			answer:  response{status: 200, body: streamResponse},
			request: "GET /manage/v1/streams/41",
			out:     streamShown,
		},
		{
			name:    "a stream is created",
			args:    []string{"create", "--team", "5", "--name", "Launch day"},
			answer:  response{status: 201, body: streamResponse},
			request: `POST /manage/v1/streams {"name":"Launch day","team":5}`,
			out:     streamShown,
		},
		{
			name:    "a stream is renamed",
			args:    []string{"edit", "41", "--name", "Launch day"},
			answer:  response{status: 200, body: streamResponse},
			request: `PATCH /manage/v1/streams/41 {"name":"Launch day"}`,
			out:     streamShown,
		},
		{
			name:    "a stream is deleted",
			args:    []string{"delete", "41"},
			answer:  response{status: 204},
			request: "DELETE /manage/v1/streams/41",
			out:     "Deleted stream 41\n",
		},
		{
			name:    "a monitor is added",
			args:    []string{"add", "41", "22"},
			answer:  response{status: 200, body: streamResponse},
			request: "PUT /manage/v1/streams/41/monitors/22",
			out:     streamShown,
		},
		{
			name:    "a monitor is removed",
			args:    []string{"remove", "41", "22"},
			answer:  response{status: 204},
			request: "DELETE /manage/v1/streams/41/monitors/22",
			out:     "Removed monitor 22 from stream 41\n",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newServer(t, tt.answer)
			got := world{}.run(context.Background(), s.URL, append([]string{"stream"}, tt.args...)...)
			if want := (result{exitOK, tt.out, ""}); got != want {
				t.Errorf("got %+v\nwant %+v", got, want)
			}
			if !slices.Equal(s.requests, []string{tt.request}) {
				t.Errorf("requests are %q\nwant %q", s.requests, tt.request)
			}
		})
	}
}

const (
	noStream       = `{"message":"Stream cannot be accessed. Reason is 'Stream does not exist'","status":"error"}`
	noStreamShown  = "earshot: Stream cannot be accessed. Reason is 'Stream does not exist'\n"
	connectionLost = "earshot: connection lost, reconnecting\n"
)

func TestFollowResumesAfterTheLastPost(t *testing.T) {
	s := newServer(t,
		response{status: 200, body: ": listening\n\nid: 7-1\nevent: post\ndata: {\"guid\":\"a\"}\n\n:\n\nid: 7-2\nevent: post\ndata: {\"guid\":\"b: c\"}\n\nid: 7-3\nevent: post\ndata: {\"gu"},
		response{status: 503, body: `{"message":"Earshot is starting","status":"error"}`},
		response{status: 200, body: ": listening\n\n"},
		response{status: 200, body: "id: 7-3\r\nevent: post\r\ndata: {\"guid\":\"d\"}\r\n\r\n"},
		response{status: 404, body: noStream})
	got := world{}.run(context.Background(), s.URL, "stream", "follow", "41")
	want := result{
		code: exitFailed,
		out:  "{\"guid\":\"a\"}\n{\"guid\":\"b: c\"}\n{\"guid\":\"d\"}\n",
		err:  strings.Repeat(connectionLost, 4) + noStreamShown,
	}
	if got != want {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	const events = "GET /manage/v1/streams/41/events"
	if want := []string{events, events + "?cursor=7-2", events + "?cursor=7-2", events + "?cursor=7-2", events + "?cursor=7-3"}; !slices.Equal(s.requests, want) {
		t.Errorf("requests are %q\nwant %q", s.requests, want)
	}
}

func TestFollowStartsAtTheGivenCursor(t *testing.T) {
	s := newServer(t, response{status: 200}, response{status: 404, body: noStream})
	world{}.run(context.Background(), s.URL, "stream", "follow", "41", "--cursor", "end")
	if want := "GET /manage/v1/streams/41/events?cursor=end"; s.requests[0] != want {
		t.Errorf("the first request is %q, want %q", s.requests[0], want)
	}
}

// Posts that arrive while the connection is lost must not be missed, even if none arrived before.
func TestFollowResumesAtItsStart(t *testing.T) {
	s := newServer(t, response{status: 200, body: ": listening\nid: 7-3\n\n"}, response{status: 404, body: noStream})
	world{}.run(context.Background(), s.URL, "stream", "follow", "41", "--cursor", "end")
	const events = "GET /manage/v1/streams/41/events"
	if want := []string{events + "?cursor=end", events + "?cursor=7-3"}; !slices.Equal(s.requests, want) {
		t.Errorf("requests are %q, want %q", s.requests, want)
	}
}

func TestFollowDoesNotRetryIfItNeverConnected(t *testing.T) {
	for _, refusal := range []response{
		{status: 404, body: noStream},
		{status: 503, body: noStream}, // even if a retry might work, because the user should see the error
	} {
		s := newServer(t, refusal)
		got := world{}.run(context.Background(), s.URL, "stream", "follow", "41")
		if want := (result{exitFailed, "", noStreamShown}); got != want || len(s.requests) != 1 {
			t.Errorf("%d requests, got %+v, want %+v", len(s.requests), got, want)
		}
	}
}

func TestFollowEndsWhenItIsInterrupted(t *testing.T) {
	ctx, interrupt := context.WithCancel(context.Background())
	s := newServer(t,
		response{status: 200, body: "id: 7-1\nevent: post\ndata: {}\n\n"},
		response{status: 200, before: interrupt})
	got := world{}.run(ctx, s.URL, "stream", "follow", "41")
	if want := (result{exitOK, "{}\n", connectionLost}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestInvalidStreamCommandLines(t *testing.T) {
	f := func(args, want string) {
		t.Helper()
		got := world{}.run(context.Background(), "http://127.0.0.1:1", strings.Fields(args)...)
		if first, _, _ := strings.Cut(got.err, "\n"); got.code != exitUsage || first != "earshot: "+want {
			t.Errorf("%s: exit %d with %q, want exit 2 with %q", args, got.code, first, want)
		}
	}
	f("stream", "earshot stream requires a command")
	f("stream add 41", "missing argument MONITOR")
	f("stream remove 41", "missing argument MONITOR")
	f("stream follow", "missing argument STREAM")
	f("stream create", "nothing to send: set at least one field, or use --from FILE")
}
