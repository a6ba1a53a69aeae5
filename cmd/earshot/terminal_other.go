//go:build !(linux || darwin || freebsd || netbsd || openbsd)

package main

import "errors"

// On other systems nothing is treated as a terminal: output is plain lines, and passwords are read
// without a prompt.
func isTerminal(int) bool { return false }

func hideInput(int) (show func(), err error) { return nil, errors.ErrUnsupported }
