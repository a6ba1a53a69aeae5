package sentiment

import "testing"

// tweet is a typical tweet of about 100 characters.
const tweet = "@airline I can't believe you lost my bag AGAIN!! worst service ever, never flying with you :( #fail http://t.co/x1"

func BenchmarkInfer(b *testing.B) {
	m, err := New()
	if err != nil {
		b.Fatal(err)
	}
	for _, bench := range []struct{ name, text, language string }{
		{"English", tweet, "en"},
		{"German", "Das ist ja wohl der schlechteste Service aller Zeiten, nie wieder fahre ich mit denen! #bahn @DB_Bahn", "de"},
		{"Arabic", "وصلنا لاقتصاد اسوء من سوريا والعراق ومن غير حرب انجاز ده ولا مش انجاز يا متعلمين يا بتوع المدارس", "ar"},
		{"Japanese", "今日はとても楽しかったです。また来年も皆で行きたいと思います！ありがとうございました", "ja"},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				m.Infer(bench.text, bench.language, Social)
			}
		})
	}
}

func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := New(); err != nil {
			b.Fatal(err)
		}
	}
}
