package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

// setFromFile reads YAML: a mapping of names to values, or an empty document.
func (c *Config) setFromFile(file string, data []byte) error {
	top, err := parse(data)
	if err != nil {
		return fmt.Errorf("configuration file %s: %w", file, err)
	}
	return c.setFromMapping(file, "", top, map[string]bool{})
}

// setFromMapping applies alternating keys and values. A name with a dot may also be written as
// nested mappings; prefix contains the outer names.
func (c *Config) setFromMapping(file, prefix string, pairs []*yaml.Node, seen map[string]bool) error {
	for i := 0; i+1 < len(pairs); i += 2 {
		name, v := prefix+pairs[i].Value, pairs[i+1]
		if v.Kind == yaml.MappingNode && isGroup(name) {
			if err := c.setFromMapping(file, name+".", v.Content, seen); err != nil {
				return err
			}
			continue
		}
		from := fmt.Sprintf("file %s, line %d", file, pairs[i].Line)
		s, known := findSetting(name)
		switch {
		case !known:
			return fmt.Errorf("unknown setting %q in %s: must be one of %s", name, from, settingNames())
		case seen[s.name]:
			return fmt.Errorf("setting %s: duplicate value in %s: must be set once", s.name, from)
		}
		seen[s.name] = true
		if err := c.setFromNode(s, v, from); err != nil {
			return err
		}
	}
	return nil
}

// parse returns the keys and values of a YAML mapping, alternating.
func parse(data []byte) ([]*yaml.Node, error) {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc yaml.Node
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return nil, err
	}
	if err := dec.Decode(&yaml.Node{}); !errors.Is(err, io.EOF) {
		return nil, errors.New("must be a single YAML document")
	}
	top := doc.Content[0]
	switch {
	case top.Kind == yaml.MappingNode:
		return top.Content, nil
	case top.Tag == "!!null":
		return nil, nil
	}
	return nil, errors.New("must be a mapping of settings to values")
}

func (c *Config) setFromNode(s setting, v *yaml.Node, from string) error {
	isList := s.value(c).Type() == "list"
	switch {
	case v.Kind == yaml.ScalarNode && v.Tag == "!!null":
		return c.set(s, "", from)
	case v.Kind == yaml.ScalarNode:
		return c.set(s, v.Value, from)
	case v.Kind == yaml.SequenceNode && isList:
		var items []string
		if err := v.Decode(&items); err != nil {
			return fmt.Errorf("setting %s: invalid value in %s: must be a list of names", s.name, from)
		}
		return c.set(s, strings.Join(items, ","), from)
	}
	return fmt.Errorf("setting %s: invalid value in %s: must be a single value", s.name, from)
}

// Print writes the settings as YAML, each below a comment that describes it. [Load] reads the
// output back to the same settings.
func (c Config) Print(w io.Writer) error {
	var b strings.Builder
	for i, s := range settings {
		line, err := yaml.Marshal(map[string]any{s.name: s.value(&c).yaml()})
		if err != nil {
			return fmt.Errorf("print setting %s: %w", s.name, err)
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "# %s\n%s", s.usage, line)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
