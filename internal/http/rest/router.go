package rest

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
)

// A router finds routes by path. It is a tree with one node per path segment. The zero value is an
// empty router.
type router struct {
	literal  map[string]*router
	variable *router           // {name}
	tail     *router           // {name...}
	methods  map[string]*Route // routes that end here, by method
}

// add adds a route. It panics if the route is incomplete, malformed or a duplicate.
func (n *router) add(r Route) {
	if r.Method == "" || r.call == nil && r.plain == nil {
		panic(fmt.Sprintf("rest: route %s %s is incomplete: use Handle or Plain", r.Method, r.Path))
	}
	segments := parsePattern(r.Path)
	for _, s := range segments {
		n = n.child(s)
	}
	if _, taken := n.methods[r.Method]; taken {
		panic(fmt.Sprintf("rest: duplicate route %s %s", r.Method, r.Path))
	}
	if n.methods == nil {
		n.methods = map[string]*Route{}
	}
	n.methods[r.Method] = &r
}

func (n *router) child(s patternSegment) *router {
	next := &n.variable
	switch {
	case s.tail:
		next = &n.tail
	case s.name == "":
		if n.literal[s.literal] == nil {
			if n.literal == nil {
				n.literal = map[string]*router{}
			}
			n.literal[s.literal] = &router{}
		}
		return n.literal[s.literal]
	}
	if *next == nil {
		*next = &router{}
	}
	return *next
}

// find returns the node at which the routes for the segments end, or nil. A literal segment takes
// precedence over a variable.
func (n *router) find(segments []string) *router {
	if len(segments) == 0 {
		if n.methods == nil {
			return nil
		}
		return n
	}
	if next := n.literal[segments[0]]; next != nil {
		if found := next.find(segments[1:]); found != nil {
			return found
		}
	}
	if n.variable != nil && segments[0] != "" {
		if found := n.variable.find(segments[1:]); found != nil {
			return found
		}
	}
	return n.tail
}

// route returns the route for a method, or nil. GET routes also serve HEAD.
func (n *router) route(method string) *Route {
	if r := n.methods[method]; r != nil || method != "HEAD" {
		return r
	}
	return n.methods["GET"]
}

// allowed returns the methods of the routes at n, for the Allow header.
func (n *router) allowed() string {
	return strings.Join(slices.Sorted(maps.Keys(n.methods)), ", ")
}

// splitPath returns the unescaped segments of a path, ignoring trailing slashes. An escaped slash
// does not separate segments.
func splitPath(escaped string) []string {
	escaped = strings.TrimRight(strings.TrimPrefix(escaped, "/"), "/")
	if escaped == "" {
		return nil
	}
	segments := strings.Split(escaped, "/")
	for i, s := range segments {
		if decoded, err := url.PathUnescape(s); err == nil {
			segments[i] = decoded
		}
	}
	return segments
}

// A patternSegment is a literal segment or a variable.
type patternSegment struct {
	literal string
	name    string
	tail    bool
}

// parsePattern parses a route's path. It panics if the path is malformed.
func parsePattern(path string) []patternSegment {
	if !strings.HasPrefix(path, "/") || path != "/" && strings.HasSuffix(path, "/") {
		panic(fmt.Sprintf("rest: path %q must start with a slash and not end with one", path))
	}
	var segments []patternSegment
	for _, s := range splitPath(path) {
		name, isVariable := strings.CutPrefix(s, "{")
		if !isVariable {
			segments = append(segments, patternSegment{literal: s})
			continue
		}
		name, closed := strings.CutSuffix(name, "}")
		name, tail := strings.CutSuffix(name, "...")
		if !closed || name == "" || strings.ContainsAny(name, "{}") {
			panic(fmt.Sprintf("rest: path %q has a malformed segment %q", path, s))
		}
		segments = append(segments, patternSegment{name: name, tail: tail})
	}
	for i, s := range segments {
		if s.tail && i < len(segments)-1 || s.literal == "" && s.name == "" || strings.ContainsAny(s.literal, "{}") {
			panic(fmt.Sprintf("rest: path %q is malformed", path))
		}
	}
	return segments
}
