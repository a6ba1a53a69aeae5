package webhook

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/ingest/item/record"
	"earshot/internal/test/testenv"
)

// mapped returns the records that a mapping finds in a body, with errors as text.
func mapped(t *testing.T, text, body string) (records []string) {
	t.Helper()
	m, err := parseMapping(text)
	if err != nil {
		t.Fatal(err)
	}
	for data, err := range mappedRecords(m, []byte(body)) {
		if err != nil {
			records = append(records, "error: "+err.Error())
		} else {
			records = append(records, string(data))
		}
	}
	return records
}

func TestMapping(t *testing.T) {
	f := func(mapping, body string, want ...string) {
		t.Helper()
		if got := mapped(t, mapping, body); !reflect.DeepEqual(got, want) {
			t.Errorf("%s\n%s\ngot  %q\nwant %q", mapping, body, got, want)
		}
	}
	const posts = "items = payload.posts[]\nguid = id\ncontents = message.text\n"
	f(posts, `{"payload":{"posts":[{"id":1,"message":{"text":"a"}},{"id":"2","message":{"text":"b"}}]}}`,
		`{"contents":"a","guid":"1"}`, `{"contents":"b","guid":"2"}`)
	f(strings.Replace(posts, "[]", "", 1), `{"payload":{"posts":[{"id":1},{"id":2}]}}`, `{"guid":"1"}`, `{"guid":"2"}`)
	f(posts, `{"payload":{"posts":[]}}`)
	f(posts, `{"payload":{"posts":null}}`, "error: the body has no payload.posts[], where the mapping expects the posts")
	f(posts, `{"data":1}`, "error: the body has no payload.posts[], where the mapping expects the posts")
	f("items = data\nguid = id", `{"data":{"id":7}}`, `{"guid":"7"}`)
	f("items = data\nguid = id", `{}`, "error: the body has no data, where the mapping expects the posts")

	f("guid = id", `{"id":12345678901234567890}`, `{"guid":"12345678901234567890"}`)
	f("guid = id", `[{"id":1},{"id":2}]`, `{"guid":"1"}`, `{"guid":"2"}`)
	f("guid = id", "{\"id\":1}\n\n{\"id\":2}\n", `{"guid":"1"}`, `{"guid":"2"}`)
	f("guid = id", "{\"id\":1}\n{\"id\"\n", `{"guid":"1"}`, "error: the body is not valid JSON: unexpected end of JSON input at byte 5")
	f("guid = id", "nonsense", "error: the body is not valid JSON: invalid character 'o' in literal null (expecting 'u') at byte 2")
	f("guid = id", " ", "error: the body is empty")
	f("guid = id", `{}`, `{}`)
	f("guid = id", `5`, `{}`)

	f(`type = "Reviews"`, `{}`, `{"type":"Reviews"}`)
	f(`custom.shop = "a \"b\" = c"`, `{}`, `{"custom":{"shop":"a \"b\" = c"}}`)
	f(`hashtags = "one"`, `{}`, `{"hashtags":["one"]}`)
	f("guid = id # = a comment\ntype = \"a # \\\" # b\"\t# \"c\"\ntitle = \" #\".\"x#y\" # z\n#", `{"id":1," #":{"x#y":"t"}}`, `{"guid":"1","title":"t","type":"a # \" # b"}`)
	f("# a comment\n\n  likes=a.b[1]  \r\n", `{"a":{"b":[1,2,3]}}`, `{"likes":2}`)
	f("likes = a[5]", `{"a":[1]}`, `{}`)
	f("likes = n", `{"n":"many"}`, `{"likes":"many"}`)
	f("authorVerified = v\ndeleted = d", `{"v":true,"d":"FALSE"}`, `{"authorVerified":true,"deleted":false}`)
	f("items = list[]\nauthor = $.sender.name\nguid = id", `{"sender":{"name":"Ann"},"list":[{"id":1},{"id":2}]}`,
		`{"author":"Ann","guid":"1"}`, `{"author":"Ann","guid":"2"}`)
	f(`title = data."created at"."a.b"`, `{"data":{"created at":{"a.b":"x"}}}`, `{"title":"x"}`)
	f(`title = $."a b"`, `{"a b":"x"}`, `{"title":"x"}`)
	f(`title = "$".x`, `{"$":{"x":"y"}}`, `{"title":"y"}`)
	f("hashtags = tags[].name\nmentions = who", `{"tags":[{"name":"a"},{},{"name":null},{"name":"b"}],"who":["x","y"]}`,
		`{"hashtags":["a","b"],"mentions":["x","y"]}`)
	f("images = pics[].src", `{"pics":[{"src":"http://a.example/1"}]}`, `{"images":[{"url":"http://a.example/1"}]}`)
	f("contents = parts[].text", `{"parts":[{"text":"a"},{"text":"b"}]}`, `{"contents":"a b"}`)
	f("contents = parts", `{"parts":["a"]}`, "error: contents: parts is a list; use parts[] for its elements")
	f("contents = parts", `{"parts":{"a":1}}`, "error: contents: parts is an object; name one of its members")
	f("geolocation.latitude = p[0]\ngeolocation.longitude = p[1]", `{"p":[1.5,-2]}`, `{"geolocation":{"latitude":1.5,"longitude":-2}}`)
	f("Contents = x", `{"x":"a"}`, `{"contents":"a"}`)
}

func TestMappedDates(t *testing.T) {
	f := func(value, want string) {
		t.Helper()
		if got := mapped(t, "date = d", `{"d":`+value+`}`); len(got) != 1 || got[0] != `{"date":"`+want+`"}` {
			t.Errorf("%s: got %s, want %s", value, got, want)
		}
	}
	f(`"2026-03-10T12:00:00+02:00"`, "2026-03-10T12:00:00+02:00")
	f(`1773144000`, "2026-03-10T12:00:00Z")
	f(`1773144000123`, "2026-03-10T12:00:00.123Z")
	f(`"1773144000.5"`, "2026-03-10T12:00:00.5Z")
	f(`"Tue, 10 Mar 2026 12:00:00 +0100"`, "2026-03-10T11:00:00Z")
	f(`"Tue Mar 10 12:00:00 +0000 2026"`, "2026-03-10T12:00:00Z")
	f(`"yesterday"`, "yesterday")
	f(`1e300`, "1e300")
}

func TestWrongMappings(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		if _, err := parseMapping(text); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
	f("contents", "mapping, line 1: 'contents' does not have the form field = path")
	f("guid = id\n\ncontents =", "mapping, line 3: 'contents =' does not have the form field = path")
	f("text = a", "mapping, line 1: 'text' is not a field of a post; see the fields of an import")
	f("guid = a\nGUID = b", "mapping, line 2: guid is set twice")
	f("items = a\nitems = b", "mapping, line 2: items is set twice")
	f("items = a", "mapping sets no fields: add lines such as contents = data.text")
	f("guid = a..b", "mapping, line 1: 'a..b' is not a path such as data.posts[].text: a name is empty, or must be quoted because it contains spaces, quotes or brackets")
	f("guid = a b", "mapping, line 1: 'a b' is not a path such as data.posts[].text: a name is empty, or must be quoted because it contains spaces, quotes or brackets")
	f("guid = a[", "mapping, line 1: 'a[' is not a path such as data.posts[].text: a bracket is not closed")
	f("guid = a[x]", "mapping, line 1: 'a[x]' is not a path such as data.posts[].text: brackets must be empty or contain a number such as 0")
	f("guid = a[0]b", "mapping, line 1: 'a[0]b' is not a path such as data.posts[].text: a dot is missing after a quote or bracket")
	f(`guid = a."b`, `mapping, line 1: 'a."b' is not a path such as data.posts[].text: a quote is not closed`)
	f("guid = a.$", "mapping, line 1: 'a.$' is not a path such as data.posts[].text: $ stands for the whole body and must come first")
	f("guid = "+strings.Repeat("a.", 20)+"a", "mapping, line 1: '"+strings.Repeat("a.", 20)+"a' is not a path such as data.posts[].text: it has more than 20 steps")
	f(strings.Repeat("#\n", 100)+"guid = a", "mapping has more than 100 lines")
	if m, err := parseMapping(" \n# nothing\n"); m != nil || err != nil {
		t.Errorf("without a rule: got %v and %v, want no mapping", m, err)
	}
}

func TestMappingLimitsItsWork(t *testing.T) {
	m, err := parseMapping("items = list[]\ncontents = $.text\nhashtags = $.tags[]\nguid = id")
	if err != nil {
		t.Fatal(err)
	}
	body := `{"text":"` + strings.Repeat("é", 1<<20) + `","tags":[` + strings.Repeat(`"a",`, 10_000) + `"b"],"list":[` + strings.Repeat(`{"id":1},`, 99) + `{"id":2}]}`
	n := 0
	for data, err := range m.records([]byte(body)) {
		if n++; err != nil || len(data) > 2*maxTextBytes {
			t.Fatalf("got a record of %d bytes and %v", len(data), err)
		}
		if it, err := record.Decode(data); err != nil || len(it.Hashtags) != maxTexts {
			t.Fatalf("got %d hashtags and %v, want more than are allowed, but not all", len(it.Hashtags), err)
		}
	}
	if n != 100 {
		t.Errorf("got %d posts, want 100", n)
	}
	many := "[" + strings.Repeat("[],", maxValues) + "1]"
	for _, err := range m.records([]byte(many)) {
		if !earshot.IsKind(err, earshot.TooLarge) {
			t.Errorf("got %v, want that there are too many values", err)
		}
	}
}

// TestMappingOfRecordedAnswers maps recorded answers of a forum, as a program that forwards them
// would send them.
func TestMappingOfRecordedAnswers(t *testing.T) {
	body, err := os.ReadFile("../../../../shared/data/connectors/discourse/posts_latest.json")
	if err != nil {
		testenv.SkipMissing(t, "the recorded answers are not here")
	}
	const mapping = "items = latest_posts[]\nguid = id\ncontents = raw\ndate = created_at\nauthorUsername = username\ntitle = topic_title\n"
	got := mapped(t, mapping, string(body))
	var posts struct {
		Posts []struct {
			Raw      string `json:"raw"`
			Username string `json:"username"`
		} `json:"latest_posts"`
	}
	if err := json.Unmarshal(body, &posts); err != nil {
		t.Fatal(err)
	}
	if len(got) == 0 || len(got) != len(posts.Posts) {
		t.Fatalf("got %d posts, want %d", len(got), len(posts.Posts))
	}
	for i, text := range got {
		it, err := record.Decode([]byte(text))
		if err != nil || it.Contents != posts.Posts[i].Raw || it.AuthorUsername != posts.Posts[i].Username || it.GUID == "" {
			t.Errorf("post %d: got %+v and %v", i, it, err)
		}
	}
}

// FuzzMapping checks that a path prints as it parses, and that no mapping or body causes a panic or
// a record that cannot be encoded.
func FuzzMapping(f *testing.F) {
	f.Add("items = a[]\nguid = id\ncontents = $.b[0].\"c d\"\n", `{"a":[{"id":1}],"b":[{"c d":"x"}]}`)
	f.Add("date = d\nhashtags = t[].n\ntype = \"News\"", `{"d":5,"t":[{"n":"a"}]}`)
	f.Add("guid = a[0][][1].b", `[[[1,{"b":2}]]]`)
	f.Fuzz(func(t *testing.T, text, body string) {
		m, err := parseMapping(text)
		if m == nil {
			return
		}
		if err != nil {
			t.Fatalf("got a mapping and %v", err)
		}
		for _, rule := range m.fields {
			if rule.constant != nil {
				continue
			}
			if again, err := parsePath(rule.path.String()); err != nil || !reflect.DeepEqual(again, rule.path) {
				t.Fatalf("%q prints as %q, which is %v and %v", text, rule.path, again, err)
			}
		}
		for data, err := range mappedRecords(m, []byte(body)) {
			if err == nil && !json.Valid(data) {
				t.Fatalf("got the record %q", data)
			}
		}
	})
}
