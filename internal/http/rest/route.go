package rest

import (
	"context"
	"net/http"
	"reflect"

	"earshot"
)

// A Route is a method, a path, who may call it, and its handler. Create routes with [Handle] and
// [Plain].
type Route struct {
	Method string
	Path   string // as given to Handle, with segments like {streamid}
	Access Access

	Category    string // section of the API documentation that lists it
	Description string // what it does, one sentence

	params, response reflect.Type // nil for routes created by Plain
	call             func(x *exchange) (any, error)
	plain            http.Handler
	sameOrigin       bool
	guests           bool
	health           bool
	changes          bool
	signIn           bool
	accepts          bool
	temporary        bool
	visitors         bool
}

// Handle creates a route from a function.
//
// The path must match exactly, except that a segment in braces matches any one segment. P is a
// struct. A tag on each field states where its value comes from:
//
//	query:"groupBy"         a query parameter; the case of its name does not matter
//	query:"id,required"     a query parameter that must be present
//	query:"id|monitorid"    a query parameter with aliases (also id|monitorid,required)
//	path:"streamid"         a segment of the path
//	body:"json"             the request body, at most 1 MB
//	body:"json,large"       the request body, at most Options.MaxBody
//	body:"json,optional"    the request body; the field stays unset if the body is empty (also json,large,optional)
//	body:"bytes"            the body as it is, at most limit.MaxIngestBody, of type []byte
//	body:"stream"           the body as it arrives, of type *BodyStream
//	request:"address"       the client's IP address, a string
//	request:"header"        all header fields, an http.Header
//	request:"base"          the URL of the server as the client reached it, like http://host:8080
//	request:"scheme"        https if browsers reach the server over TLS, perhaps through a proxy; otherwise http
//	request:"method"        GET, or HEAD if the client wants only the headers
//	request:"session"       the caller's session cookie; "" if the caller used a token
//	request:"Last-Event-ID" the ID of the last event that a client of Events received
//
// If a parameter has aliases, the first name in the tag that has a value in the request wins. Error
// messages use the first name in the tag. They do not show the values of the password, auth and
// token parameters.
//
// On Public routes, JSON bodies may have at most 16 KB.
//
// Query and path fields are strings, booleans, numbers, types with UnmarshalText, or pointers to
// these. A pointer stays nil if the parameter is absent. A query field may also be a slice, which
// gets all values of a repeated parameter; other fields get the first value that is not empty. The
// error of UnmarshalText must be a phrase that says what is allowed, for example "a positive whole
// number"; an *earshot.Error is returned to the client unchanged. Fields of embedded structs count
// as fields of P.
//
// R is encoded as JSON. [Statuser], [Headerer], [NoContent], [Created] and [Answer] set the status or
// headers. Use [Streamed] for long responses, [Download] for content that is not JSON, and [Events]
// for server-sent events. c is nil on Public routes that are called without a valid token; Public
// routes ignore sessions.
//
// Handle panics if P does not follow these rules.
func Handle[P, R any](method, path string, access Access, fn func(ctx context.Context, c *earshot.Caller, p P) (R, error)) Route {
	plan := newPlan(reflect.TypeFor[P](), path)
	r := Route{Method: method, Path: path, Access: access, params: reflect.TypeFor[P](), response: reflect.TypeFor[R]()}
	r.call = func(x *exchange) (any, error) {
		if !plan.streams {
			if err := x.hashBody(); err != nil {
				return nil, err
			}
		}
		var p P
		if err := plan.bind(x, reflect.ValueOf(&p).Elem()); err != nil {
			return nil, err
		}
		if w, ok := any(p).(Weighted); ok {
			if err := x.reserveResponse(w.ResponseMemory()); err != nil {
				return nil, err
			}
		}
		return x.once(func() (any, error) { return fn(x.r.Context(), x.caller, p) })
	}
	return r
}

// Weighted is implemented by parameters whose response may need much memory.
type Weighted interface {
	// ResponseMemory returns an upper bound of the memory in bytes that computing the response
	// takes, or 0 if it takes less than a connection does anyway.
	ResponseMemory() int64
}

// Computing a metric takes about rowBytes for each row of the result. A day has up to rowsPerDay of
// them: categories, emotions, sources, hours. Short ranges are not counted.
const (
	rowBytes   = 128
	rowsPerDay = 32
	freeRows   = 1 << 13
)

// DayMemory returns the memory that computing a metric of this many days takes.
func DayMemory(days int) int64 { return RowMemory(rowsPerDay * days) }

// RowMemory returns the memory that computing this many rows takes.
func RowMemory(rows int) int64 {
	if rows < freeRows {
		return 0
	}
	return int64(rows) * rowBytes
}

// Doc returns the route with a category and a description. The doc tags of its parameter and
// response fields describe the fields; see [Describe].
func (r Route) Doc(category, description string) Route {
	r.Category, r.Description = category, description
	return r
}

// Responds returns the route documented as if its response had the type of v. It is for responses
// that are written by hand.
func (r Route) Responds(v any) Route {
	r.response = reflect.TypeOf(v)
	return r
}

// Accepts returns the route documented as one whose response has status 202 if it is not complete.
func (r Route) Accepts() Route {
	r.accepts = true
	return r
}

// TemporaryPassword returns the route open to callers who have to change their password. They cannot
// call any other.
func (r Route) TemporaryPassword() Route {
	r.temporary = true
	return r
}

// SameOrigin returns the route closed to pages of other sites: a request that the browser marks as
// cross-origin is rejected.
func (r Route) SameOrigin() Route {
	r.sameOrigin = true
	return r
}

// Changes returns the route marked as one that changes state although its method is GET. A session
// alone does not suffice: the request must have the CSRF token, or the browser must say that it comes
// from one of our own pages.
func (r Route) Changes() Route {
	r.changes = true
	return r
}

// SignIn returns the route as one that checks a password. It counts against the rate limit of the
// client's network, but is never rejected by it: its service throttles failures, and others in the
// network must still be able to sign in.
func (r Route) SignIn() Route {
	r.signIn = true
	return r
}

// Guests returns the route opened to callers without a token or session. For them, c is nil.
func (r Route) Guests() Route {
	r.guests = true
	return r
}

// Visitors returns the route as one for people without an account, whose path contains a secret.
// Browsers and search engines are asked to keep its responses and its path to themselves.
func (r Route) Visitors() Route {
	r.visitors = true
	return r
}

// Health returns the route as a health check, which no limit applies to.
func (r Route) Health() Route {
	r.health = true
	return r
}

// Plain creates a public route from a handler that writes its own response. A final segment like
// {file...} matches all remaining segments.
func Plain(method, path string, h http.Handler) Route {
	return Route{Method: method, Path: path, Access: Public, plain: h}
}
