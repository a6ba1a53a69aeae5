package storetest

import "earshot"

// fullPost returns a post with a value in every field. Each call returns a new post that shares no
// memory with others.
func fullPost() earshot.Post {
	rating := 4.5
	return earshot.Post{
		Source:          "Letters",
		ContentSource:   3,
		Team:            team,
		Batch:           "batch-1",
		GUID:            "guid-1",
		URL:             "https://www.example.com/letters/1?a=1&b=2",
		Site:            "example.com",
		Time:            parseTime("2024-03-01T12:34:56Z"),
		Title:           "A title",
		Contents:        "Some contents, with #tags",
		Language:        "en",
		Author:          "writer (A Writer)",
		AuthorUsername:  "writer",
		AuthorProfileID: "4711",
		Bio:             "Writes letters",
		Gender:          earshot.Female,
		Age:             earshot.Counted(44),
		Followers:       earshot.Counted(1000),
		Following:       earshot.Counted(0),
		AuthorPosts:     earshot.Counted(12),
		Klout:           earshot.Counted(50),
		Verified:        true,
		Location:        "somewhere near San Diego",
		Place:           earshot.Place{Country: "USA", State: "CA", City: "San Diego"},
		Point:           &earshot.Point{Latitude: 32.71571, Longitude: -117.16472},
		Zipcode:         "92101",
		Geotagged:       true,
		Engagement:      earshot.Reply,
		EngagingWith:    "reader",
		ParentGUID:      "guid-0",
		PageID:          "page-1",
		Likes:           earshot.Counted(1),
		Shares:          earshot.Counted(2),
		Comments:        earshot.Counted(3),
		Replies:         earshot.Counted(4),
		Retweets:        earshot.Counted(5),
		Views:           earshot.Counted(6),
		Rating:          &rating,
		Hashtags:        []string{"tags", "more"},
		Mentions:        []string{"reader", "editor"},
		Links:           []string{"https://example.org/"},
		MediaURLs:       []string{"https://example.org/a.mp4"},
		Images: []earshot.Image{{
			URL:     "https://example.org/a.jpg",
			Alt:     "a cup",
			Brands:  []earshot.ImageBrand{{ID: "b1", Name: "Cups", Size: "tiny", Score: 0.25}},
			Objects: []earshot.ImageObject{{Score: 0.75, ClassID: 47, ClassName: "cup"}},
		}},
		Custom:          map[string]string{"order": "66"},
		Cashtags:        []string{"acme"},
		AgeGroup:        earshot.ThirtyFiveAndOver,
		Sentiment:       earshot.Sentiment{10, 20, 70},
		Emotion:         earshot.Emotion{1, 2, 3, 4, 5, 6, 79},
		Interests:       []earshot.InterestID{1, 2},
		AuthorInterests: []earshot.InterestID{3},
		Inferred:        earshot.InferredGender,
		InferredBy:      2,
	}
}

// scribble modifies all memory that a copy of a full post would share with it.
func scribble(p *earshot.Post) {
	p.Point.Latitude = 0
	*p.Rating = 0
	p.Hashtags[0] = "scribble"
	p.Mentions[0] = "scribble"
	p.Links[0] = "scribble"
	p.MediaURLs[0] = "scribble"
	p.Images[0].Brands[0].Name = "scribble"
	p.Images[0].Objects[0].ClassName = "scribble"
	p.Images[0].Alt = "scribble"
	p.Custom["order"] = "scribble"
	p.Cashtags[0] = "scribble"
	p.Interests[0] = 9
	p.AuthorInterests[0] = 9
}
