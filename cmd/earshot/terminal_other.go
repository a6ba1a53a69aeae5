//go:build !(linux || darwin || freebsd || netbsd || openbsd)

package main

import "errors"

// Elsewhere nothing counts as a terminal: output is plain lines, and a password
// is read as it comes.
func isTerminal(int) bool { return false }

func hideInput(int) (show func(), err error) { return nil, errors.ErrUnsupported }
