package bluesky

import (
	"bytes"
	"strings"
	"time"
)

// A kind is the subject of an event.
type kind uint8

const (
	otherEvent    kind = iota // nothing that posts depend on
	postEvent                 // a post was created or replaced
	repostEvent               // a repost was created
	deleteEvent               // a post or repost was deleted
	profileEvent              // a profile or handle changed
	departedEvent             // an account was deleted, suspended or deactivated
	errorEvent                // the server ends the connection; see event.message
)

// The collections of records that the connector reads.
const (
	postCollection    = "app.bsky.feed.post"
	repostCollection  = "app.bsky.feed.repost"
	profileCollection = "app.bsky.actor.profile"
)

// An event is a message of Jetstream. Its slices are parts of the message.
type event struct {
	kind    kind
	did     []byte // the account
	rkey    []byte // key of the record in its collection
	repost  bool   // the record is a repost
	update  bool   // the record replaces another version
	record  []byte // undecoded
	micros  int64  // when the server received it, in microseconds since 1970
	seq     int64  // number of the event; only in the second protocol
	message string // of an error
}

func (e *event) time() time.Time { return time.UnixMicro(e.micros).UTC() }

// guid returns the URI of the event's record.
func (e *event) guid() string {
	collection := postCollection
	if e.repost {
		collection = repostCollection
	}
	return recordURI(string(e.did), collection, string(e.rkey))
}

// recordURI returns the URI of a record, such as at://did:plc:abc/app.bsky.feed.post/3k.
func recordURI(did, collection, rkey string) string {
	return "at://" + did + "/" + collection + "/" + rkey
}

// splitURI returns the account and the key of a post's URI. It reports whether uri is one.
func splitURI(uri string) (did, rkey string, ok bool) {
	rest, found := strings.CutPrefix(uri, "at://")
	did, rest, ok = strings.Cut(rest, "/")
	collection, rkey, ok2 := strings.Cut(rest, "/")
	ok = found && ok && ok2 && collection == postCollection && validDID([]byte(did)) && validKey([]byte(rkey))
	return did, rkey, ok
}

// validDID reports whether an account ID contains only allowed characters, so that it can be part of
// a URI.
func validDID(did []byte) bool {
	return len(did) <= 256 && bytes.HasPrefix(did, []byte("did:")) && validChars(did, ":._-%")
}

// validKey reports whether a record key contains only allowed characters.
func validKey(rkey []byte) bool {
	return len(rkey) > 0 && len(rkey) <= 512 && validChars(rkey, ":._-~")
}

func validChars(s []byte, others string) bool {
	for _, c := range s {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9') && strings.IndexByte(others, c) < 0 {
			return false
		}
	}
	return true
}

// parseEvent reads a message of either protocol. It reports whether the message can be used: it is
// valid JSON as far as was read, and has the fields that its kind needs. Events that posts do not
// depend on cost little: their records are skipped, not decoded.
func parseEvent(message []byte, second bool) (event, bool) {
	if second {
		return parseSecond(message)
	}
	return parseFirst(message)
}

// parseFirst reads a message of the first protocol, such as
//
//	{"did":"did:plc:a","time_us":1783175888172335,"kind":"commit","commit":{"operation":"create",…}}
func parseFirst(message []byte) (event, bool) {
	var e event
	var name, body []byte
	valid := members(message, func(key, value []byte) {
		switch string(key) {
		case "did":
			e.did = plain(value)
		case "time_us":
			e.micros = integer(value)
		case "kind":
			name = plain(value)
		case "commit", "account":
			body = value
		}
	})
	if !valid || !validDID(e.did) || !validMicros(e.micros) {
		return event{}, false
	}
	return e, e.fill(name, body)
}

// parseSecond reads a message of the second protocol, such as
//
//	{"$type":"message","payload":{"$type":"…subscribeEvents#commit","seq":7,"did":"did:plc:a",…}}
func parseSecond(message []byte) (event, bool) {
	var e event
	var frame, code, payload []byte
	valid := members(message, func(key, value []byte) {
		switch string(key) {
		case "$type":
			frame = plain(value)
		case "error":
			code = plain(value)
		case "payload":
			payload = value
		}
	})
	if valid && string(frame) == "error" {
		e.kind, e.message = errorEvent, string(code)
		return e, true
	}
	if !valid || string(frame) != "message" {
		return event{}, false
	}
	var name, clock, account []byte
	valid = members(payload, func(key, value []byte) {
		switch string(key) {
		case "$type":
			_, name, _ = bytes.Cut(plain(value), []byte("#"))
		case "did":
			e.did = plain(value)
		case "time":
			clock = plain(value)
		case "seq":
			e.seq = integer(value)
		case "account":
			account = value
		}
	})
	if valid && string(name) == "info" {
		return event{}, true
	}
	t, err := time.Parse(time.RFC3339Nano, string(clock))
	e.micros = t.UnixMicro()
	if !valid || err != nil || e.seq <= 0 || !validDID(e.did) || !validMicros(e.micros) {
		return event{}, false
	}
	if string(name) == "account" {
		return e, e.fill(name, account)
	}
	return e, e.fill(name, payload)
}

// fill sets the kind of an event and the fields of that kind. body is the commit or the account. It
// reports whether they are valid.
func (e *event) fill(name, body []byte) bool {
	switch string(name) {
	case "commit":
		return e.fillCommit(body)
	case "identity":
		e.kind = profileEvent
	case "account":
		return e.fillAccount(body)
	}
	return true
}

func (e *event) fillCommit(body []byte) bool {
	var operation, collection []byte
	valid := members(body, func(key, value []byte) {
		switch string(key) {
		case "operation":
			operation = plain(value)
		case "collection":
			collection = plain(value)
		case "rkey":
			e.rkey = plain(value)
		case "record":
			e.record = value
		}
	})
	if !valid {
		return false
	}
	switch string(collection) {
	case postCollection:
		e.kind = postEvent
	case repostCollection:
		e.kind, e.repost = repostEvent, true
	case profileCollection:
		e.kind = profileEvent
		return true
	default:
		return true
	}
	switch string(operation) {
	case "create", "update":
		e.update = string(operation) == "update"
		return validKey(e.rkey) && e.record != nil
	case "delete":
		e.kind = deleteEvent
		return validKey(e.rkey)
	}
	return false
}

// departed are the states of accounts whose posts must not be kept. A deactivated account may come
// back; its posts do not.
var departed = []string{"deleted", "takendown", "suspended", "deactivated"}

func (e *event) fillAccount(body []byte) bool {
	var active, status []byte
	valid := members(body, func(key, value []byte) {
		switch string(key) {
		case "active":
			active = value
		case "status":
			status = plain(value)
		}
	})
	if string(active) == "false" {
		for _, s := range departed {
			if string(status) == s {
				e.kind = departedEvent
			}
		}
	}
	return valid
}

// validMicros reports whether a time is between 2001 and 2100. The protocols count microseconds; a
// server that counts something else would make cursors useless.
func validMicros(micros int64) bool { return micros >= 1e15 && micros < 4_102_444_800e6 }
