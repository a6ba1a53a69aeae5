package enrich

import "slices"

// stringSet collects values, each once, in the order they come.
type stringSet struct {
	values []string
	seen   map[string]bool // once there are many
}

// minIndexed is how many values are looked through one by one.
const minIndexed = 16

func (d *stringSet) add(value string) {
	if value == "" || d.has(value) {
		return
	}
	d.values = append(d.values, value)
	if d.seen != nil {
		d.seen[value] = true
	}
}

func (d *stringSet) has(value string) bool {
	if len(d.values) < minIndexed {
		return slices.Contains(d.values, value)
	}
	if d.seen == nil {
		d.seen = make(map[string]bool)
		for _, v := range d.values {
			d.seen[v] = true
		}
	}
	return d.seen[value]
}
