package rest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"earshot"
)

type itemBody struct {
	GUID     Text             `json:"guid"`
	Author   string           `json:"author"`
	Age      int8             `json:"age"`
	Score    float64          `json:"score"`
	Hidden   bool             `json:"hidden"`
	Count    Int              `json:"count"`
	Verified Bool             `json:"verified"`
	Group    earshot.Grouping `json:"group"`
	Words    words            `json:"words"`
	Likes    *int64           `json:"likes"`
}

type uploadBody struct {
	common
	Items  []itemBody        `json:"items"`
	Custom map[string]string `json:"custom"`
	Union  listOrObject      `json:"union"`
	Any    any               `json:"any"`
}

type common struct {
	Batch int `json:"batch"`
}

// listOrObject is a type that unmarshals itself.
type listOrObject struct{ Items []int }

func (u *listOrObject) UnmarshalJSON(data []byte) error {
	if data[0] == '[' {
		return json.Unmarshal(data, &u.Items)
	}
	var object struct {
		Items []int `json:"items"`
	}
	err := json.Unmarshal(data, &object)
	u.Items = object.Items
	return err
}

func TestDecodeErrors(t *testing.T) {
	f := func(data, want string) {
		t.Helper()
		var body uploadBody
		err := Decode([]byte(data), "", &body)
		if err == nil || err.Error() != "Invalid request body: "+want {
			t.Errorf("%s\ngot  %v\nwant Invalid request body: %s", earshot.Clip(data, 200), err, want)
		}
	}
	f("", "must be an object, not empty")
	f(" \n\t", "must be an object, not empty")
	f("\uFEFF", "must be an object, not empty")
	f("null", "must be an object, not null")
	f(" null ", "must be an object, not null")
	f("17", "must be an object, not a number")
	f(`"text"`, "must be an object, not a string")
	f("true", "must be an object, not a boolean")
	f("[]", "must be an object, not a list")

	f("{", "unexpected end of JSON input at byte 1")
	f(`{"items":[}`, "invalid character '}' looking for beginning of value at byte 11")
	f(`{} x`, "invalid character 'x' after top-level value at byte 4")
	f(`{}{}`, "invalid character '{' after top-level value at byte 3")
	f(`{'a':1}`, `invalid character '\'' looking for beginning of object key string at byte 2`)
	f("{\"a\":\"\x01\"}", `invalid character '\x01' in string literal at byte 7`)
	f("{\"a\":\"x\xffy\"}", "not valid UTF-8 at byte 8")
	f(strings.Repeat("[", 20_000), "must be an object, not a list")

	f(`{"batch":"1"}`, "batch must be a whole number, not a string")
	f(`{"items":{}}`, "items must be a list, not an object")
	f(`{"items":[{},7]}`, "items[1] must be an object, not a number")
	f(`{"items":[{},{},{},{"age":"x"}]}`, "items[3].age must be a whole number, not a string")
	f(`{"items":[{"AGE":"x"}]}`, "items[0].AGE must be a whole number, not a string")
	f(`{"items":[{"age":1.5}]}`, "items[0].age must be a whole number, not 1.5")
	f(`{"items":[{"age":300}]}`, "items[0].age must be a whole number from -128 to 127, not 300")
	f(`{"batch":99999999999999999999}`, "batch must be a whole number from -9223372036854775808 to 9223372036854775807, not 99999999999999999999")
	f(`{"items":[{"score":1e999}]}`, "items[0].score must be a number, not 1e999")
	f(`{"items":[{"score":"1"}]}`, "items[0].score must be a number, not a string")
	f(`{"items":[{"hidden":0}]}`, "items[0].hidden must be true or false, not a number")
	f(`{"items":[{"author":5}]}`, "items[0].author must be a string, not a number")
	f(`{"items":[{"count":"many"}]}`, `items[0].count must be a whole number, not "many"`)
	f(`{"items":[{"count":[]}]}`, `items[0].count must be a whole number, not a list`)
	f(`{"items":[{"verified":"yes"}]}`, `items[0].verified must be true or false, not "yes"`)
	f(`{"items":[{"guid":true}]}`, `items[0].guid must be a string, not true`)
	f(`{"items":[{"guid":{}}]}`, `items[0].guid must be a string, not an object`)
	f(`{"items":[{"group":"YEARLY"}]}`, `items[0].group must be one of HOURLY, DAILY, WEEKLY, MONTHLY, not "YEARLY"`)
	f(`{"items":[{"words":5}]}`, `items[0].words must be a string, not a number`)
	f(`{"items":[{"likes":"5"}]}`, `items[0].likes must be a whole number, not a string`)
	f(`{"custom":{"b":1,"a":"x"}}`, `custom.b must be a string, not a number`)
	f(`{"union":["x"]}`, `union must be a whole number, not a string`)
	f(`{"union":{"items":["x"]}}`, `union.items must be a whole number, not a string`)
	f(`{"items":[{"count":"`+strings.Repeat("x", 100)+`"}]}`,
		`items[0].count must be a whole number, not "`+strings.Repeat("x", 59)+`…`)
}

func TestDecodeErrorsIncludePath(t *testing.T) {
	f := func(data, want string) {
		t.Helper()
		var item itemBody
		err := Decode([]byte(data), "items[3]", &item)
		if err == nil || err.Error() != "Invalid request body: "+want {
			t.Errorf("%s\ngot  %v\nwant Invalid request body: %s", earshot.Clip(data, 200), err, want)
		}
	}
	f(`{"age":"x"}`, "items[3].age must be a whole number, not a string")
	f(`null`, "items[3] must be an object, not null")
	f(`7`, "items[3] must be an object, not a number")
	f("{\"author\":\"\xff\"}", "items[3] is not valid UTF-8 at byte 12")
	f(`{`, "items[3]: unexpected end of JSON input at byte 1")
}

func TestDecode(t *testing.T) {
	var body uploadBody
	err := Decode([]byte("\uFEFF"+`{"BATCH":3,"unknown":null,"items":[{"guid":12345678901234567890,"count":"7","verified":"True"},
		{"guid":"x","count":8,"verified":false,"group":"daily","words":"w"},{"guid":null,"count":null,"verified":null,"likes":null}]}`), "", &body)
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprintf("%+v", body.Items)
	want := "[{GUID:{Value:12345678901234567890 Presence:2} Author: Age:0 Score:0 Hidden:false Count:{Value:7 Presence:2} " +
		"Verified:{Value:true Presence:2} Group: Words: Likes:<nil>} " +
		"{GUID:{Value:x Presence:2} Author: Age:0 Score:0 Hidden:false Count:{Value:8 Presence:2} " +
		"Verified:{Value:false Presence:2} Group:DAILY Words:w Likes:<nil>} " +
		"{GUID:{Value: Presence:1} Author: Age:0 Score:0 Hidden:false Count:{Value:0 Presence:1} " +
		"Verified:{Value:false Presence:1} Group: Words: Likes:<nil>}]"
	if got != want || body.Batch != 3 {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestDecodeReturnsEarshotErrorsUnchanged(t *testing.T) {
	var body struct {
		Keywords words `json:"keywords"`
	}
	err := Decode([]byte(`{"keywords":"("}`), "", &body)
	if want := "Invalid keywords at position 1: '(' is not closed"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		``, `null`, `{}`, `{"items":[{"age":"x"}]}`, `{"items":[{"count":"9"}],"custom":{"a":1}}`, `{"union":[1]}`, "\xff", `{"batch":1e5}`,
		`{"items":[{"author":"\ud83d\ude00\n\u00e9 \ud83dx\/","age":-7,"score":-0.5e+3,"hidden":true,"likes":null}],"batch":10,"any":[{"a":null}]}`,
		`{"custom":null,"union":{"items":[1,2]},"items":[]}`, `[tru]`, `{"any":nul}`, `{"any":-}`, `{"any":1.e}`, `{"any":"\u12g4"}`, `{"any" 1}`, `{"any":[1 2]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var got, want uploadBody
		err := Decode(data, "", &got)
		if err == nil {
			if werr := json.Unmarshal(trimBOM(data), &want); werr != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%q:\ngot  %+v\nwant %+v, %v", data, got, want, werr)
			}
			return
		}
		var syntax *json.SyntaxError
		if first := json.Unmarshal(trimBOM(data), &want); errors.As(first, &syntax) && strings.Contains(err.Error(), "invalid character") {
			if want := fmt.Sprintf("Invalid request body: %v at byte %d", syntax, syntax.Offset); err.Error() != want {
				t.Errorf("%q:\ngot  %v\nwant %v", data, err, want)
			}
		}
		want = uploadBody{}
		limited := strings.Contains(err.Error(), "nested more than") || strings.Contains(err.Error(), "must be shorter")
		if json.Unmarshal(trimBOM(data), &want) == nil && utf8.Valid(data) && !isNull(trimBOM(data)) && !limited {
			t.Errorf("%q: got error %v, but encoding/json accepts it", data, err)
		}
		var e *earshot.Error
		if !errors.As(err, &e) || e.Kind != earshot.Invalid || len(e.Message) > 1000 || !strings.HasPrefix(e.Message, "Invalid request body: ") {
			t.Errorf("%q: got error %q", data, err)
		}
	})
}

// TestLongTexts compares the limits of texts with what is sent, without escapes and spaces around it.
func TestLongTexts(t *testing.T) {
	type body struct {
		Items []struct {
			Title  string            `json:"title" longest:"3"`
			Custom map[string]string `json:"custom" longest:"4"`
			Link   *string           `json:"link" longest:"5"`
			Text   string            `json:"text"`
		} `json:"items"`
	}
	f := func(item, want string) {
		t.Helper()
		var b body
		got := "accepted"
		if err := Decode([]byte(`{"items":[`+item+`]}`), "", &b); err != nil {
			got = strings.TrimPrefix(err.Error(), "Invalid request body: items[0].")
		}
		if got != want {
			t.Errorf("%s\ngot  %s\nwant %s", item, got, want)
		}
	}
	f(`{"title":" \u00e9é\ud83d\ude00 ","custom":{"key name":"abcd","b":null},"link":null,"text":"abcdefgh"}`, "accepted")
	f(`{"title":"abcd"}`, "title has 4 characters, at most 3 are allowed")
	f(`{"custom":{"a":"abcd","b":"ab\ncd"}}`, "custom.b has 5 characters, at most 4 are allowed")
	f(`{"link":"\u0061bcdeé"}`, "link has 6 characters, at most 5 are allowed")
}

func isNull(data []byte) bool { return string(bytes.TrimSpace(data)) == "null" }
