package enrich

import "slices"

// A stringSet collects distinct strings in insertion order.
type stringSet struct {
	values []string
	index  map[string]bool // built once there are minIndexed values
}

// minIndexed is the size from which a map is faster than a linear search.
const minIndexed = 16

func (d *stringSet) add(value string) {
	if value == "" || d.has(value) {
		return
	}
	d.values = append(d.values, value)
	if d.index != nil {
		d.index[value] = true
	}
}

func (d *stringSet) has(value string) bool {
	if len(d.values) < minIndexed {
		return slices.Contains(d.values, value)
	}
	if d.index == nil {
		d.index = make(map[string]bool)
		for _, v := range d.values {
			d.index[v] = true
		}
	}
	return d.index[value]
}
