package earshot

// A Place is a country, a state within a country, or a city within a state. The zero Place means no
// place. Country is the ISO 3166 alpha-3 code. State is the two-letter code in the USA and Canada
// and the name elsewhere. City is the name.
type Place struct{ Country, State, City string }

// ID returns the geography ID of the place: USA, USA.CA or USA.CA.San Diego. Stores use it as a key.
// Programs see the ID of geo.Plain, which has no dots in names.
func (p Place) ID() string {
	switch {
	case p.City != "":
		return p.Country + "." + p.State + "." + p.City
	case p.State != "":
		return p.Country + "." + p.State
	}
	return p.Country
}

// Contains reports whether q is p or a place inside it.
func (p Place) Contains(q Place) bool {
	return p.Country == q.Country && (p.State == "" || p.State == q.State) && (p.City == "" || p.City == q.City)
}

// IsZero reports whether p is the zero Place.
func (p Place) IsZero() bool { return p == Place{} }

// A Point is a position on the globe, in degrees.
type Point struct{ Latitude, Longitude float64 }
