//go:build cgo && linux

package main

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// maxField is the default of the server's setting http_max_field_value_size.
const maxField = 128 << 10

// tag is in the text that ends a response if a statement fails after its first output. A real server
// generates a new one for each response.
const tag = "PU1FNUFH98"

var (
	database = regexp.MustCompile(`^[A-Za-z0-9_]+$`)
	code     = regexp.MustCompile(`Code: (\d+)`)
	// insert matches statements whose rows are in the body. As part of the statement's text, rows would
	// end at an empty line.
	insert    = regexp.MustCompile(`(?is)^(\s*INSERT\s.*)\sFORMAT\s+(\w+)\s*$`)
	selection = regexp.MustCompile(`(?i)^\s*(SELECT|WITH)\s`)
)

// A server runs each statement on a connection of its own.
type server struct {
	dir  string
	mu   sync.Mutex
	idle []*connection // guarded by mu
}

// ServeHTTP runs a statement. SQL is in the parameter query, in the body, or starts in the parameter
// and continues in the body, which is how INSERT statements send their data.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/ping" {
		_, _ = io.WriteString(w, "Ok.\n")
		return
	}
	req, err := readRequest(r)
	if err != nil {
		fail(w, err)
		return
	}
	c, err := s.take(req.database)
	if err != nil {
		fail(w, err)
		return
	}
	defer s.give(c)
	out := &output{w: w}
	if err := run(c, req, out.write); err != nil {
		if out.started {
			fmt.Fprintf(w, "__exception__\r\n%s\r\n%s\n%d %s\r\n__exception__\r\n", tag, err, len(err.Error())+1, tag)
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler) // the response does not end properly, like a real server's
		}
		fail(w, err)
	}
}

func run(c *connection, r request, write func([]byte) error) error {
	if m := insert.FindSubmatch(r.sql); m != nil {
		return c.insert(m[1], string(m[2]), r.rows)
	}
	sql := r.sql
	if len(r.rows) > 0 {
		sql = slices.Concat(sql, []byte("\n"), r.rows)
	}
	if selection.Match(sql) {
		return c.stream(sql, r.params, write)
	}
	return c.query(sql, r.params, write)
}

// A request is a statement with its parameters.
type request struct {
	sql      []byte // of the parameter, or if that is empty, of the body
	rows     []byte // the body after the parameter
	params   map[string]string
	database string
}

func readRequest(r *http.Request) (request, error) {
	fields := r.URL.Query()
	var body []byte
	if strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/form-data") {
		if err := r.ParseMultipartForm(1 << 30); err != nil {
			return request{}, err
		}
		for name, values := range r.MultipartForm.Value {
			fields[name] = append(fields[name], values...)
		}
	} else {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return request{}, err
		}
	}
	return newRequest(fields, body)
}

// A refusal is an error with a text like the engine's.
type refusal string

func (r refusal) Error() string { return string(r) }

func newRequest(fields url.Values, body []byte) (request, error) {
	req := request{params: map[string]string{}, database: "default"}
	for name, values := range fields {
		if len(values[0]) > maxField {
			return request{}, refusal(fmt.Sprintf("Poco::Exception. Code: 1000, e.code() = 0, HTML Form Exception: Field value too long: %s", name))
		}
		param, isParam := strings.CutPrefix(name, "param_")
		switch {
		case isParam:
			req.params[param] = values[0]
		case name == "database":
			req.database = values[0]
		case name != "query":
			return request{}, refusal(fmt.Sprintf("Code: 115. DB::Exception: Unknown setting '%s': the test server has only query, database and param_*. (UNKNOWN_SETTING)", name))
		}
	}
	if !database.MatchString(req.database) {
		return request{}, refusal(fmt.Sprintf("Code: 81. DB::Exception: Database %s does not exist. (UNKNOWN_DATABASE)", req.database))
	}
	req.sql = []byte(fields.Get("query"))
	if len(req.sql) == 0 {
		req.sql = body
	} else {
		req.rows = body
	}
	return req, nil
}

// take returns an idle connection, or a new one, that uses a database.
func (s *server) take(database string) (*connection, error) {
	s.mu.Lock()
	var c *connection
	if n := len(s.idle); n > 0 {
		c, s.idle = s.idle[n-1], s.idle[:n-1]
	}
	s.mu.Unlock()
	if c == nil {
		var err error
		if c, err = connect(s.dir); err != nil {
			return nil, err
		}
	}
	if c.database != database {
		if err := c.query([]byte("USE `"+database+"`"), nil, func([]byte) error { return nil }); err != nil {
			s.give(c)
			return nil, err
		}
		c.database = database
	}
	return c, nil
}

func (s *server) give(c *connection) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.idle = append(s.idle, c)
}

// An output writes the output of a statement to a response.
type output struct {
	w       http.ResponseWriter
	started bool
}

func (o *output) write(b []byte) error {
	if !o.started {
		o.started = true
		o.w.Header().Set("X-ClickHouse-Exception-Tag", tag)
		o.w.Header().Set("Content-Type", "application/octet-stream")
	}
	if _, err := o.w.Write(b); err != nil {
		return err
	}
	return http.NewResponseController(o.w).Flush()
}

// fail answers with an error of the engine.
func fail(w http.ResponseWriter, err error) {
	if m := code.FindStringSubmatch(err.Error()); m != nil {
		w.Header().Set("X-ClickHouse-Exception-Code", m[1])
	}
	w.WriteHeader(http.StatusInternalServerError)
	_, _ = io.WriteString(w, err.Error())
}
