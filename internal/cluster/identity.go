package cluster

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"earshot/internal/operate/disk"
)

// identityFile is the name of the file in the data directory that contains the identity.
const identityFile = "node.json"

// An Identity distinguishes a node from all others. The ID stays the same for as long as the data
// directory exists; the name is the setting node_name.
type Identity struct {
	ID   string
	Name string
}

// LoadIdentity returns the identity of the node with a data directory, and creates it at the first
// start. If the name has changed, it saves the new one.
func LoadIdentity(dir, name string) (id Identity, err error) {
	path := filepath.Join(dir, identityFile)
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		id.ID = rand.Text()
	case err != nil:
		return id, fmt.Errorf("read the identity of this node: %w", err)
	default:
		if err := json.Unmarshal(text, &id); err != nil || id.ID == "" {
			return id, fmt.Errorf("%s is damaged. If you remove it, this node gets a new identity; then remove the old one with \"earshot cluster remove\"", path)
		}
	}
	if id.Name == name && text != nil {
		return id, nil
	}
	id.Name = name
	if text, err = json.Marshal(id); err != nil {
		return id, err
	}
	if err := disk.Replace(path, append(text, '\n')); err != nil {
		return id, fmt.Errorf("save the identity of this node: %w", err)
	}
	return id, nil
}
