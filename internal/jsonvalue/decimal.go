package jsonvalue

// Decimal1 and Decimal4 are numbers that JSON shows with up to one or four decimal places.
type (
	Decimal1 float64
	Decimal4 float64
)

// MarshalJSON implements [encoding/json.Marshaler].
func (d Decimal1) MarshalJSON() ([]byte, error) { return AppendNumber(nil, Round1(float64(d))), nil }

// MarshalJSON implements [encoding/json.Marshaler].
func (d Decimal4) MarshalJSON() ([]byte, error) { return AppendNumber(nil, Round4(float64(d))), nil }
