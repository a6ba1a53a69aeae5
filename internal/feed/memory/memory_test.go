package memory_test

import (
	"testing"

	"earshot/internal/feed"
	"earshot/internal/feed/feedtest"
	"earshot/internal/feed/memory"
)

func TestFeed(t *testing.T) {
	feedtest.Run(t, func(*testing.T) feed.Feed { return memory.New() })
}
