package memory_test

import (
	"testing"

	"earshot/internal/journal"
	"earshot/internal/journal/journaltest"
	"earshot/internal/journal/memory"
)

func TestJournal(t *testing.T) {
	journaltest.Run(t, func(*testing.T) journal.Journal { return memory.New() })
}

func TestArchive(t *testing.T) {
	journaltest.RunArchive(t, func(*testing.T) journal.Archive { return memory.New() })
}
