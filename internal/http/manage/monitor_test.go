package manage

import (
	"fmt"
	"strings"
	"testing"
)

// TestEditChecksRevision checks that two people who edit the same monitor do not overwrite each
// other's changes.
func TestEditChecksRevision(t *testing.T) {
	w := newTrainingWorld(t)
	path := fmt.Sprintf("/%d", w.monitor.ID)
	f := func(method, path, body, want string) {
		t.Helper()
		if got := w.do("ann", method, path, body); !strings.HasPrefix(got, want[:3]) || !strings.Contains(got, want[4:]) {
			t.Errorf("%s %s: got %s, want %s", method, body, got, want)
		}
	}
	const refused = `409 {"message":"Someone else has changed the monitor; reload it and try again","status":"error"}`
	f("GET", path, "", `200 "revision":0`)
	f("PATCH", path, `{"name":"N","revision":0}`, `200 "revision":1`)
	f("PATCH", path, `{"categories":[{"name":"Like"},{"name":"Price"}],"revision":0}`, refused)
	f("GET", path, "", `200 "name":"Off-topic"`)
	f("PATCH", path, `{"categories":[{"name":"Like"},{"name":"Price"}],"revision":1}`, `200 "revision":2`)
	f("PATCH", path, `{"name":"N","revision":2}`, `200 "revision":2`) // no change
	f("PATCH", path, `{"name":"O"}`, `200 "revision":3`)              // without a revision there is no check
	f("POST", path+"/training", `{"category":"Like","documents":[`+doc("http://e.com/a", "Nice")+`]}`, `201 "added":1`)
	f("GET", path, "", `200 "revision":3`)
	f("POST", "", `{"name":"P","team":1,"keywords":"a","revision":9}`, `201 "revision":0`)
}
