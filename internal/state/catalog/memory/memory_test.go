package memory_test

import (
	"testing"

	"earshot/internal/state/catalog"
	"earshot/internal/state/catalog/catalogtest"
	"earshot/internal/state/catalog/memory"
)

func TestStore(t *testing.T) {
	catalogtest.Run(t, func(*testing.T) catalog.Store { return memory.New() })
}
