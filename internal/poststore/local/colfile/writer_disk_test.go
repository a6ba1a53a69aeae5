package colfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A failingDisk fails at its nth operation and works before and after it.
type failingDisk struct {
	osDisk
	failAt int
	count  int
	failed string // name of the failed operation
}

func (d *failingDisk) step(operation string) error {
	if d.count++; d.count-1 == d.failAt {
		d.failed = operation
		return syscall.ENOSPC
	}
	return nil
}

func (d *failingDisk) exists(path string) (bool, error) {
	if err := d.step("exists"); err != nil {
		return false, err
	}
	return d.osDisk.exists(path)
}

func (d *failingDisk) create(path string) (diskFile, error) {
	if err := d.step("create"); err != nil {
		return nil, err
	}
	f, err := d.osDisk.create(path)
	return &failingFile{f, d}, err
}

func (d *failingDisk) rename(from, to string) error {
	if err := d.step("rename"); err != nil {
		return err
	}
	return d.osDisk.rename(from, to)
}

func (d *failingDisk) syncDir(path string) error {
	if err := d.step("sync directory"); err != nil {
		return err
	}
	return d.osDisk.syncDir(path)
}

type failingFile struct {
	diskFile
	disk *failingDisk
}

func (f *failingFile) Write(p []byte) (int, error) {
	if err := f.disk.step("write"); err != nil {
		n, _ := f.diskFile.Write(p[:len(p)/2])
		return n, err
	}
	return f.diskFile.Write(p)
}

func (f *failingFile) Sync() error {
	if err := f.disk.step("sync"); err != nil {
		return err
	}
	return f.diskFile.Sync()
}

func (f *failingFile) Close() error {
	f.diskFile.Close()
	return f.disk.step("close")
}

func TestDiskErrors(t *testing.T) {
	seen := map[string]bool{}
	for failAt := 0; ; failAt++ {
		disk := &failingDisk{failAt: failAt}
		path := filepath.Join(t.TempDir(), "a.seg")
		err := writeSample(disk, path)
		if disk.failed == "" {
			if err != nil {
				t.Fatal(err)
			}
			reopen(t, path)
			break
		}
		seen[disk.failed] = true
		if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s fails: got %v, want %v with the path", disk.failed, err, syscall.ENOSPC)
		}
		checkDirectory(t, path)
	}
	for _, operation := range []string{"exists", "create", "write", "sync", "close", "rename", "sync directory"} {
		if !seen[operation] {
			t.Errorf("%s never failed", operation)
		}
	}
}

// writeSample writes the sample file and checks all errors.
func writeSample(disk disk, path string) error {
	w, err := create(disk, path, sampleOptions())
	if err != nil {
		return err
	}
	defer w.Abort()
	if err := fillSample(w); err != nil {
		return err
	}
	return w.Close()
}

// A full disk is detected while a large section is being written, not only at its end.
func TestDiskFull(t *testing.T) {
	const rows = 10_000_000
	disk := &failingDisk{failAt: 2} // the first write
	w, err := create(disk, filepath.Join(t.TempDir(), "a.seg"), Options{Rows: rows})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	passes, yielded := 0, 0
	err = w.Uints("n", func(yield func(uint64) bool) {
		passes++
		for yielded = 0; yielded < rows && yield(uint64(yielded)); yielded++ {
		}
	})
	if !errors.Is(err, syscall.ENOSPC) || passes != 2 || yielded > rows/2 {
		t.Errorf("got %v after %d numbers in pass %d", err, yielded, passes)
	}
}

func TestMissingDirectory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "missing", "a.seg")
	if _, err := Create(path, Options{}); !errors.Is(err, os.ErrNotExist) || !strings.Contains(fmt.Sprint(err), path) {
		t.Errorf("got %v", err)
	}
}
