package clickhouse

import (
	"earshot"
	"earshot/internal/jsonvalue"
	"earshot/internal/poststore/clickhouse/chhttp"
)

// Conditions on the names of authors. See addNames for what the columns have.

// authorNamed returns the condition that the author has one of the names, ignoring case.
func authorNamed(names []string, a *chhttp.Args) string {
	folded := nonempty(jsonvalue.Map(names, foldKey))
	var keys []string
	for _, name := range folded {
		if isASCII(name) {
			keys = append(keys, lowerASCII(name))
		}
	}
	return listed("names", folded, keys, a)
}

// authorAccount returns the condition that one of the names identifies the author, as
// [earshot.Post.AccountNames] yields them.
func authorAccount(names []string, a *chhttp.Args) string {
	accounts := nonempty(jsonvalue.Map(names, earshot.AccountName))
	return listed("accounts", accounts, accounts, a)
}

// listed returns the condition that a list has one of the values, or that it implies one of the keys.
func listed(column string, values, keys []string, a *chhttp.Args) string {
	if len(values) == 0 {
		return never
	}
	cond := "hasAny(" + column + ", " + a.Strings(values) + ")"
	if len(keys) == 0 {
		return cond
	}
	return "(" + cond + " OR " + a.InStrings("author", keys) + " AND NOT has(" + column + ", ''))"
}

// authorHandle returns the condition that the author has one of the handles.
func authorHandle(handles []string, a *chhttp.Args) string {
	handles = nonempty(jsonvalue.Map(handles, earshot.AccountName))
	if len(handles) == 0 {
		return never
	}
	return "(" + a.InStrings("handle", handles) + " OR handle = '' AND " + a.InStrings("author", handles) + ")"
}
