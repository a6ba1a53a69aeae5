package onnx

// Matrix products take nearly all the time of a model. They are computed in tiles of 4 × 16
// elements whose sums stay in registers. The right matrix is arranged for that beforehand, in
// panels of 16 columns.
const (
	tileRows = 4
	tileCols = 16
)

// panels are the columns of a k × n matrix in groups of 16: first the first 16 elements of each
// row, then the next 16, and so on. The last panel is padded with zeros.
type panels struct {
	k, n int
	data []float32
}

// panelsSize returns the number of elements in the panels of a matrix.
func panelsSize(k, n int) int { return (n + tileCols - 1) / tileCols * tileCols * k }

// fill arranges a matrix with the given row and column strides in b.
func (p *panels) fill(b []float32, down, across int) {
	at := 0
	for first := 0; first < p.n; first += tileCols {
		cols := min(tileCols, p.n-first)
		for i := range p.k {
			line := p.data[at : at+tileCols]
			from := i*down + first*across
			if across == 1 {
				copy(line, b[from:from+cols])
			} else {
				for j := range cols {
					line[j] = b[from+j*across]
				}
			}
			clear(line[cols:])
			at += tileCols
		}
	}
}

// A matrix is the left operand of a product: m rows of k elements in row-major order.
type matrix struct {
	m, k int
	data []float32
	tail []float32 // the last m%4 rows, padded to 4 rows; only if m%4 is not 0

	bias  []float32 // added to the rows of the product; nil for none
	slope float32   // factor of negative elements after that; only with a bias
}

// fillTail sets the tail of a matrix, using numbers as its 4 × k elements.
func (a *matrix) fillTail(numbers []float32) {
	rest := a.m % tileRows
	clear(numbers[copy(numbers, a.data[(a.m-rest)*a.k:]):])
	a.tail = numbers
}

// An ending is what happens to the rows of a tile after its product is computed: a bias is added,
// then negative elements are multiplied by a slope from 0 to 1, as in ReLU and leaky ReLU.
type ending struct {
	bias  [tileRows]float32
	slope float32
}

// timesPanel writes the product of a and one panel to the first columns of dst, whose rows are
// stride apart. The rows of the panel are step apart.
func (a *matrix) timesPanel(dst []float32, stride, cols int, panel []float32, step int) {
	var edge [tileRows * tileCols]float32
	var last ending
	var end *ending
	if a.bias != nil {
		end, last.slope = &last, a.slope
	}
	for row := 0; row < a.m; row += tileRows {
		rows, from := min(tileRows, a.m-row), a.tail
		if rows == tileRows {
			from = a.data[row*a.k : (row+tileRows)*a.k]
		}
		if end != nil {
			copy(last.bias[:], a.bias[row:])
		}
		if rows == tileRows && cols == tileCols {
			multiplyTile(dst[row*stride:], stride, from, panel, step, a.k, end)
			continue
		}
		multiplyTile(edge[:], tileCols, from, panel, step, a.k, end)
		for i := range rows {
			copy(dst[(row+i)*stride:(row+i)*stride+cols], edge[i*tileCols:])
		}
	}
}

// times writes the product of a and b to dst.
func (a *matrix) times(dst []float32, b *panels) {
	size := b.k * tileCols
	for first, at := 0, 0; first < b.n; first, at = first+tileCols, at+size {
		a.timesPanel(dst[first:], b.n, min(tileCols, b.n-first), b.data[at:at+size], tileCols)
	}
}

// tileInGo computes dst = a × panel for 4 rows of k elements, two columns at a time, because more
// sums do not fit into the registers of every processor. The rows of the panel are step apart.
func tileInGo(dst []float32, stride int, a, panel []float32, step, k int, end *ending) {
	a0, a1, a2, a3 := a[:k], a[k:2*k], a[2*k:3*k], a[3*k:4*k]
	d0, d1 := dst[:tileCols], dst[stride:stride+tileCols]
	d2, d3 := dst[2*stride:2*stride+tileCols], dst[3*stride:3*stride+tileCols]
	for j := 0; j < tileCols; j += 2 {
		var s00, s01, s10, s11, s20, s21, s30, s31 float32
		for i := range a0 {
			b := panel[i*step+j : i*step+j+2]
			b0, b1 := b[0], b[1]
			s00 += a0[i] * b0
			s01 += a0[i] * b1
			s10 += a1[i] * b0
			s11 += a1[i] * b1
			s20 += a2[i] * b0
			s21 += a2[i] * b1
			s30 += a3[i] * b0
			s31 += a3[i] * b1
		}
		d0[j], d0[j+1] = s00, s01
		d1[j], d1[j+1] = s10, s11
		d2[j], d2[j+1] = s20, s21
		d3[j], d3[j+1] = s30, s31
	}
	if end != nil {
		for i, row := range [tileRows][]float32{d0, d1, d2, d3} {
			finishRow(row, end.bias[i], end.slope)
		}
	}
}

// finishRow adds a bias to a row and multiplies negative elements by a slope of at most 1.
func finishRow(row []float32, bias, slope float32) {
	if slope == 1 {
		for i := range row {
			row[i] += bias
		}
		return
	}
	for i, v := range row {
		v += bias
		row[i] = larger(v*slope, v)
	}
}
