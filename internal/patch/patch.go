// Package patch applies optional changes to fields.
package patch

// Set sets a field to a value, unless the value is nil.
func Set[T any](field, value *T) {
	if value != nil {
		*field = *value
	}
}
