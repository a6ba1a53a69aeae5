package enrich

import (
	"testing"

	"earshot/internal/model/interest"
	"earshot/internal/model/langid"
	"earshot/internal/model/people"
	"earshot/internal/model/sentiment"
	"earshot/internal/model/vision"
)

// BenchmarkLoad measures the startup cost of all models together and of each one alone.
func BenchmarkLoad(b *testing.B) {
	f := func(name string, load func() error) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := load(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	f("all", func() error { _, err := loadModels(); return err })
	f("language", func() error { _, err := langid.New(); return err })
	f("sentiment", func() error { _, err := sentiment.New(); return err })
	f("people", func() error { _, err := people.New(); return err })
	f("interests", func() error { _, err := interest.New(); return err })
	f("images", func() error { _, err := vision.New(); return err })
}
