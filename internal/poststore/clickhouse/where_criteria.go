package clickhouse

import (
	"math"
	"strings"

	"earshot/internal/query"
	"earshot/internal/query/watchlist"
)

// condition compiles a condition.
func (c *compiler) condition(f *watchlist.Formula) predicate {
	list := []predicate{c.expression("team IN (0, ", c.bindInt(int64(f.Team)), ")")}
	if len(f.Sources) > 0 {
		sources := make([]string, len(f.Sources))
		for i, s := range f.Sources {
			sources[i] = string(s)
		}
		list = append(list, c.expression("source IN ", c.bindList(sources)))
	}
	if f.Languages != nil {
		list = append(list, c.choice("language", f.Languages))
	}
	if f.Genders != nil {
		list = append(list, c.choice("gender", f.Genders))
	}
	if f.Places != nil {
		list = append(list, c.places(f.Places))
	}
	if f.Account != nil {
		list = append(list, c.account(f.Account))
	}
	if f.Keywords != nil {
		list = append(list, c.keywords(f.Keywords))
	}
	if f.Within != nil {
		list = append(list, c.condition(f.Within))
	}
	return c.all(list...)
}

// choice compiles a choice of values of a column.
func (c *compiler) choice(column string, f *watchlist.ValueChoice) predicate {
	chosen := c.expression(column, " != ''")
	if !f.Any {
		chosen = c.expression(column, " IN ", c.bindList(f.Values))
	}
	if f.Exclude {
		return c.negate(chosen)
	}
	return chosen
}

// places compiles a choice of places. Columns state and city have geography ids, which start with
// the country.
func (c *compiler) places(f *watchlist.PlaceChoice) predicate {
	chosen := c.hasField(fieldPlace)
	if !f.Any {
		var list []predicate
		if len(f.Countries) > 0 {
			list = append(list, c.expression("country IN ", c.bindList(f.Countries)))
		}
		for _, p := range f.Parts {
			state := p
			state.City = ""
			part := []predicate{c.expression("country = ", c.bind(p.Country)), c.expression("state = ", c.bind(state.ID()))}
			if p.City != "" {
				part = append(part, c.expression("city = ", c.bind(p.ID())))
			}
			list = append(list, c.all(part...))
		}
		chosen = c.any(list...)
	}
	if f.Exclude {
		return c.negate(chosen)
	}
	return chosen
}

// account compiles the account of a SOCIAL monitor.
func (c *compiler) account(f *watchlist.AccountFormula) predicate {
	network := c.expression("source = ", c.bind(string(f.Network)))
	var wrote []predicate
	if f.HandleKey != "" {
		wrote = append(wrote, c.hasField(fieldHandle+f.HandleKey))
	}
	if f.PageID != "" {
		page := c.expression("page = ", c.bind(f.PageID))
		if !f.OwnOnly {
			return c.all(network, page)
		}
		return c.all(network, page, c.any(append(wrote, c.hasField(fieldByPage))...))
	}
	switch {
	case f.AnyMention:
		wrote = append(wrote, undecided(true))
	case f.MentionKey != "":
		wrote = append(wrote, c.hasField(fieldMention+f.MentionKey))
	}
	return c.all(network, c.any(wrote...))
}

// hasField returns the condition that column fields has a value.
func (c *compiler) hasField(value string) predicate {
	return c.expression("has(fields, ", c.bind(value), ")")
}

// idColumns are the columns of identifiers, by the name of the field in queries.
var idColumns = map[string]string{"guid": "guid", "parentGuid": "parent", "pageId": "page"}

// value compiles a comparison with the values of a field.
func (c *compiler) value(f query.HasValue, in scope) predicate {
	if column := idColumns[f.Field]; column != "" {
		return c.id(column, f, in)
	}
	name, want := f.Field+"=", f.Plain
	if f.Text != f.Plain {
		name, want = f.Field+"~", f.Text
	}
	if !f.Pattern {
		return c.hasField(name + want)
	}
	pattern := "^" + quoteRegexp(name) + globRegexp(want, "(?s:.)") + "$"
	return c.expression("arrayExists(f -> match(f, ", c.bind(pattern), "), fields)")
}

// id compiles a comparison with an identifier. Identifiers may have any bytes, so regular expressions
// do not decide patterns other than prefixes.
func (c *compiler) id(column string, f query.HasValue, in scope) predicate {
	if !f.Pattern {
		return c.expression(column, " = ", c.bind(f.Text))
	}
	prefix := f.Text[:strings.IndexAny(f.Text, "*?")]
	starts := c.expression("(", column, " != '' AND startsWith(", column, ", ", c.bind(prefix), "))")
	switch {
	case f.Text == prefix+"*":
		return starts
	case in.superset:
		starts.exact = false
		return starts
	}
	return undecided(false)
}

// number compiles a range of numbers. Column followers has whole numbers, so the bounds become whole
// numbers, too.
func (c *compiler) number(f query.InRange, in scope) predicate {
	if f.Field != "authorFollowers" {
		return undecided(in.superset)
	}
	first := searchInt(func(n int64) bool { return float64(n) >= f.From })
	end := searchInt(func(n int64) bool { return float64(n) > f.To })
	return c.expression("(bitAnd(stated, 1) = 1 AND followers >= ", c.bindInt(first), " AND followers < ", c.bindInt(end), ")")
}

// searchInt returns the first number for which f is true, or the maximum, which no count has. f must
// be false below that number and true from there on.
func searchInt(f func(int64) bool) int64 {
	low, high := int64(0), int64(math.MaxInt64)
	for low < high {
		if middle := low + (high-low)/2; f(middle) {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return low
}
