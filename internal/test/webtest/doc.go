// Package webtest tests the web app in a real browser against the demo, which is loaded once for
// all tests. It contains only tests, one file per task of a user. Package browsertest drives the
// browser.
//
// A test may add records to the demo under unique names. It must not change existing ones, because
// other tests run at the same time.
package webtest
