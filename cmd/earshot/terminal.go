package main

import "os"

// terminal returns the descriptor of a stream that is a terminal.
func terminal(stream any) (fd int, ok bool) {
	f, isFile := stream.(*os.File)
	if !isFile || !isTerminal(int(f.Fd())) {
		return 0, false
	}
	return int(f.Fd()), true
}
