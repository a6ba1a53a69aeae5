// Package webtest tests the web app as people meet it: in a real browser, on the
// demonstration, which is loaded once for all tests. It holds tests only, one file
// for each thing that people come to do; how a browser is driven is in browsertest.
//
// A test may add to the demonstration what it needs, under names of its own, and
// must not change what is there: other tests run at the same time.
package webtest
