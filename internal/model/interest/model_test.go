package interest

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"earshot"
)

func TestAppendPost(t *testing.T) {
	m := newModel(t)
	f := func(text string, want ...string) {
		t.Helper()
		if got := names(m.AppendPost(nil, text, nil, nil)); !slices.Equal(got, want) {
			t.Errorf("%q:\n got %q\nwant %q", text, got, want)
		}
	}
	// Words, plurals and phrases.
	f("My dog ate the homework", "Dogs", "Education")
	f("Two DOGS and a kitten", "Dogs", "Cats")
	f("Just watched the NBA finals with a craft beer", "Basketball", "Beer")
	f("machine learning on kubernetes", "Artificial Intelligence", "Cloud Computing")
	f("Best hip-hop of the year", "Hip Hop")

	// Weak words need another one.
	f("What a goal!")
	f("What a goal by the striker", "Soccer")
	f("goals, goals and another goal")
	f("The penguins at the rink scored in overtime", "Ice Hockey")
	f("python")
	f("python code", "Programming")

	// Words in a longer phrase do not count on their own.
	f("That dog whistle politics", "Politics")
	f("It is raining cats and dogs")
	f("not my cup of tea")

	// Separators end phrases.
	f("machine, learning")
	f("machine\nlearning")
	f("Machine Learning", "Artificial Intelligence")

	// Tags.
	f("so good #foodporn", "Cooking")
	f("#MachineLearning rocks", "Artificial Intelligence")
	f("love my #dog", "Dogs")
	f("#local #news")
	f("watching @NBA tonight", "Basketball")
	f("@doglover hello")
	f("buying $TSLA and $AAPL", "Investing")
	f("it costs $5")

	// Other languages.
	f("Me encanta mi perro", "Dogs")
	f("Quem ganha o brasileirão? FUTEBOL", "Soccer")
	f("Mon chien et moi", "Dogs")
	f("Die Bundesregierung plant das", "Politics")
	f("Матч по хоккею перенесли", "Ice Hockey")
	f("О футбольных клубах", "Soccer")
	f("Cafe\u0301 con leche, por favor", "Coffee and Tea")

	// Links and texts without words.
	f("see https://example.com/nba/dogs and www.beer.com/wine")
	f("")
	f("\xff\xfe\x00")
	f("⚽️", "Soccer")
	f("東京タワー")
}

func TestTagsAreGivenOrInText(t *testing.T) {
	m := newModel(t)
	want := []string{"Basketball", "Dogs"}
	for _, post := range []struct {
		text               string
		hashtags, mentions []string
	}{
		{text: "#DogsOfTwitter @NBA"},
		{text: "nothing", hashtags: []string{"dogsoftwitter"}, mentions: []string{"nba"}},
		{text: "#dogsoftwitter @nba", hashtags: []string{"dogsoftwitter"}, mentions: []string{"nba"}},
		{hashtags: []string{"", "dogs"}, mentions: []string{"NBA", "\xff"}},
	} {
		if got := names(m.AppendPost(nil, post.text, post.hashtags, post.mentions)); !slices.Equal(got, want) {
			t.Errorf("%+v:\n got %q\nwant %q", post, got, want)
		}
	}
}

func TestLongTextNeedsMoreEvidence(t *testing.T) {
	m := newModel(t)
	filler := strings.Repeat("and so it went on ", 30)
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"My dog.", []string{"Dogs"}},
		{filler + "My dog.", nil},
		{filler + "My dog. My dog. My dog.", nil},
		{filler + "My dog is a poodle.", []string{"Dogs"}},
		{filler + filler + filler + "My dog is a poodle.", []string{"Dogs"}},
		{filler + filler + filler + "My dog is on a leash.", nil},
	} {
		if got := names(m.AppendPost(nil, tt.text, nil, nil)); !slices.Equal(got, tt.want) {
			t.Errorf("%d words: got %q, want %q", len(strings.Fields(tt.text)), got, tt.want)
		}
	}
}

func TestAppendAuthor(t *testing.T) {
	m := newModel(t)
	f := func(bio string, want ...string) {
		t.Helper()
		if got := names(m.AppendAuthor(nil, bio)); !slices.Equal(got, want) {
			t.Errorf("%q:\n got %q\nwant %q", bio, got, want)
		}
	}
	f("dog mom, foodie, Arsenal fan", "Soccer", "Cooking", "Dogs")
	f("Gamer | Photographer | Coffee", "Coffee and Tea", "Video Games", "Photography")
	f("Father of two. Views are my own", "Parenting")
	f("#MUFC", "Soccer")
	f("live, laugh, love")
	f("")
}

func TestBioTermsDoNotCountInPosts(t *testing.T) {
	m := newModel(t)
	if got := m.AppendPost(nil, "the author of this", nil, nil); len(got) > 0 {
		t.Errorf("got %q, want none", names(got))
	}
	if got := names(m.AppendAuthor(nil, "author")); !slices.Equal(got, []string{"Writing"}) {
		t.Errorf("got %q, want Writing", got)
	}
}

func TestAppendPostAppends(t *testing.T) {
	m := newModel(t)
	got := m.AppendPost([]earshot.InterestID{999}, "a dog", nil, nil)
	if len(got) != 2 || got[0] != 999 {
		t.Errorf("got %v, want 999 and another", got)
	}
}

func TestAppendPostDoesNotAllocate(t *testing.T) {
	m := newModel(t)
	text := strings.Repeat("the machine learning dog of new york city ", 400)
	hashtags, mentions := []string{"nba", "dogs"}, []string{"nasa"}
	ids := make([]earshot.InterestID, 0, 64)
	if got := testing.AllocsPerRun(10, func() { ids = m.AppendPost(ids[:0], text, hashtags, mentions) }); got != 0 {
		t.Errorf("got %v allocations, want none", got)
	}
}

func TestAppendPostIsSafeForConcurrentUse(t *testing.T) {
	m := newModel(t)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 100 {
				if got := names(m.AppendPost(nil, "a dog and a cat", nil, nil)); len(got) != 2 {
					t.Errorf("got %q", got)
				}
			}
		})
	}
	wg.Wait()
}

func FuzzAppendPost(f *testing.F) {
	m := newModel(f)
	f.Add("RT @nba: #dogs ❤️🔥 don't “stop” http://x", "tag", "handle")
	f.Add("\xff’#\u200d @ $ é e\u0301", "#", "")
	f.Fuzz(func(t *testing.T, text, hashtag, mention string) {
		for _, ids := range [][]earshot.InterestID{
			m.AppendPost(nil, text, []string{hashtag}, []string{mention}),
			m.AppendAuthor(nil, text),
		} {
			for i, id := range ids {
				if _, ok := Lookup(id); !ok || i > 0 && id <= ids[i-1] {
					t.Errorf("%q: got %v, want interests, ascending", text, ids)
				}
			}
		}
	})
}

func newModel(t testing.TB) *Model {
	t.Helper()
	m, err := New()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func names(ids []earshot.InterestID) []string {
	var names []string
	for _, id := range ids {
		in, _ := Lookup(id)
		names = append(names, in.Name)
	}
	return names
}
