package colfile

// Build writes a file that is only in memory, and opens it. write adds the sections. The
// name stands in errors in place of a path.
func Build(name string, opts Options, write func(w *Writer) error) (*File, error) {
	m := new(memoryDisk)
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

// memoryDisk is a disk with one file, which is in memory.
type memoryDisk struct{ data []byte }

func (m *memoryDisk) exists(string) (bool, error)     { return false, nil }
func (m *memoryDisk) create(string) (diskFile, error) { return m, nil }
func (m *memoryDisk) rename(string, string) error     { return nil }
func (m *memoryDisk) remove(string) error             { return nil }
func (m *memoryDisk) syncDir(string) error            { return nil }

func (m *memoryDisk) Write(p []byte) (int, error) {
	m.data = append(m.data, p...)
	return len(p), nil
}

func (m *memoryDisk) Sync() error  { return nil }
func (m *memoryDisk) Close() error { return nil }
