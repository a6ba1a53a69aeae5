package enrich

import "slices"

// distinct collects values, each once, in the order they come.
type distinct struct {
	values []string
	seen   map[string]bool // once there are many
}

// few is how many values are looked through one by one.
const few = 16

func (d *distinct) add(value string) {
	if value == "" || d.has(value) {
		return
	}
	d.values = append(d.values, value)
	if d.seen != nil {
		d.seen[value] = true
	}
}

func (d *distinct) has(value string) bool {
	if len(d.values) < few {
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
