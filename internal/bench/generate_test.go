package bench

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"earshot"
	"earshot/internal/model/enrich"
)

// ownSample is the sample that needs no file.
var ownSample = sync.OnceValues(func() (*Sample, error) { return NewSample("") })

func smallGenerator(t testing.TB, count int) *Generator {
	t.Helper()
	sample, err := ownSample()
	if err != nil {
		t.Fatal(err)
	}
	return &Generator{Sample: sample, Seed: 1, Count: count, From: firstDay, Span: 24 * time.Hour}
}

func TestPostsAreDistinctAndInRange(t *testing.T) {
	g := smallGenerator(t, 20_000)
	guids, texts := map[string]bool{}, map[string]bool{}
	for p := range g.Posts() {
		if p.Time.Before(g.From) || !p.Time.Before(g.End()) {
			t.Fatalf("got a post at %v, want one from %v to %v", p.Time, g.From, g.End())
		}
		guids[p.GUID], texts[p.Contents] = true, true
	}
	if len(guids) != g.Count {
		t.Errorf("got %d distinct guids of %d posts", len(guids), g.Count)
	}
	if len(texts) < g.Count*9/10 {
		t.Errorf("got %d distinct texts of %d posts", len(texts), g.Count)
	}
}

func TestEqualGeneratorsYieldEqualPosts(t *testing.T) {
	g := smallGenerator(t, 3000)
	one := slices.Collect(g.Posts())
	var other []earshot.Post
	for batch := range smallGenerator(t, 3000).Batches(700) {
		other = append(other, batch...)
	}
	if !reflect.DeepEqual(one, other) {
		t.Error("Batches and Posts yield different posts")
	}
	g.Seed = 2
	if next := slices.Collect(g.Posts()); next[0].GUID == one[0].GUID || next[0].Contents == one[0].Contents {
		t.Errorf("another seed generated the same post: %s", next[0].GUID)
	}
}

func TestPostsAreAlreadyEnriched(t *testing.T) {
	g := smallGenerator(t, 3000)
	made := slices.Collect(g.Posts())
	g.Raw = true
	raw := slices.Collect(g.Posts())
	enrich.New().All(raw)
	for i := range made {
		got, want := &made[i], &raw[i]
		if got.Site != want.Site || !slices.Equal(got.Links, want.Links) || !sameTags(got.Hashtags, want.Hashtags) {
			t.Fatalf("got site %q, links %q and hashtags %q, but enrichment finds %q, %q and %q in %q",
				got.Site, got.Links, got.Hashtags, want.Site, want.Links, want.Hashtags, want.Contents)
		}
	}
}

// sameTags compares hashtags in any order.
func sameTags(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

func TestCustomGUIDs(t *testing.T) {
	g := smallGenerator(t, 100)
	g.Custom = 7
	var want []string
	for p := range g.Posts() {
		if p.ContentSource == CustomSource && p.Team == CustomTeam {
			want = append(want, p.GUID)
		}
	}
	if got := g.CustomGUIDs(1000); !slices.Equal(got, want) || len(got) != 15 {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := g.CustomGUIDs(3); !slices.Equal(got, want[:3]) {
		t.Errorf("got %q, want %q", got, want[:3])
	}
}

func TestSampleOfFile(t *testing.T) {
	const lines = `{"author":"anna","contents":"Tea https://t.co/abcdefghij is good #tea","language":"EN","type":"Twitter"}` + "\n" +
		`{"author":"ben","contents":"  ","language":"en"}` + "\n"
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte(lines)); err != nil {
		t.Fatal(err)
	}
	z.Close()
	for name, contents := range map[string][]byte{"plain.jsonl": []byte(lines), "packed.jsonl.gz": packed.Bytes()} {
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, contents, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := NewSample(file)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if s.Name != name || len(s.drafts) != 1 || !slices.Equal(s.handles, []string{"anna"}) {
			t.Fatalf("%s: got %d drafts of %q", s.Name, len(s.drafts), s.handles)
		}
		d := s.drafts[0]
		text := d.contents
		if len(d.words) != 3 || d.words[2].of(text) != "good" || len(d.links) != 1 || codeOf(text, d.links[0]).of(text) != "abcdefghij" {
			t.Errorf("%s: got words %v and links %v", name, d.words, d.links)
		}
		if d.language != "en" || !slices.Equal(d.hashtags, []string{"tea"}) {
			t.Errorf("%s: got language %q and hashtags %q", name, d.language, d.hashtags)
		}
	}
}

func TestInvalidSample(t *testing.T) {
	for _, tt := range []struct{ name, contents, want string }{
		{"not JSON", "hello\n", "post 1: "},
		{"no posts", "", "no posts with a text"},
		{"broken gzip", "\x1f\x8bxx", "unexpected EOF"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "posts")
			if err := os.WriteFile(file, []byte(tt.contents), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := NewSample(file); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got error %v, want one that contains %q", err, tt.want)
			}
		})
	}
}

func BenchmarkGenerate(b *testing.B) {
	g := smallGenerator(b, 1_000_000)
	if _, err := os.Stat("../../../shared/data/posts/twitter_posts.jsonl.gz"); err == nil {
		if g.Sample, err = NewSample("../../../shared/data/posts/twitter_posts.jsonl.gz"); err != nil {
			b.Fatal(err)
		}
	}
	w := &writer{g: g}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		var p earshot.Post
		w.write(&p, i)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "posts/s")
}
