package interest

import (
	"testing"

	"earshot"
)

const tweet = "RT @acme: Just watched the Lakers game with my dog at the sports bar on 5th Ave, great pizza and craft beer! https://t.co/aBcDeF12 #NBA #foodie"

func BenchmarkAppendPost(b *testing.B) {
	m := newModel(b)
	for _, bb := range []struct{ name, text string }{
		{"tweet", tweet},
		{"Russian", "Хакеры из группы угрожают «продажным блогерам и чиновникам»: Ранее группа взломала почту главы. Сегодня об этом сообщили в новостях"},
		{"nothing", "Well I am not so sure about that one but we shall see what comes out of it in the end, my friend. Thank you so much for all of this"},
	} {
		b.Run(bb.name, func(b *testing.B) {
			var ids []earshot.InterestID
			b.ReportAllocs()
			for b.Loop() {
				ids = m.AppendPost(ids[:0], bb.text, nil, nil)
			}
		})
	}
}

func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		newModel(b)
	}
}
