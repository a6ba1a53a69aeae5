package enginekit

// MaySimilar reports whether the outlines of two texts allow that they are similar.
func MaySimilar(a, b *Sketch) bool { return a.maySimilar(b.outline) }

// KeepNothing makes a Grouper behave as if it had already kept as many shingles as it may.
func (g *Grouper) KeepNothing() {
	g.kept = make([][]uint32, maxKept/keptChunk)
	g.kept[len(g.kept)-1] = make([]uint32, keptChunk)
}
