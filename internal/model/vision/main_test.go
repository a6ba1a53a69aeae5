package vision

import (
	"testing"

	"earshot/internal/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }
