package insight

import (
	"context"
	"strings"

	"earshot"
	"earshot/internal/poststore"
)

// maxCloudWords is the maximum number of words in a cloud.
const maxCloudWords = 300

// A WordCloud maps words to their number of occurrences in a sample of posts.
type WordCloud map[string]int64

func (c WordCloud) size() int {
	bytes := 0
	for word := range c {
		bytes += len(word) + 64
	}
	return bytes
}

// WordCloud returns the most frequent words of m's posts on the days that have results. Ties are
// broken alphabetically. The result is cached, so the caller must not modify it. conditions
// identifies the refinement in the cache.
func (s *Service) WordCloud(ctx context.Context, m *earshot.Monitor, days earshot.Days, refinement poststore.Selection, conditions string) (WordCloud, error) {
	if days = s.withResults(m, days); days.Len() <= 0 {
		return WordCloud{}, nil
	}
	sel := selection(m, days)
	refinement.Set, refinement.From, refinement.To = sel.Set, sel.From, sel.To
	return memoize(ctx, s.Store, &s.clouds, sel, conditions, func() (WordCloud, error) {
		return s.wordCloud(ctx, refinement)
	})
}

func (s *Service) wordCloud(ctx context.Context, sel poststore.Selection) (WordCloud, error) {
	var found wordCounts
	posts, err := s.Store.Words(ctx, sel, wordSample, found.add)
	if err != nil {
		return nil, err
	}
	stop, err := s.stopWords(ctx, sel, posts)
	if err != nil {
		return nil, err
	}
	return mostFrequent(found.words, found.counts, &stop), nil
}

// wordCounts counts the occurrences of words in a sample of posts.
type wordCounts struct {
	wordIndex
	counts []int64 // by word number
}

func (c *wordCounts) add(words []poststore.Word) {
	for _, w := range words {
		if len(w.Text) > maxWordBytes {
			continue
		}
		n := c.number(w.Text)
		if n == len(c.counts) {
			c.counts = append(c.counts, 0)
		}
		c.counts[n] += int64(w.Count)
	}
	c.dropRare(func(n int) int64 { return c.counts[n] }, func(to, from int) { c.counts[to] = c.counts[from] })
	c.counts = c.counts[:len(c.words)]
}

// mostFrequent returns the cloud of the most frequent meaningful words. Most words are rare, so it
// starts with only the most frequent ones and widens the search as needed.
func mostFrequent(words []string, counts []int64, stop *stopWords) WordCloud {
	rows := make([]poststore.Row, len(words))
	for i := range words {
		rows[i] = poststore.Row{Key: words[i : i+1], Posts: counts[i]}
	}
	for some := 4 * maxCloudWords; ; some *= 4 {
		cloud := newWordCloud(poststore.TopRows(rows, some), stop)
		if len(cloud) == maxCloudWords || some >= len(rows) {
			return cloud
		}
	}
}

// newWordCloud returns a cloud of the first meaningful words.
func newWordCloud(rows []poststore.Row, stop *stopWords) WordCloud {
	cloud := WordCloud{}
	for _, row := range rows {
		if len(cloud) == maxCloudWords {
			break
		}
		if stop.isMeaningful(row.Key[0], row.Posts) {
			cloud[strings.Clone(row.Key[0])] = row.Posts // a substring would keep a longer text alive
		}
	}
	return cloud
}
