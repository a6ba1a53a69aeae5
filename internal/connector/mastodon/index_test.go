package mastodon

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"earshot/internal/state/kv"
	"earshot/internal/test/testenv"
)

func newEntry(i int) entry {
	return entry{ID: fmt.Sprint(i), GUID: fmt.Sprintf("https://a.example/users/ann/statuses/%d", i)}
}

func openTestIndex(t testing.TB, store kv.Store) *index {
	t.Helper()
	x, err := openIndex(t.Context(), store)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func addAll(t testing.TB, x *index, from, to int, now time.Time) {
	t.Helper()
	for i := from; i < to; i += chunkPosts {
		var entries []entry
		for k := range min(chunkPosts, to-i) {
			entries = append(entries, newEntry(i+k))
		}
		if err := x.add(t.Context(), entries, now); err != nil {
			t.Fatal(err)
		}
	}
}

func TestIndex(t *testing.T) {
	store := kv.NewMemory()
	x := openTestIndex(t, store)
	const n = 3*chunkPosts + 10
	addAll(t, x, 0, n, noon)
	x.stored("5", 55)
	x.stored(fmt.Sprint(n-1), 66)
	x.remove("6")
	x.remove(fmt.Sprint(n - 2))
	addAll(t, x, n, n+1, noon) // writes the versions
	again := openTestIndex(t, store)
	for _, x := range []*index{x, again} {
		for _, i := range []int{0, chunkPosts, n - 1, n} {
			if guid, err := x.guid(t.Context(), fmt.Sprint(i)); err != nil || guid != newEntry(i).GUID {
				t.Errorf("post %d has the guid %q, %v", i, guid, err)
			}
		}
		if v, known := x.version(fmt.Sprint(n - 1)); !known || v != 66 {
			t.Errorf("the version is %d, %v", v, known)
		}
		if _, known := x.version(fmt.Sprint(n - 2)); known {
			t.Error("a deleted post is known")
		}
		if guid, err := x.guid(t.Context(), "100000"); guid != "" || err != nil {
			t.Errorf("an unknown post has the guid %q, %v", guid, err)
		}
		ids, err := x.recent(t.Context(), noon.Add(-time.Hour), 20)
		if err != nil || len(ids) != 20 || ids[0] != fmt.Sprint(n) || slices.Contains(ids, fmt.Sprint(n-2)) {
			t.Errorf("the newest posts are %v, %v", ids, err)
		}
		if ids, _ := x.recent(t.Context(), noon.Add(time.Hour), 20); len(ids) > 0 {
			t.Errorf("the posts of the last hour are %v, want none", ids)
		}
	}
	if v, known := x.version("5"); !known || v != 55 {
		t.Errorf("the version is %d, %v", v, known)
	}
}

func TestIndexLimits(t *testing.T) {
	testenv.SkipUnderRace(t)
	store := kv.NewMemory()
	x := openTestIndex(t, store)
	addAll(t, x, 0, 2*chunkPosts, noon)
	addAll(t, x, 2*chunkPosts, 3*chunkPosts, noon.Add(maxAge+time.Hour))
	if _, known := x.version("0"); known {
		t.Error("a post is known after 30 days")
	}
	addAll(t, x, 3*chunkPosts, (maxChunks+5)*chunkPosts, noon.Add(maxAge+time.Hour))
	keys, err := store.Keys(t.Context(), ">")
	if err != nil || len(keys) != maxChunks {
		t.Errorf("there are %d records, want %d", len(keys), maxChunks)
	}
	for _, key := range keys {
		if e, err := store.Get(t.Context(), key); err != nil || len(e.Value) > 64<<10 {
			t.Fatalf("a record has %d bytes, %v", len(e.Value), err)
		}
	}
}

func FuzzIndex(f *testing.F) {
	f.Add([]byte(`{"added":1,"posts":[{"id":"1","uri":"https://a.example/1","v":5},{"id":"1","uri":"x"}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		store := kv.NewMemory()
		if _, err := store.Set(t.Context(), chunkKey(1), b); err != nil {
			t.Fatal(err)
		}
		x := openTestIndex(t, store)
		addAll(t, x, 1, 3, noon)
		x.stored("1", 7)
		if v, known := x.version("1"); !known || v != 7 {
			t.Errorf("the version is %d, %v", v, known)
		}
	})
}
