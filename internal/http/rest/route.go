package rest

import (
	"context"
	"net/http"
	"reflect"

	"earshot"
)

// A Route is a method and a path, who may call it, and its handler. Handle and Plain make routes.
type Route struct {
	Method string
	Path   string // as given to Handle, with segments like {streamid}
	Access Access

	Category    string // where descriptions of the interface list it
	Description string // what it is for, a sentence

	params, response reflect.Type // nil for what Plain serves
	call             func(x *exchange) (any, error)
	plain            http.Handler
	sameOrigin       bool
	guests           bool
}

// Handle makes a route of a function.
//
// path is exact but for segments in braces, which stand for one segment of any
// content. P is a struct whose fields say by a tag where they come from:
//
//	query:"groupBy"       a query parameter, its name in any case
//	query:"id,required"   one that must be there
//	query:"id|monitorid"  one with several names (also id|monitorid,required)
//	path:"streamid"       a segment of the path
//	body:"json"           the request body, of 1 MB at most
//	body:"json,large"     the request body, of Options.MaxBody at most
//	body:"json,optional"  the request body; left alone when it is empty (also json,large,optional)
//	body:"stream"         the body as it arrives, of type *Stream
//	request:"address"     the client's IP address, a string
//	request:"base"        the address that the client reached, like http://host:8080
//	request:"method"      GET, or HEAD where only the headers are wanted
//	request:"session"     the cookie of the caller's session; "" for one with a token
//	request:"Last-Event-ID" the event after which a reader of Events goes on
//
// Of several names the first that comes with a value counts, in the order of the
// tag, and errors speak of the first in the tag. Values of the parameters
// password and auth are not shown in errors.
//
// On Public routes JSON bodies have 16 KB at most.
//
// Query and path fields are strings, booleans, numbers, types with
// UnmarshalText, or pointers to these, which stay nil when the parameter is
// absent; a query field may also be a slice of such, which has all values of a
// repeated parameter, where others have the first that is not empty. The error of an UnmarshalText is a phrase that tells what is allowed,
// like "a positive whole number"; an *earshot.Error is shown as it is. Embedded
// structs contribute their fields.
//
// R is marshalled as JSON; see Statuser, Headerer, NoContent and Created for
// what else it may say, Streamed for what is long, Download for what is not JSON, and Events
// for what comes bit by bit. c is nil on Public routes called without a valid token; a
// session is not looked at there.
//
// Handle panics when P does not follow these rules.
func Handle[P, R any](method, path string, access Access, fn func(ctx context.Context, c *earshot.Caller, p P) (R, error)) Route {
	plan := newPlan(reflect.TypeFor[P](), path)
	r := Route{Method: method, Path: path, Access: access, params: reflect.TypeFor[P](), response: reflect.TypeFor[R]()}
	r.call = func(x *exchange) (any, error) {
		var p P
		if err := plan.bind(x, reflect.ValueOf(&p).Elem()); err != nil {
			return nil, err
		}
		return fn(x.r.Context(), x.caller, p)
	}
	return r
}

// Doc returns the route with its description. Fields of its parameters and of its response are
// described by a tag doc:"..."; see Describe.
func (r Route) Doc(category, description string) Route {
	r.Category, r.Description = category, description
	return r
}

// Responds returns the route described as one whose response is the JSON of a type like v's, for
// responses that are written by hand.
func (r Route) Responds(v any) Route {
	r.response = reflect.TypeOf(v)
	return r
}

// SameOrigin returns the route as one that pages of other sites may not call.
func (r Route) SameOrigin() Route {
	r.sameOrigin = true
	return r
}

// Guests returns the route as one that callers without token or session may call, too; c is nil
// then.
func (r Route) Guests() Route {
	r.guests = true
	return r
}

// Plain makes a public route of a handler that writes its own response. A last segment like
// {file...} stands for all that remain.
func Plain(method, path string, h http.Handler) Route {
	return Route{Method: method, Path: path, Access: Public, plain: h}
}
