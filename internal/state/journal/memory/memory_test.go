package memory_test

import (
	"testing"

	"earshot/internal/state/journal"
	"earshot/internal/state/journal/journaltest"
	"earshot/internal/state/journal/memory"
)

func TestJournal(t *testing.T) {
	journaltest.Run(t, func(*testing.T) journal.Journal { return memory.New() })
}

func TestArchive(t *testing.T) {
	journaltest.RunArchive(t, func(*testing.T) journal.Archive { return memory.New() })
}
