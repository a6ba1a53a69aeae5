package backup

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"earshot"
	"earshot/internal/state/journal"
)

// The files of a backup. Files in directories are numbered, except for posts, which have the names
// of the store.
const (
	secretFile     = "secret.key"
	postsDir       = "posts"
	catalogDir     = "catalog"
	journalDir     = "journal"
	deadLettersDir = "deadletters"
	streamsDir     = "streams"
	resultsDir     = "results"
	sourcesDir     = "sources"
	manifestFile   = "manifest.json"
	sumFile        = "manifest.sha256" // the last file, which makes a backup complete
	failureFile    = "failure.txt"     // the last file of a backup that failed: the reason
)

// formatVersion is the version of new backups. Version 1 had neither streams nor analyses, version 2
// had no records of live sources, and the post store of version 3 had at most format 2. It is raised
// with the format of the post store, so that older programs refuse a backup before they restore it.
const formatVersion = 4

// maxManifestBytes bounds the memory for a damaged manifest. Each file takes about 150 bytes.
const maxManifestBytes = 64 << 20

// A Manifest lists the contents of a backup.
type Manifest struct {
	Format   int              `json:"format"`
	Version  string           `json:"version"` // of the program that wrote it
	Time     time.Time        `json:"time"`    // when the backup started
	Position earshot.Position `json:"position"`

	// Installation is the ID that the streams and the post store have in common. CatalogRevision is
	// the highest that the post store may have seen; the restored catalog continues after it. Earlier
	// versions had neither.
	Installation    string `json:"installation,omitempty"`
	CatalogRevision uint64 `json:"catalogRevision,omitempty"`

	Journal Positions `json:"journal"`
	Files   []File    `json:"files"` // all files except the manifest, in the order of the tar file
}

// Positions is the span of a journal. The store may lack entries after Manifest.Position.
type Positions struct {
	First earshot.Position `json:"first"`
	Last  earshot.Position `json:"last"`
}

// A File is one file of a backup.
type File struct {
	Name   string `json:"name"` // with slashes
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"` // in lower case
}

// Size returns the total size of the files.
func (m *Manifest) Size() (bytes int64) {
	for _, f := range m.Files {
		bytes += f.Size
	}
	return bytes
}

func (m *Manifest) filesIn(dir string) (files []File) {
	for _, f := range m.Files {
		if strings.HasPrefix(f.Name, dir+"/") {
			files = append(files, f)
		}
	}
	return files
}

// encode returns the last two files of a backup.
func (m *Manifest) encode() (manifest, sum []byte, err error) {
	manifest, err = json.MarshalIndent(m, "", " ")
	if err != nil {
		return nil, nil, err
	}
	manifest = append(manifest, '\n')
	return manifest, sumOf(manifest), nil
}

// sumOf returns the output of sha256sum for the manifest.
func sumOf(manifest []byte) []byte {
	sum := sha256.Sum256(manifest)
	return fmt.Appendf(nil, "%s  %s\n", hex.EncodeToString(sum[:]), manifestFile)
}

// decodeManifest decodes and checks the result of encode.
func decodeManifest(manifest, sum []byte) (*Manifest, error) {
	if string(sum) != string(sumOf(manifest)) {
		return nil, fmt.Errorf("%s or %s is damaged: the checksum does not match", manifestFile, sumFile)
	}
	m := &Manifest{}
	if err := json.Unmarshal(manifest, m); err != nil {
		return nil, fmt.Errorf("read %s: %w", manifestFile, err)
	}
	if err := m.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", manifestFile, err)
	}
	return m, nil
}

func (m *Manifest) check() error {
	if m.Format < 1 || m.Format > formatVersion {
		return fmt.Errorf("the backup has format %d, but this program reads formats 1 to %d; the backup was written by version %s", m.Format, formatVersion, m.Version)
	}
	if err := journal.Span(m.Journal).Check(); err != nil {
		return err
	}
	if m.Position > m.Journal.Last {
		return fmt.Errorf("the store has entries up to %d, but the journal ends at %d: they are not from the same backup", m.Position, m.Journal.Last)
	}
	seen := map[string]bool{}
	for _, f := range m.Files {
		if err := checkName(f.Name); err != nil {
			return err
		}
		if seen[f.Name] {
			return fmt.Errorf("the file %q is listed twice", f.Name)
		}
		seen[f.Name] = true
	}
	if !seen[secretFile] {
		return fmt.Errorf("it does not list %s", secretFile)
	}
	return nil
}

// checkName returns an error unless name is the name of a backup file and inside its directory.
func checkName(name string) error {
	dir, _, within := strings.Cut(name, "/")
	known := name == secretFile || within && slices.Contains([]string{postsDir, catalogDir, journalDir, deadLettersDir, streamsDir, resultsDir, sourcesDir}, dir)
	if !known || !fs.ValidPath(name) || strings.ContainsAny(name, "\\:\x00") {
		return fmt.Errorf("%.200q is not a backup file", name)
	}
	return nil
}
