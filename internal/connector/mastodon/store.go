package mastodon

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"earshot"
	"earshot/internal/connector"
)

// A change is a change to a post, from a timeline or a stream.
type change struct {
	kind   changeKind
	stream *stream // whose cursor moves to id; nil: none
	id     string
	status *status // unless removed or skipped
	skip   string  // reason, if skipped
}

type changeKind int

const (
	created changeKind = iota // the post is new
	current                   // the current version of the post
	removed
	skipped
)

// change decodes the message of an event.
func (r *reader) change(e event) change {
	switch {
	case e.large:
		return change{kind: skipped, skip: tooLarge}
	case e.name == "update":
		return newChange(created, e.stream, e.data)
	case e.name == "status.update":
		return newChange(current, nil, e.data)
	case e.name == "delete":
		if id := strings.TrimSpace(string(e.data)); validID(id) {
			return change{kind: removed, id: id}
		}
		return change{kind: skipped, skip: cannotDecode}
	}
	return change{kind: skipped, skip: unknownEvents}
}

// newChange decodes a status. Even if it cannot be decoded, the cursor moves.
func newChange(kind changeKind, s *stream, data []byte) change {
	st, err := decodeStatus(data)
	if err == nil {
		return change{kind: kind, stream: s, id: st.ID, status: st}
	}
	var only struct {
		ID string `json:"id"`
	}
	if json.Unmarshal(data, &only) != nil || !validID(only.ID) {
		return change{kind: skipped, skip: cannotDecode}
	}
	return change{kind: skipped, stream: s, id: only.ID, skip: cannotDecode}
}

// A batch collects the results of changes. A later change of a post replaces an earlier one.
type batch struct {
	order   []string                 // ids of posts
	posts   map[string]*earshot.Post // by id
	removed map[string]string        // id to guid
	skipped map[string]int64
}

// store delivers the posts and deletions that result from changes, and moves the cursor.
func (r *reader) store(ctx context.Context, changes []change) error {
	b := batch{posts: map[string]*earshot.Post{}, removed: map[string]string{}, skipped: map[string]int64{}}
	for _, c := range changes {
		if c.stream != nil && compareIDs(c.id, r.cursor.IDs[c.stream.name]) > 0 {
			r.cursor.IDs[c.stream.name] = c.id
		}
		var err error
		switch c.kind {
		case created, current:
			err = r.take(ctx, &b, c)
		case removed:
			err = r.remove(ctx, &b, c.id)
		case skipped:
			b.skipped[c.skip]++
		}
		if err != nil {
			return err
		}
	}
	r.sink.Count(connector.Counters{Skipped: b.skipped})
	out := connector.Batch{Selected: true}
	if len(b.removed) > 0 {
		d := earshot.Deletion{Source: earshot.Mastodon}
		for _, guid := range b.removed {
			d.GUIDs = append(d.GUIDs, guid)
		}
		out.Deletions = []earshot.Deletion{d}
	}

	// Posts that are stored already have been selected, even if no monitor selects them now.
	var unknown []earshot.Post
	ids := map[string]string{} // by guid
	for _, id := range b.order {
		p := b.posts[id]
		if p == nil {
			continue
		}
		delete(b.posts, id)
		ids[p.GUID] = id
		if _, known := r.index.version(id); known {
			out.Posts = append(out.Posts, *p)
		} else {
			unknown = append(unknown, *p)
		}
	}
	out.Posts = append(out.Posts, r.sink.Select(ctx, unknown)...)
	return r.write(ctx, out, ids, b.removed)
}

// take adds a post to a batch.
func (r *reader) take(ctx context.Context, b *batch, c change) error {
	p, skip := c.status.post(r.server.domain, r.Now())
	if skip != "" {
		b.skipped[skip]++
		if skip == notPublic || skip == noIndexing || skip == noSearch || skip == noBots {
			return r.remove(ctx, b, c.id) // if it was stored before the author opted out
		}
		return nil
	}
	version, known := r.index.version(c.id)
	_, isRemoved := b.removed[c.id]
	switch {
	case isRemoved:
	case known && version != 0 && c.kind == created: // a timeline or another stream had it, perhaps in a newer version
		return nil
	case known && version == versionOf(&p) && b.posts[c.id] == nil:
		return nil
	}
	var err error
	if p.GUID, err = r.guid(ctx, c.id, p.GUID); err != nil {
		return err
	}
	if p.ParentGUID != "" {
		p.ParentGUID = r.key(p.ParentGUID)
	}
	if st := c.status; st.InReplyTo != "" && p.ParentGUID == "" {
		guid, err := r.index.guid(ctx, st.InReplyTo)
		if err != nil {
			return err
		}
		if parent := b.posts[st.InReplyTo]; guid == "" && parent != nil {
			guid = parent.GUID
		}
		p.ParentGUID = guid
	}
	delete(b.removed, c.id)
	b.order = append(b.order, c.id)
	b.posts[c.id] = &p
	return nil
}

// guid returns the guid of a post on the server. A post that is stored keeps its guid, also if the
// setting trusted has changed since, so that it does not count twice.
func (r *reader) guid(ctx context.Context, id, uri string) (string, error) {
	if stored, err := r.index.guid(ctx, id); err != nil || stored != "" && (stored == uri || stored == r.teamKey(uri)) {
		return stored, err
	}
	return r.key(uri), nil
}

// key returns the guid of a post that is not stored.
func (r *reader) key(uri string) string {
	if r.Settings["trusted"] == "true" {
		return uri
	}
	return r.teamKey(uri)
}

func (r *reader) teamKey(uri string) string { return fmt.Sprintf("team %d %s", r.Source.Team, uri) }

// remove adds the deletion of a post to a batch, if the post is stored or in the batch.
func (r *reader) remove(ctx context.Context, b *batch, id string) error {
	guid, err := r.index.guid(ctx, id)
	if err != nil {
		return err
	}
	if p := b.posts[id]; p != nil {
		guid = p.GUID
		delete(b.posts, id)
	}
	if guid != "" {
		b.removed[id] = guid
	}
	return nil
}

// write delivers a batch, and remembers its posts. ids has the ids of the posts by guid; removed has
// those of deleted posts.
func (r *reader) write(ctx context.Context, b connector.Batch, ids, removed map[string]string) error {
	entries := make([]entry, len(b.Posts))
	for i, p := range b.Posts {
		entries[i] = entry{ID: ids[p.GUID], GUID: p.GUID}
	}
	if err := r.index.add(ctx, entries, r.Now()); err != nil {
		return err
	}
	if err := r.deliver(ctx, b); err != nil {
		return err
	}
	for i, e := range entries {
		r.index.stored(e.ID, versionOf(&b.Posts[i]))
	}
	for id := range removed {
		r.index.remove(id)
	}
	return nil
}

// deliver delivers a batch with the cursor after it.
func (r *reader) deliver(ctx context.Context, b connector.Batch) error {
	switch {
	case r.rechecking() || r.suspended != "":
	case r.Secret == "":
		r.cursor.Seen = r.rechecked.Unix()
	case len(r.live) == len(r.streams):
		r.cursor.Seen = r.Now().Unix()
	}
	text, err := json.Marshal(r.cursor)
	if err != nil {
		return err
	}
	b.Cursor = string(text)
	return r.sink.Deliver(ctx, b)
}
