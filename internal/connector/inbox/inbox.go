// Package inbox turns records that people and programs send into posts and batches. The connectors
// webhook and folder share it. Unlike records from a network, invalid records are reported to the
// sender instead of being repaired.
package inbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"earshot"
	"earshot/internal/connector"
	"earshot/internal/ingest/item"
	"earshot/internal/ingest/item/record"
	"earshot/internal/state/kv"
)

// anyNetwork is the value of the setting network for records that name their network.
const anyNetwork = "any"

// NetworkSetting is the setting for the network of the records.
func NetworkSetting() connector.Setting {
	options := []string{anyNetwork}
	for _, n := range earshot.Networks {
		options = append(options, string(n))
	}
	return connector.Setting{
		Name: "network", Title: "Network", Options: options, Admin: true,
		Help: "Empty: the posts are content of your team, visible only to its monitors. Name of a network: they are public posts of that network. any: each post names its network in type.",
	}
}

// CheckNetwork returns an error for people if the setting network is invalid.
func CheckNetwork(s connector.Settings) error {
	name := s["network"]
	if _, ok := earshot.FindNetwork(name); !ok && name != "" && name != anyNetwork {
		return fmt.Errorf("network '%s' is not a network: leave it empty for content of the team, or set it to any or to one of %s",
			item.Clip(name), strings.Join(NetworkSetting().Options[1:], ", "))
	}
	return nil
}

// Sources implements [connector.Kind.Sources].
func Sources(s connector.Settings) []earshot.Source {
	switch s["network"] {
	case "":
		return nil
	case anyNetwork:
		return slices.Clone(earshot.Networks)
	}
	network, _ := earshot.FindNetwork(s["network"])
	return []earshot.Source{network}
}

// An Inbox converts the records of one source. It is safe for concurrent use.
type Inbox struct {
	src     *earshot.LiveSource
	network string // the setting
	store   kv.Store

	mu    sync.Mutex      // guards the fields below
	names map[string]bool // of custom fields
	saved int             // number of names in the store
}

// namesKey is the key of the names of custom fields in the store. A content source can have only a
// few, and Deliver fails if there are more.
const namesKey = "custom-fields"

// Open opens the inbox of a source.
func Open(ctx context.Context, e connector.Env) (*Inbox, error) {
	in := &Inbox{src: e.Source, network: e.Settings["network"], store: e.Store, names: map[string]bool{}}
	stored, err := e.Store.Get(ctx, namesKey)
	if errors.Is(err, kv.ErrNotFound) {
		return in, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(stored.Value, &in.names); err != nil {
		return nil, fmt.Errorf("read the names of custom fields: %w", err)
	}
	in.saved = len(in.names)
	return in, nil
}

// A Change is a post to store or to delete.
type Change struct {
	post    earshot.Post // only source and guid if it is deleted
	deleted bool
	bytes   int
}

// Post returns the post, and false if the change deletes it.
func (c Change) Post() (earshot.Post, bool) { return c.post, !c.deleted }

// Key returns the key of the post.
func (c Change) Key() earshot.PostKey { return c.post.Key() }

// Read decodes and validates a record, or says what is wrong with it.
func (in *Inbox) Read(data []byte) (c Change, problem string) {
	c.bytes = len(data)
	if guid, ok := record.DecodeDeletion(data); ok {
		c.deleted, c.post.GUID = true, guid
		typ := ""
		if in.network == anyNetwork {
			it, err := record.Decode(data)
			if err != nil {
				return Change{}, err.Error()
			}
			typ = it.Type
		}
		return c, in.setSource(&c.post, typ)
	}
	it, err := record.Decode(data)
	if err != nil {
		return Change{}, err.Error()
	}
	if c.post, problem = item.Check(&it, item.Record); problem != "" {
		return Change{}, problem
	}
	if problem = in.setSource(&c.post, it.Type); problem != "" {
		return Change{}, problem
	}
	if problem = in.addNames(c.post.Custom); problem != "" {
		return Change{}, problem
	}
	return c, connector.Clean(&c.post)
}

// setSource sets the source of a post, or says what is wrong with the type of its record.
func (in *Inbox) setSource(p *earshot.Post, typ string) (problem string) {
	p.Batch = in.src.ID.Batch()
	switch in.network {
	case "":
		p.Source, p.ContentSource, p.Team = earshot.Source(in.src.Name), in.src.ContentSource, in.src.Team
	case anyNetwork:
		p.Source, problem = item.Network(typ)
	default:
		p.Source, _ = earshot.FindNetwork(in.network)
	}
	return problem
}

// addNames adds the names of custom fields. If there would be too many, it adds none and returns
// the problem.
func (in *Inbox) addNames(fields map[string]string) (problem string) {
	if len(fields) == 0 || in.network != "" {
		return ""
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	fresh := 0
	for name := range fields {
		if !in.names[name] {
			fresh++
		}
	}
	if n := len(in.names) + fresh; n > item.MaxFields {
		return item.Field("custom", fmt.Sprintf("would give the source %d different fields, at most %d are allowed", n, item.MaxFields))
	}
	for name := range fields {
		in.names[name] = true
	}
	return ""
}

// Deliver passes a batch to the sink. It records new names of custom fields first, so that later
// records are checked against them even after a restart.
func (in *Inbox) Deliver(ctx context.Context, sink connector.Sink, b connector.Batch) error {
	if err := in.saveNames(ctx); err != nil {
		return err
	}
	return sink.Deliver(ctx, b)
}

func (in *Inbox) saveNames(ctx context.Context) error {
	in.mu.Lock()
	names := maps.Clone(in.names)
	saved := in.saved
	in.mu.Unlock()
	if len(names) == saved {
		return nil
	}
	data, err := json.Marshal(names)
	if err != nil {
		return err
	}
	if _, err := in.store.Set(ctx, namesKey, data); err != nil {
		return err
	}
	in.mu.Lock()
	in.saved = len(names)
	in.mu.Unlock()
	return nil
}
