package synth

import (
	"image/color"
	"math"
)

// plain is one color, sometimes with a frame.
func plain(m *maker) *canvas {
	c := m.canvas()
	c.fill(m.color())
	if m.IntN(3) == 0 {
		w, h := c.size()
		inset := m.between(10, 60)
		c.rect(m.color(), inset, inset, w-2*inset, h-2*inset)
	}
	return c
}

// gradient runs between two or three colors, along a line or around a center.
func gradient(m *maker) *canvas {
	c := m.canvas()
	w, h := c.size()
	colors := []color.RGBA{m.color(), m.color(), m.color()}[:2+m.IntN(2)]
	angle, radial := m.between(0, 2*math.Pi), m.IntN(3) == 0
	dx, dy := math.Cos(angle), math.Sin(angle)
	grain := choose(m, 0, 0, 4.0)
	c.each(func(x, y float64) color.RGBA {
		x, y = x/w-0.5, y/h-0.5
		at := 0.5 + (x*dx+y*dy)/1.42
		if radial {
			at = math.Hypot(x, y) / 0.71
		}
		at = min(max(at, 0), 0.9999) * float64(len(colors)-1)
		v := mix(colors[int(at)], colors[int(at)+1], at-math.Floor(at))
		if grain > 0 {
			v = shift(v, m.NormFloat64()*grain)
		}
		return v
	})
	return c
}

// shift makes a color brighter or darker.
func shift(c color.RGBA, by float64) color.RGBA {
	f := func(v uint8) uint8 { return uint8(min(max(float64(v)+by, 0), 255)) }
	return color.RGBA{f(c.R), f(c.G), f(c.B), 255}
}

// noise is random pixels or blocks, in color or gray.
func noise(m *maker) *canvas {
	c := m.canvas()
	block := choose(m, 1, 1, 2, 4, 8, 16)
	base, isGray, spread := m.color(), m.IntN(2) == 0, m.between(20, 120)
	for y := 0; y < c.Rect.Dy(); y += block {
		for x := 0; x < c.Rect.Dx(); x += block {
			v := m.color()
			if isGray {
				v = shift(base, m.NormFloat64()*spread)
			}
			for i := range block * block {
				c.SetRGBA(x+i%block, y+i/block, v)
			}
		}
	}
	return c
}

// fractal is noise with the spectrum of a photograph, like clouds or marble.
func fractal(m *maker) *canvas {
	c := m.canvas()
	from, to, third := m.color(), m.color(), m.color()
	first, second := newField(m), newField(m)
	roughness, scale := m.between(0.35, 0.75), m.between(0.005, 0.02)
	c.each(func(x, y float64) color.RGBA {
		a := first.octaves(x*scale, y*scale, roughness)
		b := second.octaves(x*scale+9, y*scale, roughness)
		return mix(mix(from, to, a), third, b*0.6)
	})
	return c
}

// A field is random values on a grid, with smooth values in between.
type field [64 * 64]float64

func newField(m *maker) *field {
	var f field
	for i := range f {
		f[i] = m.Float64()
	}
	return &f
}

// at returns the value at a position. It repeats every 64 units.
func (f *field) at(x, y float64) float64 {
	column, row := int(math.Floor(x)), int(math.Floor(y))
	ease := func(t float64) float64 { return t * t * (3 - 2*t) }
	u, v := ease(x-math.Floor(x)), ease(y-math.Floor(y))
	corner := func(dx, dy int) float64 { return f[((row+dy)&63)*64+(column+dx)&63] }
	return (corner(0, 0)*(1-u)+corner(1, 0)*u)*(1-v) + (corner(0, 1)*(1-u)+corner(1, 1)*u)*v
}

// octaves returns a sum of the field at six scales, from 0 to 1.
func (f *field) octaves(x, y, roughness float64) float64 {
	var sum, total float64
	weight := 1.0
	for range 6 {
		sum += weight * f.at(x, y)
		total += weight
		x, y, weight = 2*x+17.3, 2*y+5.1, weight*roughness
	}
	return sum / total
}

// stripes are parallel, in two to four colors, with sharp or soft edges.
func stripes(m *maker) *canvas {
	c := m.canvas()
	angle := choose(m, 0, math.Pi/2, m.between(0, math.Pi))
	width, isSoft, bend := m.between(3, 60), m.IntN(3) == 0, choose(m, 0, 0, m.between(3, 20))
	colors := []color.RGBA{m.color(), m.color(), m.color(), m.color()}[:2+m.IntN(3)]
	c.each(func(x, y float64) color.RGBA {
		at := (x*math.Cos(angle)+y*math.Sin(angle)+bend*math.Sin((x-y)/30))/width + 1000
		if isSoft {
			return mix(colors[0], colors[1], 0.5+0.5*math.Sin(at*math.Pi))
		}
		return colors[int(at)%len(colors)]
	})
	return c
}

// tiles are checks, dots, bricks or a grid.
func tiles(m *maker) *canvas {
	c := m.canvas()
	side, a, b := m.between(8, 60), m.color(), m.color()
	form := m.IntN(4)
	c.each(func(x, y float64) color.RGBA {
		column, row := int(x/side), int(y/side)
		dx, dy := math.Mod(x, side)/side, math.Mod(y, side)/side
		inside := false
		switch form {
		case 0:
			inside = (column+row)%2 == 0
		case 1:
			inside = math.Hypot(dx-0.5, dy-0.5) < 0.35
		case 2:
			inside = dy < 0.1 || math.Mod(dx+0.5*float64(row%2), 1) < 0.06
		case 3:
			inside = dx < 0.12 || dy < 0.12
		}
		if inside {
			return a
		}
		return b
	})
	return c
}

// rings are concentric circles, waves or rays.
func rings(m *maker) *canvas {
	c := m.canvas()
	w, h := c.size()
	cx, cy := w*m.between(0.2, 0.8), h*m.between(0.2, 0.8)
	a, b, width, form, count := m.color(), m.color(), m.between(5, 30), m.IntN(3), float64(4+m.IntN(20))
	c.each(func(x, y float64) color.RGBA {
		distance, angle := math.Hypot(x-cx, y-cy), math.Atan2(y-cy, x-cx)
		switch form {
		case 0:
			return mix(a, b, math.Floor(math.Mod(distance/width, 2)))
		case 1:
			return mix(a, b, 0.5+0.5*math.Sin(distance/width))
		}
		return mix(a, b, math.Floor(math.Mod((angle+math.Pi)*count/math.Pi, 2)))
	})
	return c
}

// blobs are blurred spots of light.
func blobs(m *maker) *canvas {
	c := m.canvas()
	w, h := c.size()
	type blob struct {
		x, y, radius float64
		color        color.RGBA
	}
	spots := make([]blob, 3+m.IntN(15))
	for i := range spots {
		spots[i] = blob{m.between(0, w), m.between(0, h), m.between(20, 140), m.color()}
	}
	back, grain := m.color(), choose(m, 0, 0, 3.0)
	c.each(func(x, y float64) color.RGBA {
		v := back
		for _, s := range spots {
			v = mix(v, s.color, math.Exp(-((x-s.x)*(x-s.x)+(y-s.y)*(y-s.y))/(s.radius*s.radius)))
		}
		return shift(v, m.NormFloat64()*grain)
	})
	return c
}

// code is black and white modules, like a QR code or a barcode.
func code(m *maker) *canvas {
	c := m.canvas()
	w, h := c.size()
	c.fill(white)
	if m.IntN(3) == 0 {
		for x := w * 0.1; x < w*0.9; {
			width := float64(1 + m.IntN(6))
			c.rect(black, x, h*0.2, width, h*0.6)
			x += width + float64(1+m.IntN(6))
		}
		return c
	}
	count := 21 + 4*m.IntN(6)
	side := math.Floor(min(w, h) * m.between(0.6, 0.95) / float64(count))
	left, top := math.Floor((w-side*float64(count))/2), math.Floor((h-side*float64(count))/2)
	for i := range count * count {
		if m.IntN(2) == 0 {
			c.rect(black, left+float64(i%count)*side, top+float64(i/count)*side, side, side)
		}
	}
	for _, corner := range []point{{0, 0}, {float64(count - 7), 0}, {0, float64(count - 7)}} {
		x, y := left+corner.x*side, top+corner.y*side
		c.rect(black, x, y, 7*side, 7*side)
		c.rect(white, x+side, y+side, 5*side, 5*side)
		c.rect(black, x+2*side, y+2*side, 3*side, 3*side)
	}
	return c
}
