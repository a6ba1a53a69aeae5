package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestImportUploadsPictures(t *testing.T) {
	s := newServer(t, response{status: 201, body: `{"url":"picture:ab"}`}, response{status: 200, body: allTaken})
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "pictures"), 0o700); err != nil {
		t.Fatal(err)
	}
	outside := write(t, "secret.jpg", "secret")
	for name, content := range map[string]string{
		"pictures/cup.jpg": "a cup",
		"posts.jsonl": `{"guid":"1","images":[{"url":"file:pictures/cup.jpg","alt":"A cup"},{"url":"https://a.example/1.jpg"}]}
{"guid":"2","images":[{"url":"file:pictures/cup.jpg"}]}
{"guid":"3","images":[{"url":"file:../secret.jpg"}]}
{"guid":"4","images":[{"url":"file:link.jpg"}]}
{"guid":"5","images":[{"url":"file:pictures"}]}
{"guid":"6","images":[{"url":"file:none.jpg"}]}
{"guid":"7","contents":"\"file:"}
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(outside, filepath.Join(dir, "link.jpg")); err != nil {
		t.Fatal(err)
	}
	got := world{cacheDir: t.TempDir()}.run(context.Background(), s.URL, "import", filepath.Join(dir, "posts.jsonl"))
	if got.code != exitOK || !strings.Contains(got.out, "2 accepted, 4 rejected") {
		t.Errorf("got %+v", got)
	}
	want := []string{
		"POST /manage/v1/pictures a cup",
		`POST /manage/v1/posts {"guid":"1","images":[{"alt":"A cup","url":"picture:ab"},{"url":"https://a.example/1.jpg"}]}` + "\n" +
			`{"guid":"2","images":[{"url":"picture:ab"}]}` + "\n" + `{"guid":"7","contents":"\"file:"}`,
	}
	if strings.Join(s.requests, "\n") != strings.Join(want, "\n") {
		t.Errorf("got requests %q\nwant %q", s.requests, want)
	}
}

func TestImportOfPicturesFails(t *testing.T) {
	const line = `{"guid":"1","images":[{"url":"file:cup.jpg"}]}`
	for name, tt := range map[string]struct {
		answer response
		want   string
	}{
		"no picture":  {response{status: 400, body: `{"message":"The file is not a picture"}`}, "line 1: images: cup.jpg: "},
		"no access":   {response{status: 403, body: `{"message":"Access denied"}`}, "upload picture cup.jpg: "},
		"no response": {response{status: 500, body: `{}`}, "upload picture cup.jpg: "},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, tt.answer)
			file := write(t, "posts.jsonl", line)
			if err := os.WriteFile(filepath.Join(filepath.Dir(file), "cup.jpg"), []byte("a cup"), 0o600); err != nil {
				t.Fatal(err)
			}
			got := world{cacheDir: t.TempDir()}.run(context.Background(), s.URL, "import", file)
			if got.code == exitOK || !strings.Contains(got.out+got.err, tt.want) {
				t.Errorf("got %+v", got)
			}
		})
	}
	s := newServer(t)
	if got := (world{in: line}).run(context.Background(), s.URL, "import", "-"); got.code == exitOK || !strings.Contains(got.out+got.err, "not standard input") {
		t.Errorf("standard input: got %+v", got)
	}
}
