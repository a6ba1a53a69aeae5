package synth

import (
	"image/color"
	"math"
)

// shapes are overlapping ellipses, rectangles and triangles.
func shapes(m *maker) *canvas {
	c := m.canvas()
	w, h := c.size()
	c.fill(m.background())
	for range 3 + m.IntN(30) {
		x, y, rx, ry := m.between(0, w), m.between(0, h), m.between(5, w/4), m.between(5, h/4)
		switch fill := m.color(); m.IntN(3) {
		case 0:
			c.ellipse(fill, x, y, rx, ry)
		case 1:
			c.rect(fill, x-rx, y-ry, 2*rx, 2*ry)
		default:
			c.polygon(fill, point{x, y - ry}, point{x + rx, y + ry}, point{x - rx, y + ry*m.between(0, 1)})
		}
	}
	return c
}

// landscape is a flat drawing of hills, trees and houses under a sun.
func landscape(m *maker) *canvas {
	c := m.canvas()
	w, h := c.size()
	sky := mix(color.RGBA{130, 190, 240, 255}, m.color(), m.between(0, 0.5))
	c.fill(sky)
	c.ellipse(mix(color.RGBA{250, 210, 80, 255}, m.color(), m.between(0, 0.3)), w*m.between(0.1, 0.9), h*0.2, h*0.1, h*0.1)
	for i := range 2 + m.IntN(3) {
		base, phase := h*(0.45+0.15*float64(i)), m.between(0, 6)
		hill := []point{{w, h}, {0, h}}
		for x := 0.0; x <= w; x += 4 {
			hill = append(hill, point{x, base + h*0.08*math.Sin(x/w*m.between(5, 6)+phase)})
		}
		c.polygon(mix(color.RGBA{90, 160, 80, 255}, m.color(), m.between(0, 0.5)), hill...)
	}
	for range m.IntN(6) {
		x, y := m.between(0, w), h*m.between(0.6, 0.9)
		if m.IntN(2) == 0 {
			c.rect(color.RGBA{120, 80, 40, 255}, x-4, y-20, 8, 30)
			c.ellipse(color.RGBA{40, 120, 50, 255}, x, y-40, 24, 30)
			continue
		}
		c.rect(m.color(), x-30, y-30, 60, 45)
		c.polygon(m.color(), point{x - 36, y - 30}, point{x, y - 62}, point{x + 36, y - 30})
		c.rect(m.color(), x-8, y-10, 16, 25)
	}
	return c
}

// face is a cartoon of a face or an emoji.
func face(m *maker) *canvas {
	c := m.canvas()
	w, h := c.size()
	c.fill(m.background())
	x, y, r := w/2, h/2, min(w, h)*m.between(0.25, 0.42)
	skin := mix(color.RGBA{250, 205, 60, 255}, m.color(), m.between(0, 1))
	if m.IntN(2) == 0 { // ears
		c.ellipse(skin, x-r*0.8, y-r*0.75, r*0.3, r*0.35)
		c.ellipse(skin, x+r*0.8, y-r*0.75, r*0.3, r*0.35)
	}
	c.ellipse(skin, x, y, r*m.between(0.85, 1.1), r)
	for _, side := range []float64{-1, 1} {
		ex, ey := x+side*r*0.35, y-r*0.2
		c.ellipse(white, ex, ey, r*0.2, r*0.24)
		c.ellipse(black, ex+r*0.03, ey, r*0.1, r*0.12)
	}
	if m.IntN(2) == 0 {
		c.ellipse(m.color(), x, y+r*0.15, r*0.1, r*0.08)
	}
	c.line(black, r*0.07, arc(x, y+r*0.25, r*0.45, r*m.between(-0.3, 0.35), 10, 170)...)
	return c
}

// logo is a simple mark with a word.
func logo(m *maker) *canvas {
	c := m.canvas()
	w, h := c.size()
	back := m.background()
	c.fill(back)
	mark, x, y, r := m.color(), w/2, h*0.42, min(w, h)*m.between(0.15, 0.28)
	switch m.IntN(4) {
	case 0:
		c.ellipse(mark, x, y, r, r)
		c.ellipse(back, x+r*0.2, y, r*0.6, r*0.6)
	case 1:
		c.rounded(mark, x-r, y-r, 2*r, 2*r, r*0.3)
		c.pen(bold, r*1.6, white).center(x, y+r*0.6, string(rune('A'+m.IntN(26))))
	case 2:
		var star []point
		for i := range 10 {
			star = append(star, arc(x, y, r*(1-0.55*float64(i%2)), r*(1-0.55*float64(i%2)), float64(36*i-90), 0)[0])
		}
		c.polygon(mark, star...)
	default:
		c.polygon(mark, point{x - r, y + r}, point{x, y - r}, point{x + r, y + r})
		c.polygon(m.color(), point{x - r*0.4, y + r}, point{x + r*0.3, y - r*0.1}, point{x + r, y + r})
	}
	c.pen(choose(m, regular, bold), h*m.between(0.08, 0.14), m.ink(back)).center(w/2, h*0.85, m.words(5))
	return c
}

// lineDrawing is strokes of a pen.
func lineDrawing(m *maker) *canvas {
	c := m.canvas()
	w, h := c.size()
	back := m.background()
	c.fill(back)
	ink, width := m.ink(back), m.between(1, 5)
	for range 4 + m.IntN(20) {
		x, y := m.between(0, w), m.between(0, h)
		angle, bend := m.between(0, 6), m.between(-0.3, 0.3)
		stroke := []point{{x, y}}
		for range 5 + m.IntN(40) {
			x, y = x+10*math.Cos(angle), y+10*math.Sin(angle)
			angle += bend + m.between(-0.2, 0.2)
			stroke = append(stroke, point{x, y})
		}
		c.line(ink, width, stroke...)
	}
	return c
}

// shaded is a drawing with soft light: spheres and boxes on a gradient, like a rendered icon.
func shaded(m *maker) *canvas {
	c := gradient(m)
	w, h := c.size()
	for range 1 + m.IntN(6) {
		x, y, r := m.between(0.15, 0.85)*w, m.between(0.2, 0.8)*h, m.between(20, h/3)
		fill, isBox := m.color(), m.IntN(3) == 0
		for py := max(0, int(y-r)); py < min(int(h), int(y+r)); py++ {
			for px := max(0, int(x-r)); px < min(int(w), int(x+r)); px++ {
				dx, dy := (float64(px)-x)/r, (float64(py)-y)/r
				switch d := math.Hypot(dx+0.35, dy+0.35); {
				case isBox:
					c.SetRGBA(px, py, mix(mix(fill, white, 0.3), mix(fill, black, 0.5), (dy+1)/2))
				case dx*dx+dy*dy < 1:
					c.SetRGBA(px, py, mix(mix(white, fill, min(d*1.6, 1)), black, max(d-0.6, 0)*0.7))
				}
			}
		}
	}
	return c
}
