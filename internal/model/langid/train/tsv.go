package train

import "earshot/internal/model/dataset"

// readRows calls f with the fields of each row of a gzipped, tab-separated file, except for the
// header. It fails if a row does not have as many fields as the header.
func readRows(name string, f func(row []string)) error {
	n := 0
	for row, err := range dataset.Fields(name) {
		if err != nil {
			return err
		}
		if n++; n > 1 {
			f(row)
		}
	}
	return nil
}
