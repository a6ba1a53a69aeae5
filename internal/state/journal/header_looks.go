package journal

import "earshot"

// lookJSON is the stored form of a Look, for example
//
//	{"network":"Bluesky","guid":"at://…","text":305419896,"models":8,"sentiment":[2,8,90],"emotion":[1,4,5,0,88,1,1]}
type lookJSON struct {
	Network       string             `json:"network,omitempty"`
	ContentSource int64              `json:"source,omitempty"`
	GUID          string             `json:"guid"`
	Text          uint32             `json:"text"`
	Models        uint32             `json:"models"`
	Sentiment     [3]earshot.Percent `json:"sentiment"`
	Emotion       [7]earshot.Percent `json:"emotion"`
}

func newLook(l Look) lookJSON {
	return lookJSON{string(l.Key.Source), int64(l.Key.ContentSource), l.Key.GUID, l.Text, l.Models, l.Sentiment, l.Emotion}
}

func (l lookJSON) look() Look {
	key := earshot.PostKey{Source: earshot.Source(l.Network), ContentSource: earshot.ContentSourceID(l.ContentSource), GUID: l.GUID}
	return Look{key, l.Text, l.Models, l.Sentiment, l.Emotion}
}
