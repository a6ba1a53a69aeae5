package demo

import (
	"math/rand/v2"

	"earshot"
)

// imageObjects are the objects that images show.
var imageObjects = []earshot.ImageObject{
	{ClassID: 42, ClassName: "cup"},
	{ClassID: 61, ClassName: "dining table"},
	{ClassID: 1, ClassName: "person"},
	{ClassID: 1203, ClassName: "kitchen"},
	{ClassID: 1099, ClassName: "coffee shop"},
	{ClassID: 59, ClassName: "potted plant"},
	{ClassID: 64, ClassName: "laptop"},
	{ClassID: 74, ClassName: "book"},
	{ClassID: 45, ClassName: "spoon"},
	{ClassID: 17, ClassName: "dog"},
	{ClassID: 16, ClassName: "cat"},
}

var logoSizes = []string{"tiny", "small", "medium", "large"}

// newImage returns an image. Most images show objects that a recognizer has named, and some images
// about a brand show its logo.
func newImage(r *rand.Rand, m *theme, code string) earshot.Image {
	img := earshot.Image{URL: pictureSite + code + ".jpg"}
	if r.Float64() < 0.7 {
		first := r.IntN(len(imageObjects))
		for i := range 1 + r.IntN(3) {
			o := imageObjects[(first+i*3)%len(imageObjects)]
			o.Score = score(r)
			img.Objects = append(img.Objects, o)
		}
	}
	if m.image != "" && r.Float64() < 0.35 {
		img.Brands = []earshot.ImageBrand{{ID: m.image, Name: m.brand, Size: pick(r, logoSizes), Score: score(r)}}
		img.Alt = m.brand + " " + m.model
	}
	return img
}

// score returns the confidence of the recognizer, with two decimals.
func score(r *rand.Rand) float64 { return float64(55+r.IntN(45)) / 100 }
