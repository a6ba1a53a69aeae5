//go:build !(linux || darwin || freebsd)

package disk

import "errors"

func free(string) (int64, error) { return 0, errors.ErrUnsupported }
