package inbox

import (
	"cmp"
	"slices"

	"earshot"
	"earshot/internal/connector"
)

// Limits of a batch.
const (
	maxChanges = 1000
	maxBytes   = 2 << 20
)

// A Batch collects changes. Its zero value is empty.
type Batch struct {
	posts   []earshot.Post
	index   map[earshot.PostKey]int // of posts
	deleted map[earshot.PostKey]*earshot.Post
	bytes   int
}

// Empty reports whether there is nothing in the batch.
func (b *Batch) Empty() bool { return len(b.posts)+len(b.deleted) == 0 }

// Full reports whether the batch should be delivered before more changes are added.
func (b *Batch) Full() bool { return len(b.posts)+len(b.deleted) >= maxChanges || b.bytes >= maxBytes }

// Add adds a change. A later change of a post replaces an earlier one.
func (b *Batch) Add(c Change) {
	if b.index == nil {
		b.index, b.deleted = map[earshot.PostKey]int{}, map[earshot.PostKey]*earshot.Post{}
	}
	b.bytes += c.bytes
	key := c.post.Key()
	at, known := b.index[key]
	switch {
	case c.deleted:
		if known {
			b.posts[at] = earshot.Post{} // removed by Take
			delete(b.index, key)
		}
		b.deleted[key] = &c.post
	case known:
		b.posts[at] = c.post
	default:
		b.index[key] = len(b.posts)
		b.posts = append(b.posts, c.post)
	}
}

// Take returns the changes in the form that a sink takes, and empties the batch. Deletions only
// apply to posts of the same live source.
func (b *Batch) Take(cursor string) connector.Batch {
	all := connector.Batch{Cursor: cursor}
	all.Posts = slices.DeleteFunc(b.posts, func(p earshot.Post) bool { return p.GUID == "" })
	for _, p := range b.deleted {
		at := slices.IndexFunc(all.Deletions, func(d earshot.Deletion) bool {
			return d.ContentSource == p.ContentSource && (p.ContentSource != 0 || d.Source == p.Source)
		})
		if at < 0 {
			d := earshot.Deletion{ContentSource: p.ContentSource, Batch: p.Batch}
			if p.ContentSource == 0 {
				d.Source = p.Source
			}
			at, all.Deletions = len(all.Deletions), append(all.Deletions, d)
		}
		all.Deletions[at].GUIDs = append(all.Deletions[at].GUIDs, p.GUID)
	}
	for i := range all.Deletions {
		slices.Sort(all.Deletions[i].GUIDs)
	}
	slices.SortFunc(all.Deletions, func(a, b earshot.Deletion) int { return cmp.Compare(a.Source, b.Source) })
	*b = Batch{}
	return all
}
