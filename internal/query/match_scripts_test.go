package query

import "testing"

func TestMatchInManyScripts(t *testing.T) {
	f := matcher(t)

	// German
	f(`strasse`, "Die Straße", true)
	f(`straße`, "DIE STRASSE", true)
	f(`fussball`, "Fußball!", true)
	f(`koln`, "in Köln", true)
	f(`köln`, "in Koln", false)
	f(`köln`, "in KÖLN", true)
	f(`köln`, "in Ko\u0308ln", true) // decomposed

	// Turkish
	f(`istanbul`, "İstanbul", true)
	f(`İstanbul`, "istanbul", false)
	f(`İstanbul`, "İSTANBUL", true)
	f(`isparta`, "ısparta", true)
	f(`ısparta`, "isparta", false)

	// Greek
	f(`οδος`, "ΟΔΌΣ", true)
	f(`οδός`, "ΟΔΌΣ", true)
	f(`σοφος`, "ο σοφός", true)
	f(`σοφός`, "ο σοφος", false)

	// French
	f(`ete`, "l’été, c'est l'été", false)
	f(`ete`, "un été", true)
	f(`été`, "un ete", false)
	f(`"l'ete"`, "l’été", true)
	f(`oeuvre`, "une œuvre", true)
	f(`francais`, "le FRANÇAIS", true)
	f(`«bonjour»`, "« bonjour »", true)

	// Polish, Danish, Vietnamese
	f(`lodz`, "Łódź", true)
	f(`kobenhavn`, "København", true)
	f(`da nang`, "Đà Nẵng", true)

	// Russian
	f(`елка`, "Ёлка", true)
	f(`ёлка`, "елка", false)
	f(`мои`, "мой", false)
	f(`замок`, "за\u0301мок", true)

	// Arabic
	f(`احمد`, "أحمد", true)
	f(`أحمد`, "احمد", false)
	f(`كتب`, "كَتَبَ", true)
	f(`كتاب`, "كتـــاب", true)
	f(`"صباح الخير"`, "صباح الخير يا أحمد", true)
	f(`میخواهم`, "می\u200cخواهم", true)

	// Hebrew
	f(`שלום`, "שָׁלוֹם", true)
	f(`צה"ל`, `דובר צה״ל`, true)
	f(`צה"ל`, `דובר צה"ל`, true)
	f(`צהל`, `דובר צה"ל`, true)
	f(`"שלום עולם"`, "שלום עולם!", true)

	// Hindi: vowel signs are not accents
	f(`हिन्दी`, "मैं हिन्दी बोलता हूँ", true)
	f(`कल`, "कुल", false)
	f(`#हिन्दी`, "#हिन्दी", true)

	// Thai: no spaces and no dictionary
	f(`สวัสดี`, "สวัสดีครับ", true)
	f(`ครับ`, "สวัสดีครับ", true)
	f(`สวัสดีค่ะ`, "สวัสดีครับ", false)
	f(`#สวัสดี`, "#สวัสดี ครับ", true)
	f(`#สวัสดี`, "สวัสดี", false)
	f(`น้ำ`, "น\u0e49\u0e4d\u0e32", true)

	// Chinese
	f(`北京`, "我爱北京天安门", true)
	f(`京北`, "我爱北京天安门", false)
	f(`北京 天安门`, "天安门在北京", true)
	f(`#北京`, "#北京", true)
	f(`#北京`, "#北京天安门", false)
	f(`北京`, "#北京天安门", true)
	f(`"#北京 天"`, "#北京 天安门", true)
	f(`"爱 #北京"`, "爱 #北京", true)
	f(`iphone15手机`, "新iPhone15手机壳", true)

	// Japanese
	f(`東京タワー`, "昨日、東京タワーに行った", true)
	f(`タワ`, "東京タワー", true)
	f(`ﾀﾜｰ`, "東京タワー", true)
	f(`ガ`, "ｶﾞ", true)
	f(`か`, "が", false)
	f(`ｉｐｈｏｎｅ`, "iPhone", true)

	// Korean: words are separated by spaces
	f(`삼성`, "삼성 전자", true)
	f(`삼성`, "삼성전자", false)
	f(`"삼성 전자"`, "삼성 전자", true)

	// Emoji
	f(`😂`, "so funny😂😂", true)
	f(`"😂 😂"`, "so funny😂😂", true)
	f(`❤`, "I ❤️ it", true)
	f(`❤️`, "I ❤ it", true)
	f(`👍`, "👍🏽", true)
	f(`👍🏽`, "👍", false)
	f(`🇩🇪`, "🇩🇪🇫🇷", true)
	f(`🇪🇫`, "🇩🇪🇫🇷", false)
	f(`👨‍👩‍👧`, "👨‍👩‍👧", true)
	f(`👨`, "👨‍👩‍👧", false)
	f(`fire`, "fire🔥sale", true)
	f(`sale`, "fire🔥sale", true)

	f(`1`, "1️⃣", true)
	f(`#️⃣`, "#⃣", true)

	// Cherokee has upper and lower case
	f(`ꭰꭱ`, "ᎠᎡ", true)
	f(`ᎠᎡ`, "ꭰꭱ", true)

	// Symbols
	f(`acme`, "Acme™ Acme® Acme©", true)
	f(`"acme phone"`, "the Acme® phone", true)
	f(`office`, "oﬃce", true)
	f(`co2`, "CO₂", true)
	f(`soft`, "so\u00ADft", true)
}
