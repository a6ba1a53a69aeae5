package demo

import (
	"image"
	"image/color"
	"math"
)

// Colors of the drawings.
var (
	white  = color.RGBA{255, 255, 255, 255}
	black  = color.RGBA{24, 24, 28, 255}
	gray   = color.RGBA{150, 152, 158, 255}
	cream  = color.RGBA{246, 238, 224, 255}
	brown  = color.RGBA{94, 58, 36, 255}
	red    = color.RGBA{196, 30, 36, 255}
	navy   = color.RGBA{28, 44, 84, 255}
	teal   = color.RGBA{20, 110, 108, 255}
	orange = color.RGBA{236, 132, 44, 255}
	sky    = color.RGBA{120, 176, 226, 255}
)

// drawClock draws a wall clock at half past seven, when people have their first coffee.
func drawClock() image.Image {
	c := newCanvas(320, 320, color.RGBA{214, 206, 190, 255})
	c.shade(0, 320, color.RGBA{224, 216, 200, 255}, color.RGBA{196, 186, 168, 255})
	c.ellipse(color.RGBA{150, 142, 126, 255}, 166, 170, 122, 122)
	c.ellipse(black, 160, 160, 122, 122)
	c.ellipse(white, 160, 160, 110, 110)
	hand := func(width, length, degrees float64) {
		angle := (degrees - 90) * math.Pi / 180
		c.line(black, width, point{160, 160}, point{160 + length*math.Cos(angle), 160 + length*math.Sin(angle)})
	}
	for hour := range 12 {
		angle := float64(hour*30-60) * math.Pi / 180
		c.text(black, 22, 160+88*math.Cos(angle), 168+88*math.Sin(angle), [...]string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"}[hour])
	}
	hand(9, 54, 225)
	hand(6, 76, 180)
	c.ellipse(red, 160, 160, 7, 7)
	return c
}

// drawStopSign draws the sign that people hold up when they are angry about a brand.
func drawStopSign() image.Image {
	c := newCanvas(320, 320, sky)
	c.shade(0, 320, sky, color.RGBA{206, 226, 240, 255})
	c.rect(gray, 152, 200, 16, 120)
	octagon := func(fill color.Color, radius float64) {
		var corners []point
		for i := range 8 {
			angle := (22.5 + 45*float64(i)) * math.Pi / 180
			corners = append(corners, point{160 + radius*math.Cos(angle), 140 + radius*math.Sin(angle)})
		}
		c.polygon(fill, corners...)
	}
	octagon(white, 116)
	octagon(red, 108)
	c.text(white, 72, 160, 166, "STOP")
	return c
}

// drawPhone draws a phone whose app asks for money.
func drawPhone() image.Image {
	c := newCanvas(320, 320, color.RGBA{188, 150, 112, 255})
	c.shade(0, 320, color.RGBA{196, 158, 118, 255}, color.RGBA{158, 120, 84, 255})
	c.rounded(color.RGBA{110, 82, 56, 255}, 98, 22, 140, 288, 22)
	c.rounded(black, 90, 14, 140, 288, 22)
	c.rounded(white, 98, 36, 124, 242, 4)
	c.rect(navy, 98, 36, 124, 40)
	c.text(white, 15, 160, 62, "My machine")
	c.text(black, 14, 160, 104, "Milk programs")
	c.rounded(gray, 138, 124, 44, 36, 6)
	c.ring(gray, 160, 122, 16, 10)
	c.text(black, 12, 160, 188, "4.99 per month")
	c.rounded(orange, 116, 206, 88, 30, 15)
	c.text(white, 14, 160, 226, "Subscribe")
	c.ellipse(gray, 160, 290, 7, 7)
	return c
}

// drawBall draws a soccer ball on grass.
func drawBall() image.Image {
	c := newCanvas(320, 320, color.RGBA{70, 140, 60, 255})
	c.shade(0, 150, sky, color.RGBA{206, 226, 240, 255})
	c.shade(150, 320, color.RGBA{86, 150, 70, 255}, color.RGBA{52, 112, 44, 255})
	c.ellipse(color.RGBA{36, 80, 32, 255}, 112, 262, 96, 18)
	c.ellipse(color.RGBA{120, 120, 124, 255}, 112, 176, 91, 91)
	c.ellipse(color.RGBA{244, 244, 240, 255}, 112, 176, 89, 89)
	c.line(white, 8, point{230, 320}, point{270, 150}) // of the field
	c.rect(white, 250, 60, 6, 90)                      // goal
	c.rect(white, 250, 60, 70, 6)
	pentagon := func(x, y, radius, turn, squeeze float64) {
		var corners []point
		cos, sin := math.Cos(turn), math.Sin(turn)
		for i := range 5 {
			angle := float64(i) * 2 * math.Pi / 5
			px, py := radius*math.Cos(angle)*squeeze, radius*math.Sin(angle)
			corners = append(corners, point{x + px*cos - py*sin, y + px*sin + py*cos})
		}
		c.polygon(black, corners...)
	}
	pentagon(112, 176, 30, -math.Pi/2, 1)
	for i := range 5 {
		angle := -math.Pi/2 + float64(i)*2*math.Pi/5
		pentagon(112+74*math.Cos(angle), 176+74*math.Sin(angle), 25, angle, 0.5)
		c.line(black, 3, point{112 + 28*math.Cos(angle), 176 + 28*math.Sin(angle)}, point{112 + 66*math.Cos(angle), 176 + 66*math.Sin(angle)})
	}
	return c
}

// drawSunset draws the sea in the evening.
func drawSunset() image.Image {
	c := newCanvas(320, 240, navy)
	c.shade(0, 140, color.RGBA{70, 90, 160, 255}, color.RGBA{250, 176, 96, 255})
	c.ellipse(color.RGBA{255, 226, 150, 255}, 160, 132, 30, 30)
	c.shade(140, 200, color.RGBA{206, 138, 96, 255}, color.RGBA{40, 70, 120, 255})
	c.shade(200, 240, color.RGBA{196, 168, 124, 255}, color.RGBA{224, 200, 156, 255})
	for i := range 14 {
		y, x := 146+float64(i)*3.6, 160+float64(i*53%60)-30
		c.line(color.RGBA{250, 206, 140, 255}, 1.6, point{x - 14, y}, point{x + 14, y})
	}
	for i := range 24 {
		x := float64(i) * 14
		c.ellipse(color.RGBA{236, 238, 240, 255}, x, 200+3*math.Sin(x/9), 9, 3)
	}
	return c
}

// drawQuote draws a saying on a plain background.
func drawQuote() image.Image {
	c := newCanvas(320, 320, brown)
	c.rounded(cream, 16, 16, 288, 288, 12)
	c.text(brown, 34, 160, 130, "But first,")
	c.text(brown, 54, 160, 196, "coffee.")
	c.rect(orange, 120, 220, 80, 5)
	return c
}

// drawPoster draws an advertisement with the name of a brand at the top and its machine below.
func drawPoster() image.Image {
	c := newCanvas(320, 320, color.RGBA{120, 40, 50, 255})
	c.machine(88, 96)
	c.text(white, 46, 160, 66, Brand)
	c.text(white, 16, 160, 296, "Made for slow mornings")
	return c
}

// drawSale draws an advertisement with two columns: a machine on the left, the price on the right.
func drawSale() image.Image {
	c := newCanvas(320, 240, navy)
	c.rect(cream, 168, 0, 152, 240)
	c.machine(12, 34)
	c.text(navy, 27, 244, 64, FirstRival)
	c.rect(orange, 186, 120, 116, 60)
	c.text(white, 40, 244, 164, "-20%")
	return c
}

// drawBanner draws an advertisement with a bright stripe across a dark background.
func drawBanner() image.Image {
	c := newCanvas(320, 320, teal)
	c.polygon(cream, point{0, 250}, point{320, 70}, point{320, 190}, point{0, 320})
	c.text(white, 44, 120, 70, SecondRival)
	c.text(white, 18, 92, 104, "Now in white")
	c.ellipse(white, 250, 170, 46, 46)
	c.ellipse(brown, 250, 170, 36, 36)
	return c
}

// machine draws a coffee machine with a cup, 144 pixels wide and 170 high.
func (c canvas) machine(x, y float64) {
	c.rounded(gray, x+8, y, 128, 24, 8)
	c.rounded(black, x+12, y+20, 120, 70, 4)
	c.rounded(gray, x+12, y+84, 34, 70, 2)
	c.rounded(gray, x, y+150, 144, 20, 6)
	c.rect(gray, x+76, y+90, 22, 14)
	c.rounded(white, x+68, y+118, 40, 32, 6)
	c.ring(white, x+110, y+132, 12, 7)
	c.ellipse(orange, x+108, y+54, 7, 7)
	c.ellipse(white, x+84, y+54, 7, 7)
}
