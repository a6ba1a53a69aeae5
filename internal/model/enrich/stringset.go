package enrich

import "slices"

// A stringSet collects distinct values in the order they are added.
type stringSet struct {
	values []string
	index  map[string]bool // of values, once there are minIndexed
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
