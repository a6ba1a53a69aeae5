package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"earshot/internal/ingest/item/record"
)

// write writes a file to a directory of the test and returns its path.
func write(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func packed(t *testing.T, content string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

const allTaken = `{"accepted":2,"rejected":0,"errors":[]}`

func TestImportSendsEveryFileFormat(t *testing.T) {
	const (
		lines = `{"type":"Blogs","guid":"1"}` + "\n\n" + `{"guid":"2"}`
		sheet = "guid,contents,likes,hashtags\n1,\"two\nlines\",7,a|b\n2,,many,\n"
	)
	tests := []struct {
		name    string
		file    string
		content string
		args    []string
		want    string // expected request body
	}{
		{"JSON lines are sent unchanged", "posts.jsonl", lines, nil, `{"type":"Blogs","guid":"1"}` + "\n" + `{"guid":"2"}`},
		{"a type is added to JSON lines without one", "posts.jsonl", lines, []string{"--type", "Twitter"},
			`{"type":"Blogs","guid":"1"}` + "\n" + `{"guid":"2","type":"Twitter"}`},
		{"an empty or null type counts as missing", "posts.jsonl", `{"type":""}` + "\n" + `{"type":null}`, []string{"--type", "Twitter"},
			`{"type":"Twitter"}` + "\n" + `{"type":"Twitter"}`},
		{"a line that is not an object is sent for the server to reject", "posts.jsonl", "{\"a\":1\nnull", []string{"--type", "Twitter"}, "{\"a\":1\nnull"},
		{"Windows line endings and a byte order mark", "posts.jsonl", "\xef\xbb\xbf{\"guid\":\"1\"}\r\n{\"guid\":\"2\"}\r\n", nil, `{"guid":"1"}` + "\n" + `{"guid":"2"}`},
		{"gzip with any file name", "posts.txt", packed(t, lines), nil, `{"type":"Blogs","guid":"1"}` + "\n" + `{"guid":"2"}`},
		{"CSV", "posts.csv", sheet, nil, `{"contents":"two\nlines","guid":"1","hashtags":["a","b"],"likes":7}` + "\n" + `{"guid":"2","likes":"many"}`},
		{"CSV with a type", "posts.csv", sheet, []string{"--type", "News"},
			`{"contents":"two\nlines","guid":"1","hashtags":["a","b"],"likes":7,"type":"News"}` + "\n" + `{"guid":"2","likes":"many","type":"News"}`},
		{"packed CSV", "posts.csv.gz", packed(t, sheet), nil, `{"contents":"two\nlines","guid":"1","hashtags":["a","b"],"likes":7}` + "\n" + `{"guid":"2","likes":"many"}`},
		{"whom posts name", "posts.csv", "guid,engagingWith,mentions\n1,ann,ann|bob\n2,,\n", nil,
			`{"engagingWith":"ann","guid":"1","mentions":["ann","bob"]}` + "\n" + `{"guid":"2"}`},
		{"nested and custom columns, in any case", "posts.csv",
			"GUID;geolocation.id;geolocation.latitude;Custom.Shop.No;authorVerified;images\n1;USA.CA;32.5;12;TRUE;http://a.example/1|http://a.example/2\n2;;;;;\n", nil,
			`{"authorVerified":true,"custom":{"Shop.No":"12"},"geolocation":{"id":"USA.CA","latitude":32.5},"guid":"1","images":[{"url":"http://a.example/1"},{"url":"http://a.example/2"}]}` + "\n" + `{"guid":"2"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newServer(t, response{status: 200, body: allTaken})
			file := write(t, tt.file, tt.content)
			got := world{cacheDir: t.TempDir()}.run(context.Background(), s.URL, append([]string{"import", file}, tt.args...)...)
			if want := (result{exitOK, file + ": 2 accepted, 0 rejected\n", ""}); got != want {
				t.Errorf("got %+v\nwant %+v", got, want)
			}
			if len(s.requests) != 1 || s.requests[0] != "POST /manage/v1/posts "+tt.want {
				t.Errorf("requests are %q\nwant %q", s.requests, tt.want)
			}
		})
	}
}

func TestImportReadsStandardInput(t *testing.T) {
	s := newServer(t, response{status: 200, body: `{"accepted":1}`})
	got := world{in: `{"guid":"1"}`}.run(context.Background(), s.URL, "import", "-", "--json")
	want := "[\n  {\n    \"file\": \"-\",\n    \"accepted\": 1,\n    \"rejected\": 0,\n    \"errors\": []\n  }\n]\n"
	if got.code != exitOK || got.out != want {
		t.Errorf("got %+v", got)
	}
}

func TestImportReportsLineNumbersOfTheFile(t *testing.T) {
	f := func(name, file, content, answered, want string) {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, response{status: 200, body: answered})
			path := write(t, file, content)
			got := world{}.run(context.Background(), s.URL, "import", path)
			if want := (result{exitOK, path + want, ""}); got != want {
				t.Errorf("got %+v\nwant %+v", got, want)
			}
		})
	}
	f("empty lines count", "posts.jsonl", "\n{\"guid\":\"1\"}\n\n\n{}\n",
		`{"accepted":1,"rejected":1,"errors":[{"line":2,"message":"no date"}]}`,
		": 1 accepted, 1 rejected\n  line 5: no date\n")
	f("records of several lines are reported by their first line", "posts.csv", "guid,contents\n1,\"a\nb\"\n2,c\n",
		`{"accepted":1,"rejected":1,"errors":[{"line":2,"message":"no date"}]}`,
		": 1 accepted, 1 rejected\n  line 4: no date\n")
	f("records that are not CSV are not sent", "posts.csv", "guid,contents\n1\n2,ok\n3,x\"y\n4,\xff\n",
		`{"accepted":1,"rejected":0,"errors":[]}`,
		": 1 accepted, 3 rejected\n  line 2: wrong number of fields\n  line 4: bare \" in non-quoted-field\n  line 5: the column contents is not UTF-8\n")
	f("a line that is too long is not sent", "posts.jsonl", `{"guid":"1","contents":"`+strings.Repeat("x", record.MaxBytes)+"\"}\n{\"guid\":\"2\"}\n",
		`{"accepted":1,"rejected":0,"errors":[]}`,
		": 1 accepted, 1 rejected\n  line 1: the line is longer than 1048576 bytes\n")
	f("an empty file has no lines", "posts.jsonl", "", "", ": 0 accepted, 0 rejected\n")
}

func TestImportPrintsOnlyTheFirstErrors(t *testing.T) {
	var errs []string
	for i := range 30 {
		errs = append(errs, fmt.Sprintf(`{"line":%d,"message":"no"}`, i+1))
	}
	s := newServer(t, response{status: 200, body: `{"accepted":0,"rejected":40,"errors":[` + strings.Join(errs, ",") + `]}`})
	got := world{in: strings.Repeat("{}\n", 40)}.run(context.Background(), s.URL, "import", "-")
	if n := strings.Count(got.out, "  line "); n != 20 || !strings.HasSuffix(got.out, "  and 20 more\n") {
		t.Errorf("%d errors are printed:\n%s", n, got.out)
	}
	if got.code != exitFailed || got.err != "earshot: no line was accepted\n" {
		t.Errorf("exit %d with %q", got.code, got.err)
	}
}

func TestImportRejectsInvalidFiles(t *testing.T) {
	unclosed := "guid,contents\n1,\"" + strings.Repeat("x\n", record.MaxBytes) + "\n"
	f := func(name, content, want string) {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, response{status: 200, body: `{"accepted":0}`})
			got := world{in: content}.run(context.Background(), s.URL, "import", "-")
			if got.code != exitFailed || got.err != "earshot: import -: "+want+"\n" {
				t.Errorf("got %+v, want %s", got, want)
			}
		})
	}
	f("a JSON array", `[{"guid":"1"}]`, "the file is a JSON array; write one object per line instead")
	f("a text", "Dear all,\n", `the file is neither JSON lines nor CSV with a header: no known column in its first line: "Dear all,"`)
	f("a column twice", "guid,GUID\n1,2\n", "the header has the column guid twice")
	f("an unclosed quote", unclosed, "the record after line 1 is longer than 1048576 bytes: check for an unclosed quote")
	f("broken gzip", "\x1f\x8bnonsense", "decompress: gzip: invalid header")
}

func TestImportSendsRecordsBeforeAReadError(t *testing.T) {
	s := newServer(t, response{status: 200, body: `{"accepted":1}`})
	content := packed(t, "{\"guid\":\"1\"}\n"+strings.Repeat("{}\n", 1000))
	got := world{in: content[:len(content)-9]}.run(context.Background(), s.URL, "import", "-")
	if got.code != exitFailed || !strings.Contains(got.err, "unexpected EOF") {
		t.Errorf("got %+v", got)
	}
	if len(s.requests) != 1 || !strings.HasPrefix(s.requests[0], "POST /manage/v1/posts {\"guid\":\"1\"}\n") {
		t.Errorf("requests are %q", s.requests)
	}
}

func TestImportIntoAContentSource(t *testing.T) {
	const sources = `{"contentSources":[{"id":30,"name":"Other"},{"id":31,"name":"Survey"}],"status":"success"}`
	in := world{in: `{"guid":"1"}`}

	s := newServer(t, response{status: 200, body: sources}, response{status: 200, body: `{"accepted":1}`})
	if got := in.run(context.Background(), s.URL, "import", "-", "--source", "Survey", "--team", "5"); got.code != exitOK {
		t.Errorf("got %+v", got)
	}
	want := []string{"GET /api/content/sources/list?team=5", `POST /manage/v1/posts?documentType=31 {"guid":"1"}`}
	if strings.Join(s.requests, "\n") != strings.Join(want, "\n") {
		t.Errorf("requests are %q, want %q", s.requests, want)
	}

	s = newServer(t, response{status: 200, body: `{"items":[{"id":5},{"id":6}]}`}, response{status: 200, body: sources},
		response{status: 200, body: `{"contentSources":[]}`}, response{status: 200, body: `{"accepted":1}`})
	if got := in.run(context.Background(), s.URL, "import", "-", "--source", "Survey"); got.code != exitOK {
		t.Errorf("without a team: got %+v", got)
	}
	if last := s.requests[len(s.requests)-1]; last != want[1] {
		t.Errorf("without a team: last request is %q, want %q", last, want[1])
	}

	s = newServer(t, response{status: 200, body: `{"items":[{"id":5},{"id":6}]}`}, response{status: 200, body: sources})
	got := in.run(context.Background(), s.URL, "import", "-", "--source", "Survey")
	if got.code != exitFailed || got.err != "earshot: several teams have a content source named \"Survey\": select one with --team\n" {
		t.Errorf("two teams: got %+v", got)
	}
	got = in.run(context.Background(), s.URL, "import", "-", "--source", "Nope", "--team", "5")
	if got.code != exitFailed || got.err != "earshot: content source \"Nope\" not found\n" {
		t.Errorf("no source: got %+v", got)
	}
}

// numbered returns n posts with guids from 0.
func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "{\"guid\":\"%d\"}\n", i)
	}
	return b.String()
}

// sent returns the number of lines in a request, and the first line.
func sent(request string) (int, string) {
	_, body, _ := strings.Cut(request, "/manage/v1/posts ")
	first, _, _ := strings.Cut(body, "\n")
	return strings.Count(body, "\n") + 1, first
}

func TestImportResumesAfterAnInterruption(t *testing.T) {
	tenThousand := response{status: 200, body: `{"accepted":9999,"rejected":1,"errors":[{"line":3,"message":"no"}]}`}
	cache := t.TempDir()
	file := write(t, "posts.jsonl", numbered(25_000))

	s := newServer(t, tenThousand, response{status: 500, body: `{"message":"Internal error"}`})
	got := world{cacheDir: cache}.run(context.Background(), s.URL, "import", file)
	want := result{exitFailed, file + ": 9999 accepted, 1 rejected\n  line 3: no\n",
		file + ": 10000 lines, 9999 accepted, 1 rejected\nearshot: import " + file + ": Internal error; 10000 lines are done, run the same command again to resume\n"}
	if got != want {
		t.Errorf("first run: got %+v\nwant %+v", got, want)
	}

	s.answers, s.requests = []response{tenThousand, {status: 200, body: `{"accepted":5000}`}}, nil
	got = world{cacheDir: cache}.run(context.Background(), s.URL, "import", file)
	if want := file + ": 24998 accepted, 2 rejected (10000 lines imported earlier)\n  line 10003: no\n  and 1 more\n"; got.code != exitOK || got.out != want {
		t.Errorf("second run: got %+v\nwant %s", got, want)
	}
	if n, first := sent(s.requests[0]); n != 10_000 || first != `{"guid":"10000"}` {
		t.Errorf("the second run starts with %d lines from %s", n, first)
	}
	if left, _ := filepath.Glob(filepath.Join(cache, "earshot", "import", "*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestImportStartsOver(t *testing.T) {
	f := func(name string, between func(t *testing.T, file string), args ...string) {
		t.Run(name, func(t *testing.T) {
			cache := t.TempDir()
			file := write(t, "posts.jsonl", numbered(12_000))
			s := newServer(t, response{status: 200, body: `{"accepted":10000}`}, response{status: 500})
			world{cacheDir: cache}.run(context.Background(), s.URL, "import", file)
			between(t, file)
			s.answers, s.requests = []response{{status: 200, body: `{"accepted":1}`}}, nil
			world{cacheDir: cache}.run(context.Background(), s.URL, append([]string{"import", file}, args...)...)
			if n, _ := sent(s.requests[0]); n != 10_000 || len(s.requests) != 2 {
				t.Errorf("%d requests, the first with %d lines", len(s.requests), n)
			}
		})
	}
	nothing := func(*testing.T, string) {}
	f("with --restart", nothing, "--restart")
	f("with other options", nothing, "--type", "Twitter")
	f("if the file has changed", func(t *testing.T, file string) {
		later := time.Now().Add(time.Hour)
		if err := os.Chtimes(file, later, later); err != nil {
			t.Fatal(err)
		}
	})
}

func TestAStoppedImportPrintsHowToResume(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	file := write(t, "posts.jsonl", numbered(12_000))
	s := newServer(t, response{status: 200, body: `{"accepted":10000}`}, response{status: 200, before: cancel})
	got := world{cacheDir: t.TempDir()}.run(ctx, s.URL, "import", file)
	want := "earshot: import " + file + ": interrupted; 10000 lines are done, run the same command again to resume\n"
	if got.code != exitFailed || !strings.HasSuffix(got.err, want) {
		t.Errorf("got %+v, want %s", got, want)
	}
}

func TestImportRetriesIfTheServerIsBusy(t *testing.T) {
	s := newServer(t, response{status: 503, body: `{"message":"busy"}`}, response{status: 200, body: `{"accepted":1}`})
	got := world{in: "{}"}.run(context.Background(), s.URL, "import", "-")
	if got.code != exitOK || len(s.requests) != 2 {
		t.Errorf("%d requests, got %+v", len(s.requests), got)
	}
}

func TestProgressBar(t *testing.T) {
	f := func(done, size int64, want string) {
		t.Helper()
		if got := drawBar(done, size); got != want {
			t.Errorf("drawBar(%d, %d) = %q, want %q", done, size, got, want)
		}
	}
	f(0, 200, "[..............................]   0%")
	f(100, 200, "[###############...............]  50%")
	f(200, 200, "[##############################] 100%")
	f(300, 200, "[##############################] 100%")
	f(5, 0, "[~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~]")
}

func TestImportOfAccountSnapshots(t *testing.T) {
	const want = `[{"date":"2026-03-10","followers":1200},{"date":"2026-03-11","followers":1210,"likes":7}]`
	for name, content := range map[string]string{
		"figures.jsonl": `{"date":"2026-03-10","followers":1200}` + "\n\n" + `{"date":"2026-03-11","followers":1210,"likes":7}` + "\n",
		"figures.csv":   "date,followers,likes\n2026-03-10,1200,\n2026-03-11,1210,7\n",
	} {
		s := newServer(t, response{status: 204})
		path := write(t, name, content)
		got := world{}.run(context.Background(), s.URL, "import", "--account", "2147483665", path)
		if want := (result{exitOK, path + ": 2 accepted, 0 rejected\n", ""}); got != want {
			t.Errorf("%s: got %+v\nwant %+v", name, got, want)
		}
		if want := "POST /manage/v1/monitors/2147483665/snapshots " + want; len(s.requests) != 1 || s.requests[0] != want {
			t.Errorf("%s: got the requests %q, want %q", name, s.requests, want)
		}
	}
	s := newServer(t, response{status: 400, body: `{"message":"Monitor 7 is not a Social Monitor","status":"error"}`})
	got := world{}.run(context.Background(), s.URL, "import", "--account", "7", write(t, "figures.jsonl", `{"date":"2026-03-10"}`))
	if got.code == exitOK || !strings.Contains(got.err, "Monitor 7 is not a Social Monitor") {
		t.Errorf("got %+v", got)
	}
	got = world{}.run(context.Background(), s.URL, "import", "--account", "7", "--type", "Twitter", "x")
	if got.code != exitUsage {
		t.Errorf("got %+v for flags that contradict each other", got)
	}
}
