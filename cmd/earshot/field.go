package main

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/spf13/pflag"

	"earshot/internal/http/client"
)

// A body is a request body under construction.
type body map[string]any

// set sets the value at a key. A dot in the key creates a nested object.
func (b body) set(key string, value any) {
	outer, inner, nested := strings.Cut(key, ".")
	if !nested {
		b[key] = value
		return
	}
	within, ok := b[outer].(body)
	if !ok {
		within = body{}
		b[outer] = within
	}
	within.set(inner, value)
}

// A field is one or more flags that set a part of a body.
type field struct {
	define func(*pflag.FlagSet)
	fill   func(*pflag.FlagSet, body) error // ignores flags that were not given

	// resolve replaces names in a filled body with IDs. Nil: the field has no names.
	resolve func(context.Context, *client.Client, body) error
}

// given returns a fill function that does nothing unless a flag was given.
func given(flag string, fill func(*pflag.FlagSet, body) error) func(*pflag.FlagSet, body) error {
	return func(flags *pflag.FlagSet, b body) error {
		if !flags.Changed(flag) {
			return nil
		}
		return fill(flags, b)
	}
}

// plain returns a flag whose value is sent as it is. get returns the value.
func plain[T any](flag, key string, define func(*pflag.FlagSet), get func(flags *pflag.FlagSet, flag string) (T, error)) field {
	return field{define: define, fill: given(flag, func(flags *pflag.FlagSet, b body) error {
		v, err := get(flags, flag)
		b.set(key, v)
		return err
	})}
}

// text returns a flag whose value is sent as a string.
func text(flag, key, usage string) field {
	return plain(flag, key, func(flags *pflag.FlagSet) { flags.String(flag, "", usage) }, (*pflag.FlagSet).GetString)
}

// number returns a flag whose value is sent as a number. A value that is not a number is sent as a
// string, so the server rejects it with its own message.
func number(flag, key, usage string) field {
	return plain(flag, key, func(flags *pflag.FlagSet) { flags.String(flag, "", usage) }, func(flags *pflag.FlagSet, flag string) (any, error) {
		v, err := flags.GetString(flag)
		return numberOrText(v), err
	})
}

// toggle returns a flag that is true or false.
func toggle(flag, key, usage string) field {
	return plain(flag, key, func(flags *pflag.FlagSet) { flags.Bool(flag, false, usage) }, (*pflag.FlagSet).GetBool)
}

// list returns a flag with several values, separated by commas or given by repeating the flag. An
// empty value clears the list.
func list(flag, key, usage string) field {
	return plain(flag, key, func(flags *pflag.FlagSet) { flags.StringSlice(flag, nil, usage) }, (*pflag.FlagSet).GetStringSlice)
}

// reference returns a flag that names an object of a resource, by its name or ID.
func reference(flag, key string, to resource, usage string) field {
	f := text(flag, key, usage)
	f.resolve = func(ctx context.Context, c *client.Client, b body) error {
		name, given := b[key].(string)
		if !given {
			return nil
		}
		id, err := find(ctx, c, to, name)
		b[key] = json.Number(id)
		return err
	}
	return f
}

// references is a list whose values name objects of a resource.
func references(flag, key string, to resource, usage string) field {
	f := list(flag, key, usage)
	f.resolve = func(ctx context.Context, c *client.Client, b body) error {
		names, given := b[key].([]string)
		if !given {
			return nil
		}
		ids := make([]json.Number, len(names))
		for i, name := range names {
			id, err := find(ctx, c, to, name)
			if err != nil {
				return err
			}
			ids[i] = json.Number(id)
		}
		b[key] = ids
		return nil
	}
	return f
}

// numbers returns a list whose values are sent as numbers.
func numbers(flag, key, usage string) field {
	return plain(flag, key, func(flags *pflag.FlagSet) { flags.StringSlice(flag, nil, usage) }, func(flags *pflag.FlagSet, flag string) ([]any, error) {
		values, err := flags.GetStringSlice(flag)
		all := make([]any, len(values))
		for i, v := range values {
			all[i] = numberOrText(v)
		}
		return all, err
	})
}

// choice returns a list of values to include and, with its second flag, to exclude.
func choice(flag, key, usage string) field {
	exclude := "exclude-" + flag
	return field{
		define: func(flags *pflag.FlagSet) {
			flags.StringSlice(flag, nil, usage)
			flags.Bool(exclude, false, "exclude the given "+flag+" and include all others")
		},
		fill: func(flags *pflag.FlagSet, b body) error {
			if !flags.Changed(flag) {
				if flags.Changed(exclude) {
					return wrongUsage("--%s requires --%s", exclude, flag)
				}
				return nil
			}
			values, err := flags.GetStringSlice(flag)
			if err != nil {
				return err
			}
			kind := "include"
			if excluded, _ := flags.GetBool(exclude); excluded {
				kind = "exclude"
			}
			b.set(key, body{"type": kind, "values": values})
			return nil
		},
	}
}

func numberOrText(s string) any {
	s = strings.TrimSpace(s)
	if isNumber(s) {
		return json.Number(s)
	}
	return s
}

// isNumber reports whether s is a valid JSON number.
func isNumber(s string) bool {
	return s != "" && (s[0] == '-' || s[0] >= '0' && s[0] <= '9') && json.Valid([]byte(s))
}

func defineAll(flags *pflag.FlagSet, fields []field) {
	for _, f := range fields {
		f.define(flags)
	}
}

// fillAll returns the body for the given flags.
func fillAll(flags *pflag.FlagSet, fields []field) (body, error) {
	b := body{}
	for _, f := range fields {
		if err := f.fill(flags, b); err != nil {
			return nil, err
		}
	}
	return b, nil
}
