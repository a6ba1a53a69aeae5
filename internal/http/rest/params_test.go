package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/limit"
)

type rangeParams struct {
	ID    earshot.MonitorID `query:"id,required"`
	Start earshot.Date      `query:"start"`
}

type allParams struct {
	rangeParams
	Stream  int64            `path:"stream"`
	Text    string           `query:"text"`
	Flag    bool             `query:"useLocalTime"`
	Small   int8             `query:"small"`
	Count   uint16           `query:"count"`
	Ratio   float64          `query:"ratio"`
	GroupBy earshot.Grouping `query:"groupBy"`
	Maybe   *bool            `query:"maybe"`
	Until   *earshot.Date    `query:"until"`
	Words   words            `query:"words"`
	Address string           `request:"address"`
	own     int
}

// words is a type whose UnmarshalText returns an *earshot.Error.
type words string

func (w *words) UnmarshalText(b []byte) error {
	if strings.Contains(string(b), "(") {
		return earshot.Errorf(earshot.Invalid, "Invalid keywords at position 1: '(' is not closed")
	}
	*w = words(b)
	return nil
}

func showParams(_ context.Context, _ *earshot.Caller, p allParams) (string, error) {
	maybe, until := "-", "-"
	if p.Maybe != nil {
		maybe = fmt.Sprint(*p.Maybe)
	}
	if p.Until != nil {
		until = p.Until.String()
	}
	return fmt.Sprint(p.ID, " ", p.Start, " ", p.Stream, " ", p.Text, " ", p.Flag, " ", p.Small, " ", p.Count, " ",
		p.Ratio, " ", p.GroupBy, " ", maybe, " ", until, " ", p.Words, " ", p.Address, " ", p.own), nil
}

func TestHeaderAndBytesAreGivenUnchanged(t *testing.T) {
	h := New(Options{}, []Route{Handle("POST", "/in", Public, func(_ context.Context, _ *earshot.Caller, p struct {
		Header http.Header `request:"header"`
		Body   []byte      `body:"bytes"`
	}) (Answer, error) {
		if len(p.Body) == 0 {
			return Answer{Status: http.StatusAccepted}, nil
		}
		return Answer{http.StatusCreated, p.Header.Get("Webhook-Id") + " " + string(p.Body)}, nil
	})})
	send := func(body string) string {
		r := httptest.NewRequest("POST", "/in", strings.NewReader(body))
		r.Header.Set("webhook-id", "7")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return fmt.Sprint(w.Code, " ", w.Body)
	}
	if got, want := send(" {not json\n"), `201 "7  {not json\n"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := send(""), `202 {}`; got != want {
		t.Errorf("without a body: got %s, want %s", got, want)
	}
	if got := send(strings.Repeat("x", limit.MaxIngestBody)); !strings.HasPrefix(got, "201 ") {
		t.Errorf("a body of the maximum size: got %.100s", got)
	}
	if got := send(strings.Repeat("x", limit.MaxIngestBody+1)); !strings.HasPrefix(got, "413 ") {
		t.Errorf("a larger body: got %.100s", got)
	}
}

func TestParameters(t *testing.T) {
	h := New(Options{}, []Route{Handle("GET", "/s/{stream}", Public, showParams)})
	ok := func(target, want string) {
		t.Helper()
		check(t, request(h, "GET", target, ""), 200, `"`+want+`"`)
	}
	no := func(target, message string) {
		t.Helper()
		check(t, request(h, "GET", target, ""), 400, failureBody(message))
	}
	ok("/s/5?id=7", "7 0000-00-00 5  false 0 0 0  - -  192.0.2.1 0")
	ok("/s/5?ID=7&START=2024-01-31T00:00:00&text=a;b%26c&uselocaltime=TRUE&small=-128&count=65535&ratio=-1.5e3&groupby=weekly"+
		"&maybe=False&until=2024-02-01&words=apple&unknown=1",
		"7 2024-01-31 5 a;b&c true -128 65535 -1500 WEEKLY false 2024-02-01 apple 192.0.2.1 0")
	ok("/s/5?id=7&start=&useLocalTime=&small=&ratio=&maybe=", "7 0000-00-00 5  false 0 0 0  - -  192.0.2.1 0")
	ok("/s/5?id=7&small=1&small=x", "7 0000-00-00 5  false 1 0 0  - -  192.0.2.1 0")

	no("/s/5", "Required String parameter 'id' is not present")
	no("/s/5?id=", "Required String parameter 'id' is not present")
	no("/s/5?id=abc", "Invalid value 'abc' for parameter 'id': a positive whole number")
	no("/s/x?id=1", "Invalid value 'x' for parameter 'stream': a whole number")
	no("/s/5?id=1&USELOCALTIME=yes", "Invalid value 'yes' for parameter 'useLocalTime': true or false")
	no("/s/5?id=1&small=1.5", "Invalid value '1.5' for parameter 'small': a whole number")
	no("/s/5?id=1&small=128", "Invalid value '128' for parameter 'small': a whole number from -128 to 127")
	no("/s/5?id=1&count=-1", "Invalid value '-1' for parameter 'count': a whole number")
	no("/s/5?id=1&count=65536", "Invalid value '65536' for parameter 'count': a whole number from 0 to 65535")
	no("/s/5?id=1&ratio=NaN", "Invalid value 'NaN' for parameter 'ratio': a number")
	no("/s/5?id=1&ratio=1e999", "Invalid value '1e999' for parameter 'ratio': a number")
	no("/s/5?id=1&groupBy=YEARLY", "Invalid value 'YEARLY' for parameter 'groupBy': one of HOURLY, DAILY, WEEKLY, MONTHLY")
	no("/s/5?id=1&until=tomorrow", "Invalid value 'tomorrow' for parameter 'until': a date like 2024-01-31")
	no("/s/5?id=1&words=(", "Invalid keywords at position 1: '(' is not closed")
	no("/s/5?id=1&text=a%ffb", "Invalid value 'a\uFFFDb' for parameter 'text': text in UTF-8")
	no("/s/%ff?id=1", "Invalid value '\uFFFD' for parameter 'stream': text in UTF-8")
	no("/s/5?id="+strings.Repeat("x", 101), "Invalid value '"+strings.Repeat("x", 100)+"…' for parameter 'id': a positive whole number")
}

type aliasParams struct {
	ID   earshot.MonitorID `query:"id|monitorId,required"`
	Page int               `query:"page|p"`
}

func showAliases(_ context.Context, _ *earshot.Caller, p aliasParams) (string, error) {
	return fmt.Sprint(p.ID, " ", p.Page), nil
}

func TestParameterAliases(t *testing.T) {
	h := New(Options{}, []Route{Handle("GET", "/x", Public, showAliases)})
	ok := func(query, want string) {
		t.Helper()
		check(t, request(h, "GET", "/x?"+query, ""), 200, `"`+want+`"`)
	}
	no := func(query, message string) {
		t.Helper()
		check(t, request(h, "GET", "/x?"+query, ""), 400, failureBody(message))
	}
	ok("id=7", "7 0")
	ok("monitorid=7&P=2", "7 2")
	ok("MONITORID=8&id=7", "7 0") // tag order takes precedence over request order
	ok("id=&monitorId=8", "8 0")
	no("", "Required String parameter 'id' is not present")
	no("id=&monitorid=", "Required String parameter 'id' is not present")
	no("monitorid=x", "Invalid value 'x' for parameter 'id': a positive whole number")
	no("id=x&monitorid=7", "Invalid value 'x' for parameter 'id': a positive whole number")
}

type secretParams struct {
	Password string `query:"password"`
	Pass     int    `query:"code|Auth"`
	Name     string `query:"name"`
}

func TestErrorsDoNotRevealSecrets(t *testing.T) {
	h := New(Options{}, []Route{Handle("GET", "/x", Public, func(context.Context, *earshot.Caller, secretParams) (none, error) { return none{}, nil })})
	f := func(query, message string) {
		t.Helper()
		check(t, request(h, "GET", "/x?"+query, ""), 400, failureBody(message))
	}
	f("password=s%ffecret", "Invalid value '…' for parameter 'password': text in UTF-8")
	f("PASSWORD=s%ffecret", "Invalid value '…' for parameter 'password': text in UTF-8")
	f("auth=secret", "Invalid value '…' for parameter 'code': a whole number")
	f("auth=s%ffecret", "Invalid value '…' for parameter 'code': text in UTF-8")
	f("name=s%ffam", "Invalid value 's\uFFFDam' for parameter 'name': text in UTF-8")
}

func TestClientAddress(t *testing.T) {
	f := func(remote, want string) {
		t.Helper()
		if got, _ := clientAddress(&http.Request{RemoteAddr: remote}); got != want {
			t.Errorf("%s: got %s, want %s", remote, got, want)
		}
	}
	f("192.0.2.1:1234", "192.0.2.1")
	f("[2001:db8::1]:1234", "2001:db8::1")
	f("[fe80::1%eth0]:1234", "fe80::1")
	f("[::ffff:192.0.2.1]:1234", "192.0.2.1")
	f("@", "@")
}

func TestBadParameterStructsPanic(t *testing.T) {
	f := func(want string, make func()) {
		t.Helper()
		defer func() {
			t.Helper()
			if got := fmt.Sprint(recover()); got != want {
				t.Errorf("got panic %q, want %q", got, want)
			}
		}()
		make()
	}
	f("rest: parameters of /{id} must be a struct, not int", try[int])
	f("rest: parameters of /{id}: field A must be exported and have a tag", try[struct{ A int }])
	f("rest: parameters of /{id}: field a must be exported and have a tag", try[struct {
		a int `query:"a"`
	}])
	f("rest: parameters of /{id}: field A has a type that cannot be parsed from text", try[struct {
		A [][]string `query:"a"`
	}])
	f("rest: parameters of /{id}: field A has an invalid tag", try[struct {
		A string `path:"other"`
	}])
	f("rest: parameters of /{id}: field A has an invalid tag", try[struct {
		A string `query:"a,requird"`
	}])
	f("rest: parameters of /{id}: field A has an invalid tag", try[struct {
		A string `body:"stream"`
	}])
	f("rest: parameters of /{id}: field B repeats the tag of an earlier field", try[struct {
		A string `query:"a"`
		B string `query:"A"`
	}])
	f("rest: parameters of /{id}: field B repeats the tag of an earlier field", try[struct {
		A string `query:"a|b"`
		B string `query:"c|B"`
	}])
	f("rest: parameters of /{id}: field A has an invalid tag", try[struct {
		A string `query:"a|"`
	}])
	f("rest: parameters of /{id}: field B repeats the tag of an earlier field", try[struct {
		A string      `body:"json"`
		B *BodyStream `body:"stream"`
	}])
}

// try creates a route with parameters of type P.
func try[P any]() {
	Handle("GET", "/{id}", Public, func(context.Context, *earshot.Caller, P) (none, error) {
		return none{}, errors.New("not reached")
	})
}

type listParams struct {
	Types []string            `query:"type|kind,required"`
	IDs   []earshot.MonitorID `query:"id"`
}

func TestRepeatedParameters(t *testing.T) {
	show := func(_ context.Context, _ *earshot.Caller, p listParams) (string, error) {
		return fmt.Sprintf("%q %d", p.Types, p.IDs), nil
	}
	h := New(Options{}, []Route{Handle("GET", "/l", Public, show)})
	f := func(target string, status int, want string) {
		t.Helper()
		check(t, request(h, "GET", target, ""), status, want)
	}
	f("/l?type=a", 200, `"[\"a\"] []"`)
	f("/l?Type=b&id=3&TYPE=&type=a&kind=c&id=1", 200, `"[\"b\" \"a\" \"c\"] [3 1]"`)
	f("/l?type=&kind=", 400, failureBody("Required String parameter 'type' is not present"))
	f("/l?type=a&id=1&id=x", 400, failureBody("Invalid value 'x' for parameter 'id': a positive whole number"))
}
