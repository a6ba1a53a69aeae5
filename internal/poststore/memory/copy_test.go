package memory

import (
	"testing"

	"earshot/internal/poststore"
	"earshot/internal/poststore/storetest"
)

func TestCopy(t *testing.T) {
	storetest.Copy(t, func(*testing.T) storetest.CopySource {
		s := New()
		return storetest.CopySource{Store: s, Export: func() poststore.Exporter { return s }}
	}, func(*testing.T) storetest.CopyTarget {
		i := NewImport(New())
		return storetest.CopyTarget{Import: func() poststore.Importer { return i }, Open: func() poststore.Store { return i.store }}
	}, func(*testing.T) poststore.Store { return New() }, 10)
}
