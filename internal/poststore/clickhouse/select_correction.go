package clickhouse

import (
	"maps"
	"slices"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/clickhouse/chhttp"
)

// corrections are the corrections of a selection, by what they correct.
type corrections struct {
	sentiments, emotions correctedValues
	categories           []earshot.CategoryID // distinct, sorted
	byCategory           correctedValues
}

// correctedValues are the keys of posts with a corrected attribute, and its values.
type correctedValues struct {
	keys   []poststore.KeySum
	values []uint64
}

func (c *correctedValues) add(k poststore.KeySum, value uint64) {
	c.keys, c.values = append(c.keys, k), append(c.values, value)
}

func newCorrections(of *poststore.Corrections) (c corrections) {
	if of == nil {
		return c
	}
	categories := map[earshot.CategoryID]bool{}
	for k, v := range of.All() {
		if n := int(v.Sentiment); n > 0 && n <= len(earshot.Sentiment{}) {
			c.sentiments.add(k, uint64(n))
		}
		if n := int(v.Emotion); n > 0 && n <= len(earshot.Emotion{}) {
			c.emotions.add(k, uint64(n))
		}
		if v.Category != 0 {
			c.byCategory.add(k, uint64(v.Category))
			categories[v.Category] = true
		}
	}
	c.categories = slices.Sorted(maps.Keys(categories))
	return c
}

// sentiment returns the expression for a column with sentiments, after corrections. It also works for
// the column with cells, because the cell of a certain sentiment is the number of the sentiment.
func (c *corrections) sentiment(column string, a *chhttp.Args) string {
	return c.sentiments.expr(column, a)
}

// emotion is sentiment for emotions.
func (c *corrections) emotion(column string, a *chhttp.Args) string {
	return c.emotions.expr(column, a)
}

// category returns the expression for the corrected category of a post, or 0.
func (c *corrections) category(a *chhttp.Args) string { return c.byCategory.expr("toUInt64(0)", a) }

// expr returns the expression for the corrected value of a post, or otherwise.
func (c *correctedValues) expr(otherwise string, a *chhttp.Args) string {
	if len(c.keys) == 0 {
		return otherwise
	}
	return "transform(key, " + a.Keys(slices.Values(c.keys)) + ", " + a.Uints(c.values) + ", " + otherwise + ")"
}

// inCategory returns the conditions that the category of a post is corrected to the given one, and
// that it is corrected to any.
func (c *corrections) inCategory(category earshot.CategoryID, a *chhttp.Args) (is, corrected string) {
	var keys []poststore.KeySum
	for i, k := range c.byCategory.keys {
		if c.byCategory.values[i] == uint64(category) {
			keys = append(keys, k)
		}
	}
	is = oneOf(len(keys), func() string { return a.InKeys("key", slices.Values(keys)) })
	return is, a.InKeys("key", slices.Values(c.byCategory.keys))
}
