// Package patch applies optional changes to fields.
package patch

// Set sets *field to *value unless value is nil.
func Set[T any](field, value *T) {
	if value != nil {
		*field = *value
	}
}
