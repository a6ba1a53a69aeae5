package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// writeFile writes a file to a directory of the test and returns its path.
func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTrainSendsFiles(t *testing.T) {
	lines := `{"url":"http://e.com/1","contents":"Nice","language":"EN","date":"2026-03-01"}` + "\n\n" + `{"url":"http://e.com/2","contents":"Good"}` + "\n"
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	fmt.Fprint(z, lines)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	table := "url;title;contents;likes;other\nhttp://e.com/1;T;Nice;3;x\n"
	sent := `POST /manage/v1/monitors/21/training {"category":"Like","documents":[{"url":"http://e.com/1","contents":"Nice","language":"EN","date":"2026-03-01"},` +
		`{"contents":"Good","date":"2026-02-01","language":"DE","url":"http://e.com/2"}]}`
	f := func(name, in, text, want string) {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, response{status: 201, body: `{"added":2,"replaced":0,"categoryId":22,"category":"Like","trainingDocs":12}`})
			file := "-"
			if text != "" {
				file = writeFile(t, "posts", text)
			}
			got := world{in: in}.run(context.Background(), s.URL, "monitor", "train", "21", "--category", "Like", "--language", "DE", "--date", "2026-02-01", file)
			if want := (result{exitOK, file + ": 2 added, 0 replaced; Like has 12 training posts\n", ""}); got != want {
				t.Errorf("got %+v, want %+v", got, want)
			}
			if !slices.Equal(s.requests, []string{want}) {
				t.Errorf("requests are %q\nwant %q", s.requests, want)
			}
		})
	}
	f("JSON lines", "", lines, sent)
	f("standard input", lines, "", sent)
	f("gzip", "", packed.String(), sent)
	f("CSV", "", table, `POST /manage/v1/monitors/21/training {"category":"Like","documents":[{"contents":"Nice","date":"2026-02-01","language":"DE","likes":3,"title":"T","url":"http://e.com/1"}]}`)
}

func TestTrainSendsChunksOfAThousand(t *testing.T) {
	s := newServer(t,
		response{status: 201, body: `{"added":990,"replaced":10,"category":"Like","trainingDocs":1000}`},
		response{status: 201, body: `{"added":5,"replaced":0,"category":"Like","trainingDocs":1005}`})
	file := writeFile(t, "posts", strings.Repeat(`{"url":"u"}`+"\n", 1005))
	got := world{}.run(context.Background(), s.URL, "monitor", "train", "21", "--category", "22", file, "--json")
	want := fmt.Sprintf("[\n  {\n    \"file\": %q,\n    \"added\": 995,\n    \"replaced\": 10,\n    \"category\": \"Like\",\n    \"trainingDocs\": 1005\n  }\n]\n", file)
	if got.code != exitOK || got.out != want || len(s.requests) != 2 || strings.Count(s.requests[0], `"url"`) != 1000 || strings.Count(s.requests[1], `"url"`) != 5 {
		t.Errorf("got %+v in %d requests, want %s in two", got, len(s.requests), want)
	}
}

func TestTrainReportsTheLineOfAnError(t *testing.T) {
	f := func(text string, a response, want string) {
		t.Helper()
		s := newServer(t, a)
		file := writeFile(t, "posts", text)
		got := world{}.run(context.Background(), s.URL, "monitor", "train", "21", "--category", "Like", file)
		if want := (result{exitFailed, file + ": 0 added, 0 replaced\n", "earshot: train from " + file + ": " + want + "\n"}); got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
	f(`{"url":"a"}`+"\n\n"+`{"url":"b"}`+"\n", response{status: 400, body: `{"message":"Invalid request body: documents[1].contents is missing","status":"error"}`},
		"line 3: Invalid request body: documents[1].contents is missing")
	f(`{"url":"a"}`, response{status: 404, body: `{"message":"Category Like does not exist","status":"error"}`}, "Category Like does not exist")
	f(`{"url":"a"}`+"\n{\n", response{status: 201}, "line 2 is not JSON")
	f("url,contents\na,b,c\n", response{status: 201}, "line 2: wrong number of fields")
}

const modelAnswered = `{"monitor":21,"state":"ready","missing":"Monitor 21 needs more training","trainingPosts":50,"changed":true,"trainedAt":"2026-03-15T12:00:00Z","report":{"trainingPosts":40,
"accuracy":0.8421,"macroF1":0.83,"calibrationError":0.05,"categories":[
{"categoryId":22,"category":"Like","trainingPosts":20,"precision":0.9,"recall":0.8,"f1":0.8471,"forecast":0.9,"terms":[{"text":"lovely","weight":1},{"text":"so good","weight":0.5}]},
{"categoryId":23,"category":"Dislike","trainingPosts":20,"precision":0.8182,"recall":0.9,"f1":0.8571,"forecast":0.9,"terms":[]}],
"confusion":[{"categoryId":22,"category":"Like","predicted":[16,4]},{"categoryId":23,"category":"Dislike","predicted":[2,18]}],
"disagreements":[{"id":"ab12","url":"http://e.com/1","categoryId":22,"category":"Like","predictedId":23,"predicted":"Dislike","share":0.913}],
"curve":[]},"advice":["Add more.","And other ones."]}`

const modelShown = `state           ready
missing         Monitor 21 needs more training
training posts  50, changed since the model was trained
trained         2026-03-15T12:00:00Z, from 40 training posts
accuracy        0.84, mean F1 0.83

CATEGORY  TRAINING  PRECISION  RECALL  F1    TOP TERMS
Like      20        0.90       0.80    0.85  lovely, so good
Dislike   20        0.82       0.90    0.86  

LABEL \ PREDICTED  Like  Dislike
Like               16    4
Dislike            2     18

TRAINING POST  LABEL  PREDICTED  SHARE  URL
ab12           Like   Dislike    0.91   http://e.com/1

- Add more.
- And other ones.
`

func TestTrainingCommandsPrintTheResponse(t *testing.T) {
	f := func(args, body, request, out string) {
		t.Helper()
		s := newServer(t, response{status: 200, body: body})
		got := world{}.run(context.Background(), s.URL, strings.Fields(args)...)
		if got != (result{exitOK, out, ""}) {
			t.Errorf("%s: got %+v\nwant\n%s", args, got, out)
		}
		if !slices.Equal(s.requests, strings.Split(request, "|")) {
			t.Errorf("%s: requests are %q, want %q", args, s.requests, request)
		}
	}
	f("monitor training 21", `{"items":[{"id":"ab12","url":"http://e.com/1","title":"T","contents":"Nice","categoryId":22,"categoryName":"Like"},{"id":"cd","url":"http://e.com/2","categoryName":"Like"}]}`,
		"GET /manage/v1/monitors/21/training?limit=1000",
		"ID    CATEGORYNAME  URL             TITLE\nab12  Like          http://e.com/1  T\ncd    Like          http://e.com/2  \n")
	f("monitor training 21 --category Like --json", `{"items":[]}`, "GET /manage/v1/monitors/21/training?category=Like&limit=1000", "[]\n")
	f("monitor untrain 21 ab12 cd", "", "DELETE /manage/v1/monitors/21/training/ab12|DELETE /manage/v1/monitors/21/training/cd",
		"Removed training post ab12\nRemoved training post cd\n")
	f("monitor model 21", modelAnswered, "GET /manage/v1/monitors/21/model", modelShown)
	f("monitor model 21", `{"state":"untrained","missing":"More","trainingPosts":3,"changed":false,"trainedAt":null,"advice":["Add some."]}`, "GET /manage/v1/monitors/21/model",
		"state           untrained\nmissing         More\ntraining posts  3\n\n- Add some.\n")
	f("monitor model 21 --json", `{"state":"untrained"}`, "GET /manage/v1/monitors/21/model", "{\n  \"state\": \"untrained\"\n}\n")
	days := `{"days":[{"date":"2026-03-01","posts":10,"categories":[{"category":"Like","hidden":false,"proportion":0.7512,"low":0.61,"high":0.9},{"category":"Off","hidden":true,"proportion":0.2488,"low":0.1,"high":0.39}]},` +
		`{"date":"2026-03-02","posts":0,"categories":[{"category":"Like"},{"category":"Off"}]}]}`
	f("monitor proportions 21 --start 2026-03-01 --end 2026-03-03", days, "GET /manage/v1/monitors/21/proportions?end=2026-03-03&start=2026-03-01",
		"DATE        POSTS  Like                 Off (hidden)\n2026-03-01  10     0.75 (0.61 to 0.90)  0.25 (0.10 to 0.39)\n2026-03-02  0      -                    -\n")
	f("monitor proportions 21", `{"days":[]}`, "GET /manage/v1/monitors/21/proportions", "There are no results for these days\n")
	f("monitor proportions 21 --json", `{"days":[]}`, "GET /manage/v1/monitors/21/proportions", "{\n  \"days\": []\n}\n")
}
