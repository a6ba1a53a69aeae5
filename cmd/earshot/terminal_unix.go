//go:build linux || darwin || freebsd || netbsd || openbsd

package main

import "golang.org/x/sys/unix"

func isTerminal(fd int) bool {
	_, err := unix.IoctlGetTermios(fd, getTermios)
	return err == nil
}

// hideInput stops the terminal from showing what is typed, until show is called.
func hideInput(fd int) (show func(), err error) {
	before, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return nil, err
	}
	hidden := *before
	hidden.Lflag &^= unix.ECHO
	if err := unix.IoctlSetTermios(fd, setTermios, &hidden); err != nil {
		return nil, err
	}
	// Nothing can be done about a terminal that goes away meanwhile.
	return func() { _ = unix.IoctlSetTermios(fd, setTermios, before) }, nil
}
