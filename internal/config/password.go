package config

import (
	"fmt"
	"io"
	"os"
	"strings"
)

// ReadPassword returns the password in a file that a setting names, or the given one if it names none.
func ReadPassword(setting, file, given string) (string, error) {
	if file == "" {
		return given, nil
	}
	f, err := os.Open(file)
	if err != nil {
		return "", fmt.Errorf("%s: %w", setting, err)
	}
	defer f.Close()
	const limit = 4096
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("%s: %w", setting, err)
	case len(data) > limit:
		return "", fmt.Errorf("%s: %s is longer than %d bytes", setting, file, limit)
	}
	return strings.TrimRight(string(data), "\r\n"), nil
}
