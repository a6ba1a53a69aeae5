package operate

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"earshot/internal/operate/backup"
	"earshot/internal/operate/disk"
)

// RepairMarker is the name of a file that marks a data directory during a repair.
const RepairMarker = "repair-unfinished"

const repairMarkerText = "This directory is being repaired. The service does not start as long as this file exists.\n"

// CheckFinished returns an error if a data directory contains an unfinished restore or repair.
func CheckFinished(data string) error {
	if err := backup.Check(data); err != nil {
		return err
	}
	return checkRepaired(data)
}

// checkRepaired returns an error if a data directory contains an unfinished repair.
func checkRepaired(data string) error {
	switch _, err := os.Lstat(filepath.Join(data, RepairMarker)); {
	case err == nil:
		return fmt.Errorf("a repair of %s has not finished. Please run 'earshot repair' again", data)
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR): // creating the directory will report the problem
		return nil
	default:
		return err
	}
}

// markRepair marks the data directory. It reports whether an interrupted repair had already done
// so.
func markRepair(data string) (interrupted bool, err error) {
	f, err := os.OpenFile(filepath.Join(data, RepairMarker), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	_, err = f.WriteString(repairMarkerText)
	return false, errors.Join(err, f.Sync(), f.Close(), disk.Sync(data))
}

// unmarkRepair makes the data directory usable again.
func unmarkRepair(data string) error {
	if err := os.Remove(filepath.Join(data, RepairMarker)); err != nil {
		return err
	}
	return disk.Sync(data)
}
