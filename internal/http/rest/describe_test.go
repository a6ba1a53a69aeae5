package rest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"earshot"
)

// shelfParams has a field of every kind.
type shelfParams struct {
	shelfPlace
	From    earshot.Date     `query:"from,required" doc:"first day" example:"2026-03-01"`
	By      earshot.Grouping `query:"by" doc:"length of the steps" values:"HOURLY,DAILY"`
	Few     *int32           `query:"few" deprecated:"true"`
	Address string           `request:"address"`
	Body    struct {
		Team  earshot.TeamID    `json:"team" doc:"who owns it" required:"true"`
		Loud  Bool              `json:"loud"`
		Books []shelfBook       `json:"books"`
		Notes map[string]string `json:"notes"`
	} `body:"json,optional"`

	seen bool
}

type shelfPlace struct {
	Room earshot.MonitorID `path:"room" doc:"which room"`
	ID   earshot.MonitorID `query:"id|shelfid"`
}

type shelfBook struct {
	Title string   `json:"title"`
	Pages Int      `json:"pages"`
	Tags  []string `json:"tags" values:"new,old"`
}

type shelfResponse struct {
	shelfBase
	Since  *earshot.Timestamp `json:"since,omitempty" doc:"when it was put up" restricted:"true"`
	Size   earshot.Count      `json:"size,omitzero"`
	Books  []shelfBook        `json:"books"`
	Shares map[string]float64 `json:"shares"`
	Order  ordered            `json:"order"`
	Secret secretive          `json:"secret"`
	Next   *shelfResponse     `json:"next,omitempty"`
	Hidden string             `json:"-"`
	Status Success            `json:"status"`
}

type shelfBase struct {
	Number uint16 `json:"number" doc:"of the shelf"`
}

// ordered marshals itself and declares its shape; secretive does not declare it.
type ordered []string

func (ordered) MarshalJSON() ([]byte, error) { return []byte(`{}`), nil }
func (ordered) JSONShape() any               { return map[string]int64{} }

type secretive struct{}

func (secretive) MarshalJSON() ([]byte, error) { return []byte(`1`), nil }

func TestDescribe(t *testing.T) {
	shelf := func(_ context.Context, _ *earshot.Caller, p shelfParams) (shelfResponse, error) {
		_ = p.seen
		return shelfResponse{}, nil
	}
	described := Describe([]Route{
		Plain("GET", "/page", nil),
		Handle("POST", "/room/{room}", Content, shelf).Doc("Rooms", "Moves a shelf."),
	})
	if len(described) != 1 {
		t.Fatalf("%d routes are described, want 1", len(described))
	}
	want := strings.TrimPrefix(`
POST /room/{room} access 2, Rooms: Moves a shelf.
path room int64, required: which room
query id (or [shelfid]) int64
query from date, required, as 2026-03-01: first day
query by string [HOURLY DAILY]: length of the steps
query few int32, deprecated
body object, optional
  team int64 or a string, required: who owns it
  loud boolean or a string
  books array of object
    title string
    pages int64 or a string
    tags array of string
  notes object (map to string)
answer object
  number int32, required: of the shelf
  since timestamp, restricted: when it was put up
  size int64
  books array of object, required
    title string, required
    pages int64 or a string, required
    tags array of string, required
  shares object (map to number), required
  order object (map to int64), required
  secret any, required
  next object
  status string [success], required: success
`, "\n")
	if got := spellDescription(described[0]); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestDescribeResponsesThatAreNotMarshaled(t *testing.T) {
	page := func(context.Context, *earshot.Caller, none) (Download, error) { return Download{}, nil }
	described := Describe([]Route{
		Handle("GET", "/a", Public, page),
		Handle("GET", "/b", Public, page).Responds(said{}),
	})
	if got := described[0].Response; got != nil {
		t.Errorf("got response shape %v of a download, want none", got)
	}
	if got := described[1].Response.Inner(); len(got) != 2 || got[0].Name != "by" {
		t.Errorf("got response members %v, want those of said", got)
	}
}

func spellDescription(d Description) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s access %d, %s: %s\n", d.Method, d.Path, d.Access, d.Category, d.Text)
	for _, p := range d.Params {
		spellField(&b, "", p)
	}
	fmt.Fprint(&b, "body object")
	if d.BodyOptional {
		fmt.Fprint(&b, ", optional")
	}
	fmt.Fprintln(&b)
	for _, m := range d.Body.Members {
		spellField(&b, "  ", m)
	}
	fmt.Fprintln(&b, "answer", d.Response)
	for _, m := range d.Response.Members {
		spellField(&b, "  ", m)
	}
	return b.String()
}

func spellField(b *strings.Builder, indent string, f Field) {
	fmt.Fprint(b, indent)
	if f.In != "" {
		fmt.Fprint(b, f.In, " ")
	}
	fmt.Fprint(b, f.Name)
	if len(f.Aliases) > 0 {
		fmt.Fprintf(b, " (or %s)", f.Aliases)
	}
	fmt.Fprint(b, " ", f.Shape)
	if f.Shape.Values != nil {
		fmt.Fprint(b, " ", f.Shape.Values)
	}
	for _, note := range []struct {
		holds bool
		text  string
	}{
		{f.Shape.Lenient, " or a string"}, {f.Required, ", required"},
		{f.Restricted, ", restricted"}, {f.Deprecated, ", deprecated"},
		{f.Example != "", ", as " + f.Example}, {f.Text != "", ": " + f.Text},
	} {
		if note.holds {
			fmt.Fprint(b, note.text)
		}
	}
	fmt.Fprintln(b)
	for _, m := range f.Shape.Inner() {
		spellField(b, indent+"  ", m)
	}
}
