package segment

import "earshot"

// Arrived returns a function that returns the journal position of a row's entry.
func (s *Segment) Arrived() (func(row uint32) earshot.Position, error) {
	column, err := s.Uints(colArrived)
	if err != nil {
		return nil, err
	}
	return func(row uint32) earshot.Position { return earshot.Position(column.At(row)) }, nil
}
