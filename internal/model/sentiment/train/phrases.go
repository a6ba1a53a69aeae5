package train

import "strings"

// phrases are idioms whose individual words mislead and which are too rare in the training sets.
var phrases = []struct{ sentiment, emotion, lines string }{
	{"positive", "joy", `
		not bad
		not bad at all
		not too bad
		it's not bad
		that was not bad at all
		this is not half bad
		no complaints
		can't complain
		can not complain about anything
		nothing to complain about
		could not be better
		couldn't be happier
		can't wait
		can't wait to see you
		never been better
		no problem at all, thank you
		no worries, all good
		never disappoints
		you can't go wrong with this
		I can't stop smiling
		nothing but good things to say
		not a single bad thing to say`},
	{"negative", "", `
		not good
		not good at all
		this is not good
		not great
		not happy
		not happy about this
		not happy with this at all
		not worth it
		not worth the money
		not impressed
		I don't like it
		I do not like this at all
		I don't recommend this
		would not recommend
		never again
		never coming back
		no thanks to you
		can't stand this
		what a joke of a company
		thanks for nothing
		could have been better
		nothing works`},
	{"neutral", "neutral", `
		the meeting is at 5
		we meet at noon
		see you at the station at 8
		the store opens at nine
		the bus leaves at 10:30
		this is the new schedule for Monday
		the report will be published on Friday
		here is the link to the agenda
		I am at work
		she lives in Boston
		where is the nearest station?
		what time does it start?`},
}

// readPhrases returns the phrases as texts.
func readPhrases(s settings) []text {
	var all []text
	for _, p := range phrases {
		for line := range strings.Lines(strings.TrimSpace(p.lines)) {
			t := text{set: "phrases", language: "en", text: strings.TrimSpace(line)}
			t.setSentiment(p.sentiment, s.Phrases)
			if p.emotion != "" { // negative phrases do not imply a specific emotion
				t.setEmotions(p.emotion, s.Phrases)
			}
			all = append(all, t)
		}
	}
	return all
}
