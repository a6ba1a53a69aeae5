package enginekit

// MaySimilar reports whether the outlines of two texts allow that they are similar.
func MaySimilar(a, b *Sketch) bool { return a.maySimilar(b.outline) }
