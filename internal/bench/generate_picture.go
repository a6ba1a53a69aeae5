package bench

import "earshot"

// postsPerPicture is the number of posts per picture on a [Server].
const postsPerPicture = 5

const pictureStream = 5 // kind for newRNG

// captions describe what pictures show, most common first, in words that the image model
// recognizes.
var captions = []string{
	"a person with a cup of coffee at a dining table",
	"two dogs playing in the snow",
	"a cat on a sofa",
	"a woman walking her dog in the park",
	"a man riding a bicycle on a beach, wearing a Nike shirt",
	"a laptop and a cup on a desk",
	"a birthday cake with candles",
	"a can of Pepsi on a bench",
	"cars on a street at night",
	"people standing in line at a bus stop",
	"a Starbucks cup in a car",
	"a mountain behind a lake",
	"kids playing frisbee in a park",
	"a plate of pizza in a restaurant",
	"a bridge over a river",
	"a train in a station",
}

// picture adds a picture to p.
func (w *writer) picture(p *earshot.Post, i int) {
	d := newRNG(w.g.Seed, pictureStream, i)
	p.Images = []earshot.Image{{URL: p.URL + "/picture.jpg", Alt: captions[d.skewed(len(captions))]}}
}
