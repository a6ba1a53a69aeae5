package colfile

// Build writes a file that is only in memory, and opens it. write adds the sections. The
// name stands in errors in place of a path.
func Build(name string, opts Options, write func(w *Writer) error) (*File, error) {
	m := new(memory)
	w, err := create(m, name, opts)
	if err != nil {
		return nil, err
	}
	defer w.Abort()
	if err := write(w); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return newFile(name, m.data, func() error { return nil })
}

// memory is a disk with one file, which is in memory.
type memory struct{ data []byte }

func (m *memory) exists(string) (bool, error)     { return false, nil }
func (m *memory) create(string) (diskFile, error) { return m, nil }
func (m *memory) rename(string, string) error     { return nil }
func (m *memory) remove(string) error             { return nil }
func (m *memory) syncDir(string) error            { return nil }

func (m *memory) Write(p []byte) (int, error) {
	m.data = append(m.data, p...)
	return len(p), nil
}

func (m *memory) Sync() error  { return nil }
func (m *memory) Close() error { return nil }
