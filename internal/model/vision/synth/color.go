package synth

import (
	"image/color"
	"math"
)

var (
	white = color.RGBA{255, 255, 255, 255}
	black = color.RGBA{20, 20, 24, 255}
	gray  = color.RGBA{190, 194, 200, 255}
)

// color returns any color.
func (m *maker) color() color.RGBA {
	return color.RGBA{uint8(m.IntN(256)), uint8(m.IntN(256)), uint8(m.IntN(256)), 255}
}

// background returns a color as pages have it: mostly white, sometimes dark or colored.
func (m *maker) background() color.RGBA {
	switch m.IntN(10) {
	case 0, 1, 2, 3, 4:
		return white
	case 5, 6:
		return mix(white, m.color(), 0.12)
	case 7, 8:
		return mix(black, m.color(), 0.15)
	}
	return m.color()
}

// ink returns a color that can be read on a background.
func (m *maker) ink(background color.RGBA) color.RGBA {
	c := black
	if brightness(background) < 128 {
		c = white
	}
	return mix(c, m.color(), m.between(0, 0.3))
}

func brightness(c color.RGBA) float64 {
	return 0.299*float64(c.R) + 0.587*float64(c.G) + 0.114*float64(c.B)
}

// mix returns a color between two, by the share of the second one.
func mix(a, b color.RGBA, share float64) color.RGBA {
	f := func(x, y uint8) uint8 {
		return uint8(math.Round(min(max(float64(x)+(float64(y)-float64(x))*share, 0), 255)))
	}
	return color.RGBA{f(a.R, b.R), f(a.G, b.G), f(a.B, b.B), 255}
}
