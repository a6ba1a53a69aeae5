package memory_test

import (
	"testing"

	"earshot/internal/catalog"
	"earshot/internal/catalog/catalogtest"
	"earshot/internal/catalog/memory"
)

func TestStore(t *testing.T) {
	catalogtest.Run(t, func(*testing.T) catalog.Store { return memory.New() })
}
