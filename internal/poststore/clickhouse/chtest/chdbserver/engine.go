//go:build cgo && linux

package main

/*
#cgo LDFLAGS: -ldl
#include <dlfcn.h>
#include <stdlib.h>

// What the library exports. A connection and a result are opaque pointers.
static void **(*connect_fn)(int, char **);
static void (*close_fn)(void **);
static void *(*query_fn)(void *, const char *, size_t, const char *, size_t,
	const char *const *, const size_t *, const char *const *, const size_t *, size_t);
static void *(*stream_fn)(void *, const char *, size_t, const char *, size_t,
	const char *const *, const size_t *, const char *const *, const size_t *, size_t);
static void *(*fetch_fn)(void *, void *);
static void (*cancel_fn)(void *, void *);
static void *(*insert_fn)(void *, const char *, size_t, const char *, size_t);
static int (*append_fn)(void *, const void *, size_t);
static void *(*done_fn)(void *);
static const char *(*insert_error_fn)(void *);
static void (*destroy_insert_fn)(void *);
static void (*destroy_fn)(void *);
static char *(*buffer_fn)(void *);
static size_t (*length_fn)(void *);
static const char *(*error_fn)(void *);
static void (*signals_fn)(int);

// load_library returns what is missing, or NULL.
static const char *load_library(const char *path) {
	void *h = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!h) return dlerror();
	struct { void **at; const char *name; } symbols[] = {
		{(void **)&connect_fn, "chdb_connect"},
		{(void **)&close_fn, "chdb_close_conn"},
		{(void **)&query_fn, "chdb_query_with_params_n"},
		{(void **)&stream_fn, "chdb_stream_query_with_params_n"},
		{(void **)&fetch_fn, "chdb_stream_fetch_result"},
		{(void **)&cancel_fn, "chdb_stream_cancel_query"},
		{(void **)&insert_fn, "chdb_stream_insert_n"},
		{(void **)&append_fn, "chdb_stream_append"},
		{(void **)&done_fn, "chdb_stream_done"},
		{(void **)&insert_error_fn, "chdb_stream_insert_error"},
		{(void **)&destroy_insert_fn, "chdb_destroy_insert_stream"},
		{(void **)&destroy_fn, "chdb_destroy_query_result"},
		{(void **)&buffer_fn, "chdb_result_buffer"},
		{(void **)&length_fn, "chdb_result_length"},
		{(void **)&error_fn, "chdb_result_error"},
		{(void **)&signals_fn, "chdb_set_signal_handlers_enabled"},
	};
	for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
		*symbols[i].at = dlsym(h, symbols[i].name);
		if (!*symbols[i].at) return symbols[i].name;
	}
	signals_fn(0); // the handlers of the Go runtime stay
	return NULL;
}

static void **connect_to(char *path) {
	char *args[] = {"clickhouse", path};
	return connect_fn(2, args);
}
static void *run_query(int stream, void **c, const char *q, size_t qn, size_t n,
	char **names, size_t *name_lens, char **values, size_t *value_lens) {
	return (stream ? stream_fn : query_fn)(*c, q, qn, "TabSeparated", 12, (const char *const *)names, name_lens,
		(const char *const *)values, value_lens, n);
}
static void *fetch_next(void **c, void *r) { return fetch_fn(*c, r); }
static void cancel_stream(void **c, void *r) { cancel_fn(*c, r); }
static void *start_insert(void **c, const char *q, size_t qn, const char *f, size_t fn) { return insert_fn(*c, q, qn, f, fn); }
static int append_rows(void *s, const void *b, size_t n) { return append_fn(s, b, n); }
static void *finish_insert(void *s) { return done_fn(s); }
static const char *insert_error(void *s) { return insert_error_fn(s); }
static void destroy_insert(void *s) { destroy_insert_fn(s); }
static void destroy_result(void *r) { destroy_fn(r); }
static char *result_buffer(void *r) { return buffer_fn(r); }
static size_t result_length(void *r) { return length_fn(r); }
static const char *result_error(void *r) { return error_fn(r); }
*/
import "C"

import (
	"errors"
	"fmt"
	"unsafe"
)

// A connection runs one statement at a time.
type connection struct {
	c        *unsafe.Pointer
	database string // the current one
}

// load loads the library.
func load(path string) error {
	p := C.CString(path)
	defer C.free(unsafe.Pointer(p))
	if missing := C.load_library(p); missing != nil {
		return fmt.Errorf("load %s: %s", path, C.GoString(missing))
	}
	return nil
}

// connect opens a connection to the data in a directory. All connections of a process must have the
// same directory.
func connect(dir string) (*connection, error) {
	path := C.CString("--path=" + dir)
	defer C.free(unsafe.Pointer(path))
	c := C.connect_to(path)
	if c == nil {
		return nil, errors.New("the engine refuses to open " + dir)
	}
	return &connection{c: c, database: "default"}, nil
}

// query runs a statement and passes its output to write in one piece. The piece is valid only until
// write returns.
func (c *connection) query(sql []byte, params map[string]string, write func([]byte) error) error {
	r := c.start(0, sql, params)
	if r == nil {
		return errors.New("the engine returned nothing")
	}
	defer C.destroy_result(r)
	if err := resultError(r); err != nil {
		return err
	}
	return write(resultBytes(r))
}

// stream runs a SELECT statement and passes its output to write in pieces as it is computed. A piece
// is valid only until write returns. An error of write cancels the statement.
func (c *connection) stream(sql []byte, params map[string]string, write func([]byte) error) error {
	r := c.start(1, sql, params)
	if r == nil {
		return errors.New("the engine returned nothing")
	}
	defer C.destroy_result(r)
	if err := resultError(r); err != nil {
		return err
	}
	for {
		done, err := c.next(r, write)
		if done {
			return err
		}
		if err != nil {
			C.cancel_stream(c.c, r)
			c.release()
			return err
		}
	}
}

// release makes the connection forget a canceled statement, whose tables could not be dropped until
// the next one.
func (c *connection) release() {
	_ = c.query([]byte("SELECT 1"), nil, func([]byte) error { return nil })
}

// next writes the next piece of a stream. It reports whether the stream has ended, which an error of
// write does not.
func (c *connection) next(r unsafe.Pointer, write func([]byte) error) (done bool, err error) {
	piece := C.fetch_next(c.c, r)
	if piece == nil {
		return true, nil
	}
	defer C.destroy_result(piece)
	if err := resultError(piece); err != nil {
		return true, err
	}
	b := resultBytes(piece)
	if len(b) == 0 {
		return true, nil
	}
	return false, write(b)
}

// insert inserts rows in a format. The statement has no FORMAT clause.
func (c *connection) insert(sql []byte, format string, rows []byte) error {
	q, f, data := C.CBytes(sql), C.CString(format), C.CBytes(rows)
	defer C.free(q)
	defer C.free(unsafe.Pointer(f))
	defer C.free(data)
	s := C.start_insert(c.c, (*C.char)(q), C.size_t(len(sql)), f, C.size_t(len(format)))
	if s == nil {
		return errors.New("the engine returned nothing")
	}
	defer C.destroy_insert(s)
	if e := C.insert_error(s); e != nil && *e != 0 {
		return errors.New(C.GoString(e))
	}
	if C.append_rows(s, data, C.size_t(len(rows))) != 0 {
		if e := C.insert_error(s); e != nil && *e != 0 {
			return errors.New(C.GoString(e))
		}
	}
	r := C.finish_insert(s)
	if r == nil {
		return errors.New("the engine returned nothing")
	}
	defer C.destroy_result(r)
	return resultError(r)
}

func (c *connection) start(stream C.int, sql []byte, params map[string]string) unsafe.Pointer {
	q := C.CBytes(sql)
	defer C.free(q)
	var names, values cStrings
	for name, value := range params {
		names.add(name)
		values.add(value)
	}
	defer names.free()
	defer values.free()
	n, nl, v, vl := names.array(), names.lengths(), values.array(), values.lengths()
	defer C.free(unsafe.Pointer(n))
	defer C.free(unsafe.Pointer(nl))
	defer C.free(unsafe.Pointer(v))
	defer C.free(unsafe.Pointer(vl))
	return C.run_query(stream, c.c, (*C.char)(q), C.size_t(len(sql)), C.size_t(len(params)), n, nl, v, vl)
}

// cStrings are strings in C's memory.
type cStrings struct {
	at   []*C.char
	lens []C.size_t
}

func (s *cStrings) add(v string) {
	s.at = append(s.at, C.CString(v))
	s.lens = append(s.lens, C.size_t(len(v)))
}

func (s *cStrings) free() {
	for _, p := range s.at {
		C.free(unsafe.Pointer(p))
	}
}

// array returns the addresses as an array in C's memory, which the caller frees.
func (s *cStrings) array() **C.char {
	p := C.malloc(C.size_t(len(s.at)+1) * C.size_t(unsafe.Sizeof((*C.char)(nil))))
	copy(unsafe.Slice((**C.char)(p), len(s.at)), s.at)
	return (**C.char)(p)
}

// lengths returns the lengths as an array in C's memory, which the caller frees.
func (s *cStrings) lengths() *C.size_t {
	p := C.malloc(C.size_t(len(s.lens)+1) * C.size_t(unsafe.Sizeof(C.size_t(0))))
	copy(unsafe.Slice((*C.size_t)(p), len(s.lens)), s.lens)
	return (*C.size_t)(p)
}

func resultError(r unsafe.Pointer) error {
	if e := C.result_error(r); e != nil && *e != 0 {
		return errors.New(C.GoString(e))
	}
	return nil
}

// resultBytes returns the bytes of a result in C's memory.
func resultBytes(r unsafe.Pointer) []byte {
	n := C.result_length(r)
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(C.result_buffer(r))), int(n))
}
