package main

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"earshot"
)

// setCustoms takes an object of custom fields.
func setCustoms(p *earshot.Post, value any) error {
	fields, ok := value.(map[string]any)
	if !ok {
		return errors.New("must be an object")
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) { // the first error is the same every time
		if err := setCustom(p, name, fields[name]); err != nil {
			return err
		}
	}
	return nil
}

// setDottedCustoms takes the members called custom.NAME. The case of letters is part
// of the name.
func setDottedCustoms(p *earshot.Post, members map[string]any) error {
	for _, key := range slices.Sorted(maps.Keys(members)) {
		prefix, name, _ := strings.Cut(key, ".")
		if !strings.EqualFold(prefix, "custom") || name == "" {
			continue
		}
		if err := setCustom(p, name, members[key]); err != nil {
			return within("custom", err)
		}
	}
	return nil
}

// setCustom takes a text, a number or a truth as the text of a custom field.
func setCustom(p *earshot.Post, name string, value any) error {
	if value == nil {
		return nil
	}
	text, err := readText(value)
	if truth, ok := value.(bool); ok {
		text, err = strconv.FormatBool(truth), nil
	}
	if err != nil {
		return within(earshot.Clip(name, 60), err)
	}
	if p.Custom == nil {
		p.Custom = map[string]string{}
	}
	p.Custom[name] = text
	return nil
}
