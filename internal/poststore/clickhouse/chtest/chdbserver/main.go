//go:build cgo && linux

// Chdbserver serves the ClickHouse engine of the chDB library over HTTP, like a ClickHouse server, so
// that tests run on the real engine without installing a server. See package chtest, which builds and
// runs it.
//
// It prints its URL when it is ready, and ends when its standard input ends, so it never outlives the
// test that started it.
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
)

func main() {
	library := flag.String("library", "", "path of libchdb.so")
	dir := flag.String("data", "", "directory of the data")
	address := flag.String("listen", "127.0.0.1:0", "address of the server")
	remove := flag.Bool("remove", false, "remove the directory at the end")
	flag.Parse()
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // ends when the parent ends, in whatever way
		if *remove {
			_ = os.RemoveAll(*dir)
		}
		os.Exit(0) // without closing the engine: tests of crashes expect the same of it
	}()
	if err := load(*library); err != nil {
		log.Fatal(err)
	}
	first, err := connect(*dir)
	if err != nil {
		log.Fatal(err)
	}
	l, err := net.Listen("tcp", *address)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("http://%s\n", l.Addr())
	log.Fatal(http.Serve(l, &server{dir: *dir, idle: []*connection{first}}))
}
