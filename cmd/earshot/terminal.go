package main

import "os"

// terminal returns the file descriptor of a stream if it is a terminal.
func terminal(stream any) (fd int, ok bool) {
	f, isFile := stream.(*os.File)
	if !isFile || !isTerminal(int(f.Fd())) {
		return 0, false
	}
	return int(f.Fd()), true
}
