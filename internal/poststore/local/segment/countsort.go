package segment

import "slices"

// sortNumbers sorts numbers, byte by byte where there are many. Bytes that all of them
// share take no time.
func sortNumbers(s []uint64) {
	if len(s) < 512 || slices.IsSorted(s) {
		slices.Sort(s)
		return
	}
	all, any := ^uint64(0), uint64(0)
	for _, v := range s {
		all &= v
		any |= v
	}
	from, to := s, make([]uint64, len(s))
	for shift := 0; shift < 64; shift += 8 {
		if (all^any)>>shift&0xff != 0 {
			sortByte(from, to, shift)
			from, to = to, from
		}
	}
	copy(s, from) // nothing to do when that is s
}

// sortByte puts numbers into the order of one of their bytes; those that have the same
// stay in theirs.
func sortByte(from, to []uint64, shift int) {
	var next [256]int
	for _, v := range from {
		next[v>>shift&0xff]++
	}
	sum := 0
	for b, n := range next {
		next[b] = sum
		sum += n
	}
	for _, v := range from {
		b := v >> shift & 0xff
		to[next[b]] = v
		next[b]++
	}
}
